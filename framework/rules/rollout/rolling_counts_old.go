package rollout

import (
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules/situation"
)

// RollingCountsOld is ROLLING-007.
func RollingCountsOld() judge.Rule {
	return counted("ROLLING-007", "old pods that are not available count against maxUnavailable", func(s *judge.Scene, n *judge.Node) bool {
		old, _ := split(s, n)
		return len(old) > 0
	}, situation.UnknownElsewhere(), situation.SeveralOldUnready())
}
