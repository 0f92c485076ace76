package rollout

import (
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules/situation"
)

// RollingGoesOn is ROLLING-001: the rollout with maxUnavailable goes on, and a node whose old pod is gone gets another.
func RollingGoesOn() judge.Rule {
	return judge.Rule{
		Requirement: "ROLLING-001",
		Kind:        judge.Obligation,
		Promise:     "without maxSurge a rollout that has an old pod left and nothing under way promptly goes on, and a node whose pod is gone promptly gets another",
		Needs:       everything(),
		Situations:  and(goingOn(situation.MaxUnavailable), situation.OldUnreadyElsewhere(), situation.UnknownElsewhere(), situation.OnCordoned(), situation.OnFailed()),
		New:         judge.Both(progress((*rolloutState).rolling), judge.DueOnNodes(refill(withoutSurge))),
	}
}
