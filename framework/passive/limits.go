package passive

import (
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// limitsOf are a DaemonSet's limits on so many nodes, percentages rounded up.
func limitsOf(ds *appsv1.DaemonSet, nodes int) Limits {
	rolling := ds.Spec.UpdateStrategy.RollingUpdate
	if rolling == nil {
		return Limits{Unavailable: 1}
	}
	limits := Limits{Unavailable: scaled(rolling.MaxUnavailable, nodes), Surge: scaled(rolling.MaxSurge, nodes)}
	if limits == (Limits{}) {
		limits.Unavailable = 1
	}
	return limits
}

func scaled(limit *intstr.IntOrString, nodes int) int {
	if limit == nil {
		return 0
	}
	number, err := intstr.GetScaledValueFromIntOrPercent(limit, nodes, true)
	if err != nil {
		// The API server lets no such limit in.
		return nodes
	}
	return number
}
