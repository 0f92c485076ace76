package matchers

import (
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// Moment is an occurrence while it happens, with the cluster as it is then. There is none outside a predicate: see Event.Where.
type Moment struct {
	Occurrence
	cluster *history.Cluster
}

// Owner is the DaemonSet that controls the object, or nil.
func (m Moment) Owner() *appsv1.DaemonSet {
	if m.Object == nil {
		return nil
	}
	owner := metav1.GetControllerOf(m.Object)
	if owner == nil {
		return nil
	}
	return m.cluster.DaemonSets[owner.UID]
}

// PodsBeside are the other pods of the DaemonSet on the pod's node, whatever their phase.
func (m Moment) PodsBeside() []*corev1.Pod {
	owner := m.Owner()
	if owner == nil {
		return nil
	}
	return slices.DeleteFunc(m.cluster.PodsOn(owner.UID, m.Node()), func(pod *corev1.Pod) bool { return pod.UID == m.Pod().UID })
}

// LivePodsBeside are those PodsBeside that are neither terminating nor terminal.
func (m Moment) LivePodsBeside() []*corev1.Pod {
	return slices.DeleteFunc(m.PodsBeside(), func(pod *corev1.Pod) bool { return !history.IsLive(pod) })
}

// LivePods are those of the DaemonSet that the event is about that are neither terminating nor terminal, and that are chosen.
func (m Moment) LivePods(which ...Which) []*corev1.Pod {
	var live []*corev1.Pod
	if m.Object == nil {
		return nil
	}
	daemonSet, chosen := m.Object.GetUID(), all(which)
	for _, node := range m.cluster.NodesOf(daemonSet) {
		for _, pod := range m.cluster.PodsOn(daemonSet, node) {
			if history.IsLive(pod) && chosen.is(m.cluster, pod) {
				live = append(live, pod)
			}
		}
	}
	return live
}

// WasAvailable reports whether the pod was available until this happened.
func (m Moment) WasAvailable() bool {
	before, _ := m.Before.(*corev1.Pod)
	owner := m.Owner()
	return before != nil && owner != nil && history.IsAvailable(before, owner.Spec.MinReadySeconds, m.At)
}

// AvailableBeside counts those PodsBeside that are available.
func (m Moment) AvailableBeside() int {
	available := 0
	for _, pod := range m.PodsBeside() {
		available += boolToInt(history.IsAvailable(pod, m.Owner().Spec.MinReadySeconds, m.At))
	}
	return available
}

// AvailableBefore counts the DaemonSet's pods that were available until this happened.
func (m Moment) AvailableBefore() int {
	owner := m.Owner()
	if owner == nil {
		return 0
	}
	available := boolToInt(m.WasAvailable())
	for _, node := range m.cluster.NodesOf(owner.UID) {
		for _, pod := range m.cluster.PodsOn(owner.UID, node) {
			if pod.UID != m.Pod().UID && history.IsAvailable(pod, owner.Spec.MinReadySeconds, m.At) {
				available++
			}
		}
	}
	return available
}

// Desired is the number of nodes that should run the DaemonSet's pod.
func (m Moment) Desired() int {
	if owner := m.Owner(); owner != nil {
		return m.cluster.Desired(owner.UID)
	}
	return 0
}

// NodeIsEligible reports whether the DaemonSet wants a pod on the node.
func (m Moment) NodeIsEligible() bool {
	owner := m.Owner()
	return owner != nil && m.cluster.Eligibility(owner.UID, m.Node()).ShouldRun
}
