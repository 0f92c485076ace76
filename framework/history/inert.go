package history

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// MarkAnnotation is changed on an object to make an event that means nothing to anybody but a recorder that proves its recording complete.
const MarkAnnotation = "rollcall.dev/end-of-recording"

func inertMeta() metav1.ObjectMeta { return metav1.ObjectMeta{Name: "rollcall-end-of-recording"} }

func inertLabels() map[string]string { return map[string]string{MarkAnnotation: ""} }

func inertSelector() *metav1.LabelSelector { return &metav1.LabelSelector{MatchLabels: inertLabels()} }

func inertTemplate() corev1.PodTemplateSpec {
	return corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: inertLabels()},
		// No node has the label, so nothing is ever run.
		Spec: corev1.PodSpec{NodeSelector: inertLabels(), Containers: []corev1.Container{{Name: "none", Image: "rollcall.dev/none"}}},
	}
}

func inertDaemonSet() *appsv1.DaemonSet {
	return &appsv1.DaemonSet{ObjectMeta: inertMeta(), Spec: appsv1.DaemonSetSpec{Selector: inertSelector(), Template: inertTemplate()}}
}

func inertStatefulSet() *appsv1.StatefulSet {
	return &appsv1.StatefulSet{
		ObjectMeta: inertMeta(), Spec: appsv1.StatefulSetSpec{Replicas: new(int32), Selector: inertSelector(), Template: inertTemplate()},
	}
}

func inertReplicaSet() *appsv1.ReplicaSet {
	return &appsv1.ReplicaSet{
		ObjectMeta: inertMeta(), Spec: appsv1.ReplicaSetSpec{Replicas: new(int32), Selector: inertSelector(), Template: inertTemplate()},
	}
}

// inertDeployment is paused, so that it makes no ReplicaSet.
func inertDeployment() *appsv1.Deployment {
	return &appsv1.Deployment{
		ObjectMeta: inertMeta(),
		Spec:       appsv1.DeploymentSpec{Replicas: new(int32), Selector: inertSelector(), Template: inertTemplate(), Paused: true},
	}
}

func inertReplicationController() *corev1.ReplicationController {
	template := inertTemplate()
	return &corev1.ReplicationController{
		ObjectMeta: inertMeta(), Spec: corev1.ReplicationControllerSpec{Replicas: new(int32), Selector: inertLabels(), Template: &template},
	}
}

func inertPod() *corev1.Pod {
	spec := inertTemplate().Spec
	spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: MarkAnnotation}}
	return &corev1.Pod{ObjectMeta: inertMeta(), Spec: spec}
}

func inertRevision() *appsv1.ControllerRevision {
	return &appsv1.ControllerRevision{ObjectMeta: inertMeta(), Data: runtime.RawExtension{Raw: []byte("{}")}, Revision: 1}
}

func inertBudget() *policyv1.PodDisruptionBudget {
	return &policyv1.PodDisruptionBudget{ObjectMeta: inertMeta(), Spec: policyv1.PodDisruptionBudgetSpec{Selector: inertSelector()}}
}
