package plan

import (
	"k8s.io/apimachinery/pkg/util/sets"
)

// slotsInUse returns the nodes that hold a surge slot: those with an available old pod and an updated one that is not
// available, whatever it is instead: starting, ended, on its way out (SURGE-002). A node whose old pod is not
// available holds none (SURGE-013). It is asked of the nodes as they are, so that no slot is given away on the strength of a deletion that may fail.
func (p *pass) slotsInUse(views []*nodeView) sets.Set[string] {
	inUse := sets.New[string]()
	for _, view := range views {
		if !p.available(view.old()) || p.available(view.updated()) {
			continue
		}
		waiting := len(view.news) + len(view.terminatingNews)
		for _, pod := range view.ended {
			if p.history.updated(p.ds, pod) {
				waiting++
			}
		}
		if waiting > 0 {
			inUse.Insert(view.name)
		}
	}
	return inUse
}

// liveIn counts the nodes among inUse whose slot is held by an updated pod that is not on its way out.
func liveIn(inUse sets.Set[string], views []*nodeView) int {
	live := 0
	for _, view := range views {
		if inUse.Has(view.name) && view.updated() != nil {
			live++
		}
	}
	return live
}

// update creates beside what is there; tidy has deleted old pods whose successor is available
// (SURGE-006, SURGE-007). A node without an available old pod gets its updated pod at once (SURGE-012, UNREADY-001);
// one with an available old pod needs a slot, and when all are taken nothing happens to it (PAUSE-001). If
// maxUnavailable is not zero either, that many nodes may be without an available pod on top of it (API-006).
//
// A node whose updated pod is on its way out keeps its slot, and gets the next updated pod as far as live ones have not
// used up the limit: there may be more such nodes than slots, as when a rollback makes pods that are terminating
// updated ones again (SURGE-002).
//
// A pass that creates outside the limit gives away no slot: should one of those old pods become available meanwhile,
// its node holds a slot after all, and only the next pass can know (SURGE-002).
//
// Nothing is updated in place: that would restart what is available, for which there is no limit but zero (INPLACE-020).
func (s surging) update(p *pass, seen, kept []*nodeView, desired int) {
	count, inUse := p.count(kept), p.slotsInUse(seen)
	free, held := s.maxSurge-inUse.Len(), s.maxSurge-liveIn(inUse, kept)
	budget := s.maxUnavailable - count.unavailable
	spare := count.available - desired
	open := func(view *nodeView) bool {
		return view.eligible && !view.deleting && len(view.ended) == 0 && view.updated() == nil
	}
	for _, view := range kept {
		if open(view) && view.old() != nil && !p.available(view.old()) {
			p.create(view, ReasonOldUnavailable)
			free, held = 0, 0
		}
	}
	for _, view := range p.inTurn(kept) {
		if !view.eligible {
			p.leaveIneligible(view, &spare)
			continue
		}
		switch {
		case !open(view):
		case view.old() == nil:
			p.create(view, ReasonMissing)
		case !p.available(view.old()):
			// It has its updated pod by now.
		case inUse.Has(view.name):
			if held > 0 {
				held--
				p.create(view, ReasonSurge)
			}
		case free > 0:
			free--
			p.create(view, ReasonSurge)
		case budget > 0:
			budget--
			p.remove(view, view.old(), ReasonOutdated)
		}
	}
}

// leaveIneligible removes the old pod of a node that may keep pods but gets no new ones: at once if it is not available
// (SURGE-018), else only while more nodes have an available pod than should, so that moving a DaemonSet from some nodes
// to others takes none down before its replacement is up (SURGE-017).
func (p *pass) leaveIneligible(view *nodeView, spare *int) {
	switch {
	case view.deleting || view.old() == nil:
	case !p.available(view.old()):
		p.remove(view, view.old(), ReasonIneligible)
	case *spare > 0:
		*spare--
		p.remove(view, view.old(), ReasonIneligible)
	}
}
