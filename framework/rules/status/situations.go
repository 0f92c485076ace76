package status

import (
	"slices"

	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules/situation"
)

// followed are the situations in which a status has to follow.
func followed() []judge.Situation {
	return []judge.Situation{
		situation.Rollout(), situation.NoRollout(), situation.RolledBack(), situation.Restarted(), situation.Grew(), situation.Shrank(), situation.Waits(),
		situation.SeveralSurging(), situation.CordonedElsewhere(), situation.UnknownElsewhere(),
	}
}

// written are those in which a status is written.
func written() []judge.Situation {
	return slices.Concat(followed(), []judge.Situation{
		situation.Overtook(), situation.Closed(), situation.EmptyElsewhere(), situation.LeavingElsewhere(), situation.EndedElsewhere(), situation.OnDelete(),
	})
}
