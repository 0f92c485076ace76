package plan

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// limits are the two knobs of a rolling update as numbers of nodes.
type limits struct {
	// surging says that a node may have two pods at all, even while maxSurge, with no eligible node, is zero.
	surging                  bool
	maxSurge, maxUnavailable int
}

// limitsOf scales the knobs of ds to desired, the number of eligible nodes. Percentages round up, so that any
// percentage above zero gives at least one (SURGE-003, ROLLING-003). With OnDelete all limits are zero (SURGE-015).
func limitsOf(ds *appsv1.DaemonSet, desired int) (limits, error) {
	if ds.Spec.UpdateStrategy.Type != appsv1.RollingUpdateDaemonSetStrategyType {
		return limits{}, nil
	}
	surge, unavailable := intstr.FromInt32(0), intstr.FromInt32(1)
	if knobs := ds.Spec.UpdateStrategy.RollingUpdate; knobs != nil {
		if knobs.MaxSurge != nil {
			surge = *knobs.MaxSurge
		}
		if knobs.MaxUnavailable != nil {
			unavailable = *knobs.MaxUnavailable
		}
	}
	var l limits
	var err error
	if l.maxSurge, err = intstr.GetScaledValueFromIntOrPercent(&surge, desired, true); err != nil {
		return limits{}, fmt.Errorf("spec.updateStrategy.rollingUpdate.maxSurge %q: %w", surge.String(), err)
	}
	if l.maxUnavailable, err = intstr.GetScaledValueFromIntOrPercent(&unavailable, desired, true); err != nil {
		return limits{}, fmt.Errorf("spec.updateStrategy.rollingUpdate.maxUnavailable %q: %w", unavailable.String(), err)
	}
	// Of one node, to tell "surge of nothing" from "no surge".
	ofOne, err := intstr.GetScaledValueFromIntOrPercent(&surge, 1, true)
	if err != nil {
		return limits{}, fmt.Errorf("spec.updateStrategy.rollingUpdate.maxSurge %q: %w", surge.String(), err)
	}
	l.surging = ofOne > 0
	if !l.surging && l.maxUnavailable == 0 && desired > 0 {
		// Not to be had from an API server; standing still for ever would be the worst reading of it.
		l.maxUnavailable = 1
	}
	return l, nil
}
