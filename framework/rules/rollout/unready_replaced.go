package rollout

import (
	"fmt"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules/situation"
)

// UnreadyReplaced is UNREADY-001: an old pod that is not Ready, with no updated one beside it. Both creating one and deleting the old pod are lawful; a node that
// has no pod then is SURGE-012's.
func UnreadyReplaced() judge.Rule {
	return judge.Rule{
		Requirement: "UNREADY-001",
		Kind:        judge.Obligation,
		Promise:     "with maxSurge an old pod that is not Ready promptly gets an updated one on its node, whatever the limit",
		Needs:       everything(),
		Situations:  and(despiteTheLimit(), situation.OnUnknown(), situation.SeveralOldUnready(), situation.Overtook(), situation.Waits(), situation.OnDown()),
		New: judge.DueOnNodes(func(s *judge.Scene, w *judge.Workload, n *judge.Node) (judge.Due, bool) {
			old, updated := split(s, n)
			if len(old) == 0 || len(updated) > 0 || ended(n) || !n.Eligible || !w.Settings.ZeroDowntime() {
				return judge.Due{}, false
			}
			for _, pod := range old {
				if history.IsReady(pod.Object) {
					return judge.Due{}, false
				}
			}
			undone := fmt.Sprintf("no updated pod on the node of old pod %s, which is not Ready,", old[0].Object.Name)
			return creation(n, string(old[0].Object.UID), undone), true
		}),
	}
}
