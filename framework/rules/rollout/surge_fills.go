package rollout

import (
	"slices"

	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules/situation"
)

// SurgeFills is SURGE-012. It counts from when the node is eligible, which may be long after it exists: the taint of a node that is not ready yet has to go.
func SurgeFills() judge.Rule {
	return judge.Rule{
		Requirement: "SURGE-012",
		Kind:        judge.Obligation,
		Promise:     "with maxSurge an eligible node without a daemon pod promptly gets one, whatever the limit",
		Needs:       everything(),
		Situations:  and(slices.Concat(eitherWay(), despiteTheLimit()), situation.OnJoined(), situation.SeveralEmpty(), situation.OnFailed()),
		New: judge.DueOnNodes(func(_ *judge.Scene, w *judge.Workload, n *judge.Node) (judge.Due, bool) {
			if !n.Eligible || !w.Settings.ZeroDowntime() || len(n.Pods) > 0 {
				return judge.Due{}, false
			}
			return creation(n, "empty", "no pod created on the node, which is eligible and has none,"), true
		}),
	}
}
