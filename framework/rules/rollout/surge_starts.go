package rollout

import (
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules/situation"
)

// SurgeStarts is SURGE-001, as far as something is owed. That no old pod is deleted first is SURGE-006.
func SurgeStarts() judge.Rule {
	return judge.Rule{
		Requirement: "SURGE-001",
		Kind:        judge.Obligation,
		Promise:     "after a change of the template a surge rollout promptly begins with an updated pod beside an old one",
		Needs:       everything(),
		Situations:  []judge.Situation{situation.RolledBack(), situation.Percentage(situation.MaxSurge), situation.Waits(), situation.Closed(), situation.CordonedElsewhere()},
		New: progress(func(r *rolloutState, s *judge.Scene) (judge.Due, bool) {
			due, owed := r.surging(s)
			return due, owed && r.count[through] == 0 && r.count[takesNothing] == 0
		}),
	}
}
