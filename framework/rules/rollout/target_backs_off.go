package rollout

import (
	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules/situation"
)

// TargetBacksOff is TARGET-010.
func TargetBacksOff() judge.Rule {
	return judge.Rule{
		Requirement: "TARGET-010",
		Kind:        judge.Prohibition,
		Promise:     "a pod that keeps failing is recreated with a growing delay",
		Needs:       []history.Kind{history.KindPod, history.KindDaemonSet},
		Situations:  and(eitherWay(), situation.EndedElsewhere(), situation.OnCordoned()),
		New:         backingOff(func(settings judge.Settings) bool { return !settings.ZeroDowntime() }),
	}
}
