package rollout

import (
	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules/situation"
)

// AvailableByClock is AVAIL-005: where minReadySeconds run out and nothing else wakes the implementation. A write to the DaemonSet, to one of its pods or to
// a node in the last second before, or after, leaves it undecided: somebody who looks only then looks all the same.
func AvailableByClock() judge.Rule {
	return judge.Rule{
		Requirement: "AVAIL-005",
		Kind:        judge.Obligation,
		Promise:     "when minReadySeconds run out and nothing else happens, the rollout promptly goes on by itself",
		Needs:       everything(),
		Situations:  and(course(), situation.WithSurge(), situation.WithUnavailable(), situation.Staggered(), situation.Retimed()),
		New: judge.Both(
			judge.DueOnNodes(func(s *judge.Scene, w *judge.Workload, n *judge.Node) (judge.Due, bool) {
				due, owed := handOver(s, w, n)
				due.ByClock = true
				return due, owed && w.Settings.MinReady > 0
			}),
			func(header history.Header) judge.Observer {
				return progress(func(p *rolloutState, s *judge.Scene) (judge.Due, bool) {
					due, owed := p.rolling(s)
					due.ByClock = true
					return due, owed && p.from().After(s.Now)
				})(header)
			},
		),
	}
}
