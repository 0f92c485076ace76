package status

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules/situation"
)

// StallReported is COND-001, where pods say what is wrong with them, and the limit of the strategy is used up by them. Where no pod says it, as where none can be
// created, whether the rollout can go on is not certain for every implementation. A condition counts that was there before, if it names something else now.
func StallReported() judge.Rule {
	return judge.Rule{
		Requirement: "COND-001",
		Kind:        judge.Obligation,
		Promise:     "while updated pods that do not become Ready without help keep a rollout from going on, a condition of the status names the cause",
		Needs:       stallKinds(),
		Situations:  append(stalled(), situation.SeveralUpdatedUnready()),
		New: rollouts(func(r *rolling, _ *judge.Scene) (judge.Due, bool) {
			if !r.isStuck() || r.isReported() {
				return judge.Due{}, false
			}
			return judge.Due{Extra: judge.ReportWithin - judge.Prompt, Undone: fmt.Sprintf("no condition that names %s, or what keeps it from becoming Ready,", r.culprits())}, true
		}),
	}
}

// culprits names the pods that the rollout is stuck by.
func (r *rolling) culprits() string {
	var names []string
	for node, pod := range r.stuck {
		names = append(names, fmt.Sprintf("pod %s on node %s", pod.Object.Name, node.Name))
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// stallKinds are the kinds that decide whether a rollout can go on.
func stallKinds() []history.Kind {
	return []history.Kind{history.KindPod, history.KindDaemonSet, history.KindNode}
}

// stalled are the situations in which a rollout cannot go on, or is over after that.
func stalled() []judge.Situation {
	return []judge.Situation{
		situation.WithSurge(), situation.WithUnavailable(), situation.RolledBack(), situation.Overtook(), situation.Relimited(), situation.Restarted(),
		situation.Grew(), situation.Shrank(),
	}
}
