package rollout

import (
	"fmt"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// SurgeHandOver is SURGE-007: with maxUnavailable 0, on eligible nodes.
func SurgeHandOver() judge.Rule {
	return judge.Rule{
		Requirement: "SURGE-007",
		Kind:        judge.Obligation,
		Promise:     "with maxSurge an old pod beside an available updated one is deleted promptly",
		Needs:       everything(),
		New:         judge.DueOnNodes(handOver),
	}
}

// handOver is the condition that an old pod has an available updated one beside it.
func handOver(s *judge.Scene, w *judge.Workload, n *judge.Node) (judge.Due, bool) {
	old, updated := split(s, n)
	if len(old) == 0 || len(updated) == 0 || !n.Eligible || !w.Settings.ZeroDowntime() {
		return judge.Due{}, false
	}
	var successor *judge.Pod
	var from time.Time
	for _, pod := range updated {
		if at, ok := pod.AvailableFrom(w.Settings.MinReady); ok && (successor == nil || at.Before(from)) {
			successor, from = pod, at
		}
	}
	if successor == nil {
		return judge.Due{}, false
	}
	return judge.Due{
		About:  string(old[0].Object.UID + successor.Object.UID),
		From:   from,
		Undone: fmt.Sprintf("old pod %s not deleted beside available updated pod %s", old[0].Object.Name, successor.Object.Name),
	}, true
}

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

// AvailableAtOnce is AVAIL-002, as far as something is owed.
func AvailableAtOnce() judge.Rule {
	return judge.Rule{
		Requirement: "AVAIL-002",
		Kind:        judge.Obligation,
		Promise:     "with minReadySeconds 0 an updated pod that is Ready is promptly taken for available",
		Needs:       everything(),
		New: judge.DueOnNodes(func(s *judge.Scene, w *judge.Workload, n *judge.Node) (judge.Due, bool) {
			due, owed := handOver(s, w, n)
			return due, owed && w.Settings.MinReady == 0
		}),
	}
}

// AvailableByClock is AVAIL-005: where minReadySeconds run out and nothing else wakes the implementation. A write to the DaemonSet, to one of its pods or to
// a node in the last second before, or after, leaves it undecided: somebody who looks only then looks all the same.
func AvailableByClock() judge.Rule {
	return judge.Rule{
		Requirement: "AVAIL-005",
		Kind:        judge.Obligation,
		Promise:     "when minReadySeconds run out and nothing else happens, the rollout promptly goes on by itself",
		Needs:       everything(),
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
					return due, owed && p.from.After(s.Now)
				})(header)
			},
		),
	}
}
