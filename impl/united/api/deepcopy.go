package api

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// DeepCopy returns a copy that shares nothing.
func (u *UnitedDaemonSet) DeepCopy() *UnitedDaemonSet {
	return &UnitedDaemonSet{TypeMeta: u.TypeMeta, ObjectMeta: *u.ObjectMeta.DeepCopy(), Spec: u.Spec.deepCopy(), Status: *u.Status.DeepCopy()}
}

// DeepCopyObject implements runtime.Object.
func (u *UnitedDaemonSet) DeepCopyObject() runtime.Object { return u.DeepCopy() }

// DeepCopyObject implements runtime.Object.
func (l *UnitedDaemonSetList) DeepCopyObject() runtime.Object {
	into := &UnitedDaemonSetList{TypeMeta: l.TypeMeta, ListMeta: *l.ListMeta.DeepCopy()}
	for i := range l.Items {
		into.Items = append(into.Items, *l.Items[i].DeepCopy())
	}
	return into
}

func (s Spec) deepCopy() Spec {
	s.Subsets = copied(s.Subsets, func(subset Subset) Subset {
		subset.Selector.Names = slices.Clone(subset.Selector.Names)
		subset.Selector.MatchExpressions = copied(subset.Selector.MatchExpressions, func(r corev1.NodeSelectorRequirement) corev1.NodeSelectorRequirement {
			return *r.DeepCopy()
		})
		subset.Patch.Template = subset.Patch.Template.DeepCopy()
		return subset
	})
	return s
}

// DeepCopy returns a copy that shares nothing.
func (s *Status) DeepCopy() *Status {
	into := *s
	into.SubsetStatuses = copied(s.SubsetStatuses, func(subset SubsetStatus) SubsetStatus {
		subset.MatchNodes = slices.Clone(subset.MatchNodes)
		return subset
	})
	into.Conditions = copied(s.Conditions, func(condition metav1.Condition) metav1.Condition { return *condition.DeepCopy() })
	return &into
}

// copied returns copies of all; nil of nil.
func copied[T any](all []T, one func(T) T) []T {
	if all == nil {
		return nil
	}
	into := make([]T, len(all))
	for i := range all {
		into[i] = one(all[i])
	}
	return into
}
