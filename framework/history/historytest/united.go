package historytest

import (
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// United creates a UnitedDaemonSet of the target, whose kind is recorded from then on. It has no subsets: OfUnited says whose DaemonSets are.
func (b *Builder) United(name, target string) *history.UnitedDaemonSet {
	object := &history.UnitedDaemonSet{ObjectMeta: b.meta(history.KindUnitedDaemonSet, name)}
	object.Spec.TargetRef = history.UnitedTarget{APIVersion: "apps/v1", Kind: "DaemonSet", Name: target}
	b.h.Kinds = append(b.h.Kinds, history.KindUnitedDaemonSet)
	b.event(history.KindUnitedDaemonSet, watch.Added, object)
	return object
}

// OfUnited makes the DaemonSet one of a subset.
func OfUnited(united *history.UnitedDaemonSet) Option {
	return func(object *appsv1.DaemonSet) {
		object.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(united, history.UnitedGroupVersion().WithKind("UnitedDaemonSet"))}
	}
}
