// Package rollout holds the rules about which pods are created and deleted, where, and when.
package rollout

import "github.com/rollcall-conformance/rollcall/framework/judge"

// Rules returns all of the package, the most specific cause first.
func Rules() []judge.Rule {
	return []judge.Rule{
		AvailableUndated(), AvailableMeans(), AvailableByClock(), AvailableAtOnce(),
		CreatedWhole(), TargetNodes(), UnreadyCurrent(), RolloverNewest(), TargetCurrent(),
		SurgeBound(), SurgeHandOff(), SurgeZeroDowntime(), SurgeTwoPods(), SurgeOnePerRevision(), SurgeLastAvailable(),
		UnreadyReplaced(), UnreadyDeleted(), UnreadyEvicted(), DrainDeleted(), DrainEvicted(), SurgeFills(),
		SurgeHandOver(), SurgeUnserved(), SurgeStarts(), SurgeGoesOn(),
		RollingCountsOld(), RollingCountsEmpty(), RollingCountsUpdated(), RollingFloor(), RollingOnePod(), DrainWaits(), RollingGoesOn(),
		TargetLabels(), DrainTainted(), SurgeRepelled(), SurgeSpares(), SurgeBacksOff(), TargetBacksOff(),
		RollingKeepsCurrent(), OnDeleteKeepsOld(), OnDeleteRefills(), Bystanders(),
	}
}
