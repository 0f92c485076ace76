package plan

// tally counts nodes by what runs on them.
type tally struct {
	// available nodes have an available pod, be they eligible or not.
	available int
	// unavailable nodes are eligible and have none: also those whose pod is on its way out, or does not exist
	// (ROLLING-009, ROLLING-010).
	unavailable int
}

func (p *pass) count(views []*nodeView) tally {
	var t tally
	for _, view := range views {
		switch {
		case p.available(view.old()) || p.available(view.updated()):
			t.available++
		case view.eligible:
			t.unavailable++
		}
	}
	return t
}

// update replaces old pods; createMissing fills the gaps in a later pass. Old pods that are not Ready go at
// once: they cost nothing, count as unavailable anyway, and a fix must get past a broken update that has
// used up the budget (ROLLING-006, ROLLING-008, ROLLOVER-004). Old pods that are Ready go only as far as no more than
// maxUnavailable nodes are without a pod to rely on (ROLLING-002). Those still within minReadySeconds come first, since
// they are unavailable already, but within the budget: a second update shortly after the first must not take
// every pod down at once, though none of them is available yet.
func (s rolling) update(p *pass, _, kept []*nodeView, desired int) {
	count := p.count(kept)
	var young, candidates, ineligible []*nodeView
	for _, view := range kept {
		old := view.old()
		switch {
		case old == nil || view.deleting:
		case !view.eligible:
			ineligible = append(ineligible, view)
		case !IsReady(old):
			p.replace(view, ReasonOldUnavailable)
		case !p.available(old):
			young = append(young, view)
		default:
			candidates = append(candidates, view)
		}
	}
	p.takeDown(young, s.maxUnavailable-(count.unavailable-len(young)))
	budget := s.maxUnavailable - count.unavailable
	// A node that is not eligible takes nothing from the budget of those that are: where none is, there is no budget,
	// but the old pod has to go (ROLLING-001).
	spare := count.available - p.takeDown(candidates, budget) - desired
	for _, view := range ineligible {
		p.leaveIneligible(view, &spare)
	}
	p.createMissing(kept)
}

// takeDown replaces the old pods of the first of views, as many as room allows, and returns how many.
func (p *pass) takeDown(views []*nodeView, room int) int {
	n := min(max(room, 0), len(views))
	for _, view := range views[:n] {
		p.replace(view, ReasonOutdated)
	}
	return n
}

// createMissing creates a pod on every eligible node that has none, not even one on its way out (DRAIN-003).
func (p *pass) createMissing(views []*nodeView) {
	for _, view := range views {
		if view.eligible && !view.occupied() && len(view.ended) == 0 && !view.deleting {
			p.create(view, ReasonMissing)
		}
	}
}
