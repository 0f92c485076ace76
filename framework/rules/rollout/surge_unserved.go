package rollout

import (
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules/situation"
)

// SurgeUnserved is SURGE-013: what is under way on nodes that have no available pod takes nothing of maxSurge.
func SurgeUnserved() judge.Rule {
	return judge.Rule{
		Requirement: "SURGE-013",
		Kind:        judge.Obligation,
		Promise:     "nodes whose old pod is not available do not keep a surge rollout from going on elsewhere",
		Needs:       everything(),
		Situations:  and(course(), situation.SeveralOldUnready(), situation.SeveralUpdatedUnready(), situation.UnknownElsewhere()),
		New: progress(func(r *rolloutState, s *judge.Scene) (judge.Due, bool) {
			due, owed := r.surging(s)
			due.Until = r.until
			return due, owed && r.count[takesNothing] > 0
		}),
	}
}
