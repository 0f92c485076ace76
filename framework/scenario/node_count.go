package scenario

import (
	"context"

	"github.com/rollcall-conformance/rollcall/framework/lever"
)

// NodeCount is how many nodes a scenario takes at first.
type NodeCount struct {
	// Least is how many it takes to put the scenario's promises to the test.
	Least int
	// Likes is how many the scenario gets wherever the cluster has them or simulates them: more show more.
	Likes int
	// Later is how many nodes the scenario adds afterwards. Default: none.
	Later int
}

// TakeNodes is AddNodes for the first nodes of a scenario that can do with fewer than it likes. It gets fewer only where nobody simulates nodes.
func (s *Scenario) TakeNodes(ctx context.Context, count NodeCount) []string {
	s.tb.Helper()
	return s.AddNodes(ctx, s.settleKind(count, false))
}

// settleKind decides what kind the scenario's nodes are, given how many it takes and whether they are to be made to measure, and returns how many it gets
// at first.
func (s *Scenario) settleKind(count NodeCount, toMeasure bool) int {
	s.tb.Helper()
	real := len(s.env.RealNodes)
	suit := s.env.NodeKind != Simulated && !toMeasure
	switch {
	case suit && count.Likes+count.Later <= real:
		s.useRealNodes()
		return count.Likes
	case s.env.NodeKind != Real && !s.env.OnlyRealNodes:
		s.kind = Simulated
		return count.Likes
	case suit && count.Least+count.Later <= real:
		s.useRealNodes()
		return real - count.Later
	case s.env.NodeKind == Real:
		s.tb.Skipf("the scenario takes %d nodes with a kubelet, and the cluster has %d", count.Least+count.Later, real)
	default:
		s.tb.Skipf("the scenario takes %d nodes that can be simulated, or shared as they are; the cluster has %d real ones and simulates none: -simulated-nodes brings some",
			count.Least+count.Later, real)
	}
	return 0
}

func (s *Scenario) useRealNodes() {
	s.kind = Real
	s.Pods.pods = lever.Real{Client: s.client, Recorder: s.recorder}
}
