package inplace

import (
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules/situation"
)

// patching are the situations of a patch.
func patching() []judge.Situation {
	return []judge.Situation{
		situation.RolledBack(), situation.Overtook(), situation.Restarted(), situation.Waits(), situation.OnCordoned(), situation.UnavailableUsedUp(),
		situation.Percentage(situation.MaxUnavailable),
	}
}

// actingOnSets are those of an act on a pod of a StatefulSet.
func actingOnSets() []judge.Situation {
	return []judge.Situation{situation.PodLeaving(), situation.PodUnready(), situation.StartedAnew()}
}
