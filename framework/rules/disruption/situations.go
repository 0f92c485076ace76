package disruption

import (
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules/situation"
)

// situations are those in which a budget's status has to be right.
func situations() []judge.Situation {
	return []judge.Situation{situation.PodLeaving(), situation.PodUnready(), situation.PodEnded(), situation.StartedAnew()}
}
