package rollout

import (
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules/situation"
)

// RollingCountsUpdated is ROLLING-010.
func RollingCountsUpdated() judge.Rule {
	return counted("ROLLING-010", "updated pods that are not available count against maxUnavailable", func(s *judge.Scene, n *judge.Node) bool {
		old, updated := split(s, n)
		return len(old) == 0 && len(updated) > 0
	}, situation.UnknownElsewhere(), situation.SeveralUpdatedUnready(), situation.Waits())
}
