package rollout

import (
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// AvailableLater is AVAIL-003, as far as something is owed from the instant on; that nothing is done before it, SURGE-006 says.
func AvailableLater() judge.Rule {
	return judge.Rule{
		Requirement: "AVAIL-003",
		Kind:        judge.Obligation,
		Promise:     "an updated pod that has been Ready for minReadySeconds is promptly taken for available",
		Needs:       everything(),
		New: judge.DueOnNodes(func(s *judge.Scene, w *judge.Workload, n *judge.Node) (judge.Due, bool) {
			due, owed := handOver(s, w, n)
			return due, owed && w.Settings.MinReady > 0
		}),
	}
}
