package rollout

import (
	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules/situation"
)

// SurgeBacksOff is SURGE-024.
func SurgeBacksOff() judge.Rule {
	return judge.Rule{
		Requirement: "SURGE-024",
		Kind:        judge.Prohibition,
		Promise:     "with maxSurge a pod that keeps failing is recreated with a growing delay",
		Needs:       []history.Kind{history.KindPod, history.KindDaemonSet},
		Situations:  and(eitherWay(), situation.EndedElsewhere(), situation.OnCordoned()),
		New:         backingOff(func(settings judge.Settings) bool { return settings.ZeroDowntime() }),
	}
}
