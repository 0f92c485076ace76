package history

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// expectedScale is the sum of the replicas of the workloads that control the pods, each counted once; false if one of them is not known.
func (c *Cluster) expectedScale(pods []*corev1.Pod) (sum int32, known bool) {
	counted := map[types.UID]bool{}
	for _, pod := range pods {
		if metav1.GetControllerOf(pod) == nil {
			// Nothing stands behind it that could be counted, and one that has ended needs nothing.
			continue
		}
		workload, replicas, ok := c.scaleOf(pod)
		if !ok {
			return 0, false
		}
		if !counted[workload] {
			counted[workload] = true
			sum += replicas
		}
	}
	return sum, true
}

// scaleOf returns the workload that controls the pod and its replicas: the Deployment, where that controls the pod's ReplicaSet and is there, and the ReplicaSet,
// whatever else controls it. It is false where the recording does not have it, and where it has no scale.
func (c *Cluster) scaleOf(pod *corev1.Pod) (workload types.UID, replicas int32, known bool) {
	owner := metav1.GetControllerOf(pod)
	if owner == nil {
		return "", 0, false
	}
	switch object := c.objects[kindNamed(owner)][string(owner.UID)].(type) {
	case *appsv1.StatefulSet:
		return object.UID, replicasOf(object.Spec.Replicas), true
	case *corev1.ReplicationController:
		return object.UID, replicasOf(object.Spec.Replicas), true
	case *appsv1.ReplicaSet:
		above := metav1.GetControllerOf(object)
		if above == nil || kindNamed(above) != KindDeployment {
			return object.UID, replicasOf(object.Spec.Replicas), true
		}
		deployments, recorded := c.objects[KindDeployment]
		if deployment, ok := deployments[string(above.UID)].(*appsv1.Deployment); ok {
			return deployment.UID, replicasOf(deployment.Spec.Replicas), true
		}
		// Once there were Deployments, one that is missing is gone.
		return object.UID, replicasOf(object.Spec.Replicas), recorded
	}
	return "", 0, false
}

// replicasOf is the number that a workload asks for: one, if it does not say.
func replicasOf(replicas *int32) int32 {
	if replicas == nil {
		return 1
	}
	return *replicas
}
