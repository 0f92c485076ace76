package plan

import (
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	daemons "github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// moves returns the next step of every node that can take one.
func (f *family) moves() []NodeLabels {
	if !f.gated() && !f.dissolving {
		return f.adoptNodes()
	}
	p := f.newPace()
	var all []NodeLabels
	for _, m := range f.nodes {
		if labels := f.step(m, p); labels != nil {
			all = append(all, NodeLabels{Node: m.Node, Labels: labels})
		}
	}
	return all
}

// adoptNodes gives the target the nodes that it has until now, before its gate would take them from it.
func (f *family) adoptNodes() []NodeLabels {
	var all []NodeLabels
	for _, m := range f.nodes {
		if m.belongs != "" && m.home == "" {
			all = append(all, NodeLabels{Node: m.Node, Labels: f.homeOf(Original)})
		}
	}
	return all
}

func (f *family) homeOf(name string) map[string]*string {
	return map[string]*string{f.keys.Home: &name}
}

// step returns the labels to change on the node; nil for none.
func (f *family) step(m *member, p *pace) map[string]*string {
	incoming, home := f.keys.Incoming, f.keys.Home
	switch {
	case m.belongs == "":
		return map[string]*string{home: nil, incoming: nil}
	case m.home == m.belongs && m.incoming == "":
		return nil
	case m.home == m.belongs, m.incoming != "" && m.incoming != m.belongs, m.incoming != "" && f.members[m.home] == nil:
		return map[string]*string{incoming: nil}
	case m.home != "" && f.members[m.home] == nil:
		// A value that means nothing, by somebody else's hand.
		return map[string]*string{home: nil}
	case f.members[m.belongs] == nil:
		return nil
	case m.home == "":
		if len(m.pods) > 0 {
			return nil
		}
		return f.homeOf(m.belongs)
	case m.incoming != "":
		return f.handOver(m, p)
	case !p.allows(m, f):
		return nil
	case p.surging:
		return map[string]*string{incoming: &m.belongs}
	}
	return map[string]*string{home: nil}
}

// handOver ends a move with maxSurge once the incoming member's pod is available, or none will come.
func (f *family) handOver(m *member, p *pace) map[string]*string {
	runs, _ := daemons.Eligibility(f.members[m.belongs], m.Node)
	switch {
	case f.available(m, m.belongs), !runs:
		return map[string]*string{f.keys.Home: &m.belongs, f.keys.Incoming: nil}
	case !p.surging:
		return map[string]*string{f.keys.Incoming: nil}
	}
	return nil
}

// pace is how many nodes more may begin to move.
type pace struct {
	// surging: what is limited are nodes with two pods, not those with none.
	surging bool
	left    int
}

// newPace reads the pace from the target's strategy, of which a move is a part: nodes without an available pod count, whatever the reason.
func (f *family) newPace() *pace {
	desired, out, doubled := 0, 0, 0
	for _, m := range f.nodes {
		if m.incoming != "" {
			doubled++
		}
		if !m.counts || m.belongs == "" {
			continue
		}
		desired++
		if m.home == "" || !f.served(m) {
			out++
		}
	}
	surge, unavailable := limits(strategyOf(f.target), desired)
	if surge > 0 {
		return &pace{surging: true, left: surge - doubled}
	}
	return &pace{left: unavailable - out}
}

// limits are the strategy's in nodes. Where it says nothing, one node at a time may be out.
func limits(strategy appsv1.DaemonSetUpdateStrategy, desired int) (surge, unavailable int) {
	rolling := strategy.RollingUpdate
	if rolling == nil {
		return 0, 1
	}
	scaled := func(value *intstr.IntOrString) int {
		if value == nil {
			return 0
		}
		// The API server has validated it.
		n, _ := intstr.GetScaledValueFromIntOrPercent(value, desired, true)
		return n
	}
	surge, unavailable = scaled(rolling.MaxSurge), scaled(rolling.MaxUnavailable)
	if surge == 0 {
		unavailable = max(unavailable, 1)
	}
	return surge, unavailable
}

// allows reports whether the node may begin to move. What has nothing to lose always may.
func (p *pace) allows(m *member, f *family) bool {
	switch {
	case p.surging && (len(m.pods) > 1 || len(m.pods[m.home]) > 1 || len(m.pods[m.belongs]) > 0):
		// What is left of an earlier move, and the pod of a rollout that surges, have to go first.
		return false
	case !m.counts, !f.served(m):
		return true
	case p.left <= 0:
		return false
	}
	p.left--
	return true
}
