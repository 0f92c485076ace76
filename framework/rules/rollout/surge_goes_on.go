package rollout

import (
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules/situation"
)

// SurgeGoesOn is SURGE-011: nobody has to use the whole of maxSurge at once, but a rollout with nothing under way goes on.
func SurgeGoesOn() judge.Rule {
	return judge.Rule{
		Requirement: "SURGE-011",
		Kind:        judge.Obligation,
		Promise:     "a surge rollout that has a node left and nothing under way promptly goes on with the next",
		Needs:       everything(),
		Situations:  goingOn(situation.MaxSurge),
		New: progress(func(r *rolloutState, s *judge.Scene) (judge.Due, bool) {
			due, owed := r.surging(s)
			return due, owed && r.count[takesNothing] == 0
		}),
	}
}
