package rollouts

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	. "github.com/rollcall-conformance/rollcall/framework/matchers"
)

// PodChanged happens when what a pod is changes, or what it says of itself, other than its status.
func PodChanged() Event {
	return Written().Where("that changes a pod, other than its status", func(m Moment) bool {
		before, existed := m.Before.(*corev1.Pod)
		after, exists := m.Object.(*corev1.Pod)
		return existed && exists && !(equality.Semantic.DeepEqual(before.Spec, after.Spec) && sameIdentity(&before.ObjectMeta, &after.ObjectMeta))
	})
}

func sameIdentity(a, b *metav1.ObjectMeta) bool {
	return equality.Semantic.DeepEqual(a.Labels, b.Labels) && equality.Semantic.DeepEqual(a.Annotations, b.Annotations) &&
		equality.Semantic.DeepEqual(a.OwnerReferences, b.OwnerReferences)
}
