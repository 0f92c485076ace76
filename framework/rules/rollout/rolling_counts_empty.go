package rollout

import (
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules/situation"
)

// RollingCountsEmpty is ROLLING-009.
func RollingCountsEmpty() judge.Rule {
	return counted("ROLLING-009", "eligible nodes without a daemon pod, or with a terminating one alone, count against maxUnavailable",
		func(_ *judge.Scene, n *judge.Node) bool { return len(n.LivePods(nil)) == 0 },
		situation.EmptyElsewhere(), situation.LeavingElsewhere(), situation.SeveralLeaving(), situation.EndedElsewhere())
}
