package rollout

import (
	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules/situation"
)

// UnreadyCurrent is UNREADY-006.
func UnreadyCurrent() judge.Rule {
	return judge.Rule{
		Requirement: "UNREADY-006",
		Kind:        judge.Prohibition,
		Promise:     "the pod that replaces an unavailable old pod is of the current revision",
		Needs:       everything(),
		Situations:  and(beside(), situation.BesideOldLeaving(), situation.OnFailed()),
		New:         func(history.Header) judge.Observer { return &createdCurrent{about: replacesUnready} },
	}
}
