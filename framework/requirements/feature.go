package requirements

// The features. The requirements of a feature that an implementation does not claim are reported as unsupported.
const (
	// DaemonSet is the base: the apps/v1 API, placement, rolling update with maxUnavailable, OnDelete, rollover,
	// rollback, status, history and recovery (S2).
	DaemonSet Feature = "DaemonSet"
	// Surge is the rolling update with maxSurge, from the field to its behaviour on drained nodes (S0).
	Surge Feature = "Surge"
	// HostPortRejection is the refusal at admission of host ports together with maxSurge (S0).
	HostPortRejection Feature = "HostPortRejection"
	// RolloutConditions are the conditions and events of a rollout that cannot go on (S0).
	RolloutConditions Feature = "RolloutConditions"
	// SurgeGate is the feature gate DaemonSetUpdateSurge, with its roll-back and roll-forward (S0).
	SurgeGate Feature = "SurgeGate"
	// InPlaceUpdate is updating pods by patching them when nothing but images changes (S1).
	InPlaceUpdate Feature = "InPlaceUpdate"
	// DisruptionBudget is the PodDisruptionBudget API and the computation of its status (S3). Who claims it and is launched by rollcall replaces
	// disruption-controller.
	DisruptionBudget Feature = "DisruptionBudget"
	// Eviction is the eviction subresource of pods under disruption budgets (S3). The API server decides by the status of the budgets, so it is
	// claimed only together with DisruptionBudget.
	Eviction Feature = "Eviction"
	// UnitedDaemonSet is one DaemonSet in different versions on subsets of the nodes (S4).
	UnitedDaemonSet Feature = "UnitedDaemonSet"
	// StatefulSetInPlace is updating pods of StatefulSets by patching them when nothing but images changes (S1). Who claims it and is launched by rollcall
	// replaces statefulset-controller.
	StatefulSetInPlace Feature = "StatefulSetInPlace"
)

// Features returns the closed list of features, the base first.
func Features() []Feature {
	return []Feature{
		DaemonSet, Surge, HostPortRejection, RolloutConditions, SurgeGate, InPlaceUpdate,
		DisruptionBudget, Eviction, UnitedDaemonSet, StatefulSetInPlace,
	}
}
