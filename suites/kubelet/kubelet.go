// Package kubelet has the specs of what only real nodes can show: readiness probes, crashing containers, images that cannot be pulled, signals, machines
// that go away, and clients that count what they lose.
package kubelet

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// Specs registers the family.
func Specs() {
	readiness()
	broken()
	signals()
	machines()
	controller()
	clients()
}

// updatedPod holds once a pod of the DaemonSet's template is as asked, and keeps it in found.
func updatedPod(daemonSet *appsv1.DaemonSet, found **corev1.Pod, is func(*corev1.Pod) bool) Condition {
	return func(cluster *history.Cluster) bool {
		for _, node := range cluster.NodesOf(daemonSet.UID) {
			for _, pod := range cluster.PodsOn(daemonSet.UID, node) {
				if history.IsLive(pod) && history.MatchesTemplate(pod, &daemonSet.Spec.Template) && is(pod) {
					*found = pod
					return true
				}
			}
		}
		return false
	}
}

// requireUpdated waits for such a pod.
func requireUpdated(ctx context.Context, c *spec.Case, what string, daemonSet *appsv1.DaemonSet, is func(*corev1.Pod) bool) *corev1.Pod {
	var found *corev1.Pod
	c.Require(ctx, what, updatedPod(daemonSet, &found, is))
	return found
}

func present(*corev1.Pod) bool { return true }

// runningUnready tells that the pod's container runs and its probe fails.
func runningUnready(pod *corev1.Pod) bool {
	for _, status := range pod.Status.ContainerStatuses {
		if status.State.Running != nil {
			return !history.IsReady(pod)
		}
	}
	return false
}

// otherThan returns the first node that is not the one given.
func otherThan(node string, nodes []string) string {
	for _, other := range nodes {
		if other != node {
			return other
		}
	}
	return ""
}
