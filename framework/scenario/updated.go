package scenario

import (
	"context"
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// Trait is what a pod is asked for: history.IsReady is one, too.
type Trait = func(*corev1.Pod) bool

// NotReady reports whether the pod is not Ready.
func NotReady(pod *corev1.Pod) bool { return !history.IsReady(pod) }

// Running reports whether the pod's containers have been started.
func Running(pod *corev1.Pod) bool { return pod.Status.Phase == corev1.PodRunning }

// ContainersReady reports whether all containers of the pod are ready, whatever its readiness gates say.
func ContainersReady(pod *corev1.Pod) bool {
	return slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.ContainersReady && c.Status == corev1.ConditionTrue
	})
}

// OnNode is the trait of being bound to the node.
func OnNode(node string) Trait {
	return func(pod *corev1.Pod) bool { return history.NodeOf(pod) == node }
}

// NotOnNode is the trait of being bound to another node.
func NotOnNode(node string) Trait {
	return func(pod *corev1.Pod) bool { return history.NodeOf(pod) != node }
}

// AwaitUpdated waits as Await does until the DaemonSet has a live pod of its template with all the traits, and returns it; nil if none came.
func (s *Scenario) AwaitUpdated(ctx context.Context, daemonSet *appsv1.DaemonSet, traits ...Trait) *corev1.Pod {
	s.tb.Helper()
	var found *corev1.Pod
	s.Await(ctx, findUpdated(&found, daemonSet, traits))
	return found
}

// RequireUpdated waits as Require does for such a pod, and returns it.
func (s *Scenario) RequireUpdated(ctx context.Context, what string, daemonSet *appsv1.DaemonSet, traits ...Trait) *corev1.Pod {
	s.tb.Helper()
	var found *corev1.Pod
	s.Require(ctx, what, findUpdated(&found, daemonSet, traits))
	return found
}

// BecomeReadyInTurn makes that many updated pods ready, each as soon as it runs, and returns early when no more come: whether they should have is for
// the judges of the recording.
func (s *Scenario) BecomeReadyInTurn(ctx context.Context, daemonSet *appsv1.DaemonSet, count int) {
	s.tb.Helper()
	for range count {
		pod := s.AwaitUpdated(ctx, daemonSet, Running, NotReady)
		if pod == nil {
			return
		}
		s.Pods.BecomeReady(ctx, pod)
	}
}

// UpdatedOn holds while at least that many nodes have such a pod.
func UpdatedOn(count int, daemonSet *appsv1.DaemonSet, traits ...Trait) Condition {
	return Condition{Text: fmt.Sprintf("%d nodes have an updated pod as wanted", count), Unmet: func(cluster *history.Cluster) string {
		nodes := sets.New[string]()
		for _, pod := range liveUpdated(cluster, daemonSet, traits) {
			nodes.Insert(history.NodeOf(pod))
		}
		if nodes.Len() < count {
			return fmt.Sprintf("%d of %d nodes have an updated pod as wanted; %d live updated pods in all", nodes.Len(), count, len(liveUpdated(cluster, daemonSet, nil)))
		}
		return ""
	}}
}

func findUpdated(found **corev1.Pod, daemonSet *appsv1.DaemonSet, traits []Trait) Condition {
	return Condition{Text: "there is an updated pod as wanted", Unmet: func(cluster *history.Cluster) string {
		pods := liveUpdated(cluster, daemonSet, traits)
		if len(pods) == 0 {
			return fmt.Sprintf("none of %d live updated pods is as wanted", len(liveUpdated(cluster, daemonSet, nil)))
		}
		*found = pods[0]
		return ""
	}}
}

func liveUpdated(cluster *history.Cluster, daemonSet *appsv1.DaemonSet, traits []Trait) []*corev1.Pod {
	var live []*corev1.Pod
	for _, pod := range cluster.UpdatedPods(daemonSet) {
		if history.IsLive(pod) && hasAll(pod, traits) {
			live = append(live, pod)
		}
	}
	return live
}

func hasAll(pod *corev1.Pod, traits []Trait) bool {
	for _, has := range traits {
		if !has(pod) {
			return false
		}
	}
	return true
}
