package rollout

import (
	"slices"

	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules/situation"
)

// Situations that several rules name.

// course are those of what happened during the rollout.
func course() []judge.Situation {
	return []judge.Situation{situation.RolledBack(), situation.Overtook(), situation.Restarted()}
}

// strategies are those of each strategy.
func strategies() []judge.Situation {
	return []judge.Situation{situation.WithSurge(), situation.WithUnavailable(), situation.OnDelete()}
}

// scaled are those of a limit: what it comes to.
func scaled(knob situation.Knob) []judge.Situation {
	return []judge.Situation{
		situation.Above1(knob), situation.Percentage(knob), situation.PercentageGrew(knob), situation.PercentageShrank(knob), situation.PercentageClosed(knob),
		situation.Relimited(),
	}
}

// surging are those of an act that takes something of maxSurge.
func surging() []judge.Situation {
	return slices.Concat([]judge.Situation{situation.SurgeUsedUp()}, scaled(situation.MaxSurge), course(), []judge.Situation{
		situation.Waits(), situation.OnCordoned(), situation.CordonedElsewhere(), situation.OldUnreadyElsewhere(), situation.UpdatedUnreadyElsewhere(),
		situation.RelapsedElsewhere(), situation.UpdatedLeavingElsewhere(), situation.LeavingElsewhere(), situation.UnknownElsewhere(),
	})
}

// yielding are those of an act that takes something of maxUnavailable.
func yielding() []judge.Situation {
	return slices.Concat([]judge.Situation{situation.UnavailableUsedUp()}, scaled(situation.MaxUnavailable), course(), []judge.Situation{
		situation.Waits(), situation.OnCordoned(), situation.CordonedElsewhere(), situation.OldUnreadyElsewhere(), situation.UpdatedUnreadyElsewhere(),
		situation.RelapsedElsewhere(), situation.LeavingElsewhere(), situation.EmptyElsewhere(), situation.UnknownElsewhere(), situation.EndedElsewhere(),
	})
}

// handingOff are those of the deletion of an old pod that is available, for an updated one.
func handingOff() []judge.Situation {
	return slices.Concat(course(), []judge.Situation{
		situation.WaitsNot(), situation.Waits(), situation.Retimed(), situation.Staggered(), situation.Relimited(), situation.OnCordoned(),
		situation.OldUnreadyElsewhere(), situation.UpdatedUnreadyElsewhere(), situation.UnknownElsewhere(), situation.Closed(),
	})
}

// beside are those of the creation of a pod on a node that may have others.
func beside() []judge.Situation {
	return slices.Concat(course(), []judge.Situation{
		situation.OnCordoned(), situation.BesideOldUnready(), situation.BesideUpdatedLeaving(), situation.OnUnknown(), situation.SurgeUsedUp(),
	})
}

// replacing are those of the creation of a pod on a node whose pod is gone.
func replacing() []judge.Situation {
	return slices.Concat(course(), []judge.Situation{
		situation.WithUnavailable(), situation.OnDelete(), situation.OnCordoned(), situation.OnFailed(), situation.SeveralEmpty(),
	})
}

// despiteTheLimit are those of a pod that is owed on a node whatever maxSurge is.
func despiteTheLimit() []judge.Situation {
	return []judge.Situation{situation.SurgeUsedUp(), situation.OnCordoned(), situation.RolledBack(), situation.Restarted()}
}

// goingOn are those of a rollout that has to go on.
func goingOn(knob situation.Knob) []judge.Situation {
	return slices.Concat(course(), []judge.Situation{
		situation.Percentage(knob), situation.Relimited(), situation.Grew(), situation.Shrank(), situation.Waits(), situation.Closed(), situation.CordonedElsewhere(),
	})
}

// eitherWay are those of what is owed during a rollout and without one.
func eitherWay() []judge.Situation {
	return []judge.Situation{situation.Rollout(), situation.NoRollout()}
}

// and joins situations to a list.
func and(list []judge.Situation, more ...judge.Situation) []judge.Situation {
	return slices.Concat(list, more)
}

// handingOver are those of an old pod that has to go, since an updated one is available.
func handingOver() []judge.Situation {
	return slices.Concat(course(), []judge.Situation{
		situation.SeveralSurging(), situation.Relimited(), situation.OnCordoned(), situation.BesideOldUnready(), situation.OnUnknown(),
	})
}
