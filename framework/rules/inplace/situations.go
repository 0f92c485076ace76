package inplace

import (
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules/situation"
)

// beginning are the situations in which an update begins.
func beginning() []judge.Situation {
	return []judge.Situation{situation.RolledBack(), situation.Overtook(), situation.Waits()}
}

// patching are those of a patch that takes something of maxUnavailable.
func patching() []judge.Situation {
	return append(acting(), situation.UnavailableUsedUp(), situation.Percentage(situation.MaxUnavailable))
}

// surging are those of a pod that takes something of maxSurge.
func surging() []judge.Situation {
	return append(acting(), situation.SurgeUsedUp(), situation.Percentage(situation.MaxSurge))
}

func acting() []judge.Situation {
	return append(beginning(), situation.Restarted(), situation.OnCordoned())
}

// actingOnSets are those of an act on a pod of a StatefulSet.
func actingOnSets() []judge.Situation {
	return []judge.Situation{situation.PodLeaving(), situation.PodUnready(), situation.StartedAnew()}
}
