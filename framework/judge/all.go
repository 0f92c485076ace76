package judge

// All returns the standing invariants, in the order in which a reader of a report expects them.
func All() []Judge {
	return []Judge{
		AvailableMeans(),
		SurgeBound(), SurgeHandOff(), SurgeZeroDowntime(), SurgeTwoPods(), SurgeOnePerRevision(), SurgeLastAvailable(),
		RollingFloor(), RollingOnePod(),
		StatusBound(), StatusUnavailable(), StatusOrder(),
		HistoryCurrent(), HistoryLive(),
		Bystanders(),
	}
}
