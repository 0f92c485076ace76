package rollout

import (
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// AvailableAtOnce is AVAIL-002, as far as something is owed.
func AvailableAtOnce() judge.Rule {
	return judge.Rule{
		Requirement: "AVAIL-002",
		Kind:        judge.Obligation,
		Promise:     "with minReadySeconds 0 an updated pod that is Ready is promptly taken for available",
		Needs:       everything(),
		Situations:  handingOver(),
		New: judge.DueOnNodes(func(s *judge.Scene, w *judge.Workload, n *judge.Node) (judge.Due, bool) {
			due, owed := handOver(s, w, n)
			return due, owed && w.Settings.MinReady == 0
		}),
	}
}
