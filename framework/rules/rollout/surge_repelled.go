package rollout

import (
	"fmt"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules/situation"
)

// SurgeRepelled is SURGE-018, as far as the pod has to go: on a node that should not run the pod, though one that is there may stay. That no updated pod
// is created there is TARGET-001.
func SurgeRepelled() judge.Rule {
	return judge.Rule{
		Requirement: "SURGE-018",
		Kind:        judge.Obligation,
		Promise:     "with maxSurge an old pod that is not Ready is promptly deleted from a node that is not eligible any more",
		Needs:       everything(),
		Situations:  []judge.Situation{situation.RolledBack(), situation.OnUnknown()},
		New: judge.DueOnNodes(func(s *judge.Scene, w *judge.Workload, n *judge.Node) (judge.Due, bool) {
			old, _ := split(s, n)
			if len(old) == 0 || n.Eligible || !n.Stays || !w.Settings.ZeroDowntime() || history.IsReady(old[0].Object) {
				return judge.Due{}, false
			}
			return judge.Due{
				About:  string(old[0].Object.UID),
				Undone: fmt.Sprintf("old pod %s, which is not Ready, still on node %s, which should not run it,", old[0].Object.Name, n.Name),
			}, true
		}),
	}
}
