package disruption

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/rollcall-conformance/rollcall/impl/disruption/observe"
)

// Caches says what the manager's cache keeps of the workloads: not their templates, which are most of them and which nobody asks for but the controller of
// StatefulSets.
func Caches() map[client.Object]cache.ByObject {
	kept := map[client.Object]cache.ByObject{}
	for _, workload := range observe.Workloads() {
		if _, isStatefulSet := workload.(*appsv1.StatefulSet); isStatefulSet {
			continue
		}
		kept[workload] = cache.ByObject{Transform: withoutTemplate}
	}
	return kept
}

func withoutTemplate(object any) (any, error) {
	switch w := object.(type) {
	case *appsv1.Deployment:
		w.Spec.Template = corev1.PodTemplateSpec{}
	case *appsv1.ReplicaSet:
		w.Spec.Template = corev1.PodTemplateSpec{}
	case *corev1.ReplicationController:
		w.Spec.Template = nil
	}
	return cache.TransformStripManagedFields()(object)
}
