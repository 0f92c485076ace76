// Package admission has what happens to a DaemonSet before it is stored.
package admission

import (
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/component-base/featuregate"

	"github.com/rollcall-conformance/rollcall/impl/features"
)

// DropDisabledFields removes from after, which is about to be stored in the place of before, the fields of features that are off, unless before uses them
// already: those stay until the user clears them (GATE-005). before is nil for a DaemonSet that is created.
//
// A maxUnavailable of zero is allowed beside a maxSurge only: where that is dropped it becomes one (GATE-004). One that came without, or was left behind by
// a user who cleared maxSurge, stays zero and is for validation to reject (GATE-009).
func DropDisabledFields(gates featuregate.FeatureGate, after, before *appsv1.DaemonSet) {
	if gates.Enabled(features.DaemonSetUpdateSurge) || !surges(after) || surges(before) {
		return
	}
	limits := after.Spec.UpdateStrategy.RollingUpdate
	limits.MaxSurge = nil
	if limits.MaxUnavailable != nil && isZero(limits.MaxUnavailable) {
		one := intstr.FromInt32(1)
		limits.MaxUnavailable = &one
	}
}

// surges says whether ds uses maxSurge: zero is the field's default.
func surges(ds *appsv1.DaemonSet) bool {
	if ds == nil || ds.Spec.UpdateStrategy.RollingUpdate == nil {
		return false
	}
	surge := ds.Spec.UpdateStrategy.RollingUpdate.MaxSurge
	return surge != nil && !isZero(surge)
}

// isZero says whether a limit is zero or 0%. One that cannot be parsed is not, and is for validation to reject.
func isZero(limit *intstr.IntOrString) bool {
	n, err := intstr.GetScaledValueFromIntOrPercent(limit, 100, true)
	return err == nil && n == 0
}
