package disruption

import (
	"testing"

	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func TestTemplatesOfWorkloadsAreNotKept(t *testing.T) {
	meta := metav1.ObjectMeta{Name: "web", ManagedFields: []metav1.ManagedFieldsEntry{{Manager: "somebody"}}}
	template := corev1.PodTemplateSpec{Spec: corev1.PodSpec{NodeName: "node"}}
	replicas := ptr.To(int32(3))
	named := metav1.ObjectMeta{Name: "web"}
	for _, c := range []struct{ object, kept client.Object }{
		{&appsv1.Deployment{ObjectMeta: meta, Spec: appsv1.DeploymentSpec{Replicas: replicas, Template: template}}, &appsv1.Deployment{ObjectMeta: named, Spec: appsv1.DeploymentSpec{Replicas: replicas}}},
		{&appsv1.ReplicaSet{ObjectMeta: meta, Spec: appsv1.ReplicaSetSpec{Replicas: replicas, Template: template}}, &appsv1.ReplicaSet{ObjectMeta: named, Spec: appsv1.ReplicaSetSpec{Replicas: replicas}}},
		{&corev1.ReplicationController{ObjectMeta: meta, Spec: corev1.ReplicationControllerSpec{Replicas: replicas, Template: &template}},
			&corev1.ReplicationController{ObjectMeta: named, Spec: corev1.ReplicationControllerSpec{Replicas: replicas}}},
	} {
		g := NewWithT(t)
		g.Expect(withoutTemplate(c.object)).To(Equal(c.kept))
	}
	NewWithT(t).Expect(Caches()).To(HaveLen(3))
}
