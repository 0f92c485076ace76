package rollout

import (
	"slices"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules/situation"
)

// TargetCurrent is TARGET-004, and UNREADY-006 in a surge rollout: whatever it replaces, a pod is made from the template in force.
func TargetCurrent() judge.Rule {
	return judge.Rule{
		Requirement: "TARGET-004",
		Kind:        judge.Prohibition,
		Promise:     "a daemon pod is created from the current revision, never from an older one",
		Needs:       everything(),
		Situations:  and(slices.Concat(course(), strategies()), situation.OnCordoned()),
		New:         func(history.Header) judge.Observer { return &createdCurrent{about: edited} },
	}
}
