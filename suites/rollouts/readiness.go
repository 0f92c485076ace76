package rollouts

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// Hour is a minReadySeconds that no spec waits out.
const Hour = 3600

// LongReady makes the pods available, though minReadySeconds be an hour. It takes a simulated node.
func LongReady(ctx context.Context, c *spec.Case, pods ...*corev1.Pod) {
	for _, pod := range pods {
		c.Pods.SetReadySince(ctx, pod, time.Now().Add(-2*Hour*time.Second))
	}
}

// LoseReadiness makes the DaemonSet's pods on the nodes not Ready, and waits until the controller must know. On simulated nodes every second one's Ready
// condition becomes Unknown, as for a node that is not heard from; the others' becomes False.
func LoseReadiness(ctx context.Context, c *spec.Case, daemonSet *appsv1.DaemonSet, nodes ...string) {
	for i, node := range nodes {
		pod := c.LivePodOn(ctx, daemonSet, node)
		c.Pods.BecomeUnready(ctx, pod)
		if i%2 == 1 && c.NodeKind() == Simulated {
			BecomeUnknown(ctx, c, pod)
		}
	}
	c.Await(ctx, Quiet(moment))
}

// BecomeUnknown makes the Ready condition of a pod that is not Ready Unknown instead of False. It takes a simulated node: a kubelet would put it right.
func BecomeUnknown(ctx context.Context, c *spec.Case, pod *corev1.Pod) {
	WriteReady(ctx, c, pod, history.BecomeUnready, corev1.ConditionUnknown, time.Now(), "Ready Unknown")
}

// WriteReady carries out the act by writing the Ready condition of the pod, with a transition at that time, and waits until the pod shows it or is gone. It
// takes a simulated node: a kubelet would put it right. detail says to a reader what is special.
func WriteReady(ctx context.Context, c *spec.Case, pod *corev1.Pod, act history.Act, status corev1.ConditionStatus, since time.Time, detail string) {
	writeStatus(ctx, c, pod, act, detail, map[string]any{"conditions": []any{readyAs(status, since)}})
	c.Require(ctx, "the pod shows it", state.When(fmt.Sprintf("the Ready condition of pod %s is %s", pod.Name, status), func(cluster *history.Cluster) bool {
		now := cluster.Pods[pod.UID]
		if now == nil || history.Ready(now) == nil {
			return now == nil
		}
		// Of a patched pod that has yet to be restarted it is not believed.
		unbelieved := status == corev1.ConditionTrue && history.Ready(now).Reason == history.NotRestarted
		return history.Ready(now).Status == status || unbelieved
	}))
}

// OpenGate lets a pod become Ready whose containers have been ready since that time, by the condition that is its readiness gate. It takes a simulated node: a
// kubelet would put the time right.
func OpenGate(ctx context.Context, c *spec.Case, pod *corev1.Pod, gate corev1.PodConditionType, since time.Time) {
	writeStatus(ctx, c, pod, history.BecomeReady, "its readiness gate opens", map[string]any{"conditions": []any{
		map[string]any{"type": corev1.ContainersReady, "status": corev1.ConditionTrue, "lastTransitionTime": metav1.NewTime(since)},
		map[string]any{"type": gate, "status": corev1.ConditionTrue, "lastTransitionTime": metav1.Now()},
	}})
	c.Require(ctx, "the pod shows it", state.When("pod "+pod.Name+" is Ready", func(cluster *history.Cluster) bool {
		now := cluster.Pods[pod.UID]
		return now == nil || history.IsReady(now)
	}))
}

// CloseGate keeps a pod from being Ready by the condition that is its readiness gate.
func CloseGate(ctx context.Context, c *spec.Case, pod *corev1.Pod, gate corev1.PodConditionType) {
	writeStatus(ctx, c, pod, history.BecomeUnready, "its readiness gate closes", map[string]any{"conditions": []any{
		map[string]any{"type": gate, "status": corev1.ConditionFalse, "lastTransitionTime": metav1.Now()},
	}})
	c.Require(ctx, "the pod shows it", state.When("pod "+pod.Name+" says that it is not Ready", func(cluster *history.Cluster) bool {
		now := cluster.Pods[pod.UID]
		if now == nil {
			return true
		}
		ready := history.Ready(now)
		return ready != nil && ready.Status != corev1.ConditionTrue && ready.Reason != history.NotRestarted
	}))
}

// ObserveGeneration has the pod's kubelet say that it has seen the pod as it was in that generation.
func ObserveGeneration(ctx context.Context, c *spec.Case, pod *corev1.Pod, generation int64) {
	writeStatus(ctx, c, pod, history.ObserveUpdate, fmt.Sprintf("of generation %d", generation), map[string]any{"observedGeneration": generation})
}

// EvictByKubelet makes a pod fail as one that its kubelet evicts. It takes a simulated node.
func EvictByKubelet(ctx context.Context, c *spec.Case, pod *corev1.Pod) {
	writeStatus(ctx, c, pod, history.FailPod, "evicted by its kubelet", map[string]any{
		"phase": corev1.PodFailed, "reason": "Evicted", "conditions": []any{readyAs(corev1.ConditionFalse, time.Now())},
	})
	c.Require(ctx, "the pod shows it", state.When("pod "+pod.Name+" has failed", func(cluster *history.Cluster) bool {
		now := cluster.Pods[pod.UID]
		return now == nil || now.Status.Phase == corev1.PodFailed
	}))
}

func readyAs(status corev1.ConditionStatus, since time.Time) map[string]any {
	return map[string]any{"type": corev1.PodReady, "status": status, "lastTransitionTime": metav1.NewTime(since)}
}

// writeStatus carries out the act by a change of the pod's status.
func writeStatus(ctx context.Context, c *spec.Case, pod *corev1.Pod, act history.Act, detail string, status map[string]any) {
	err := c.Do(ctx, history.Stimulus{
		Act: act, Kind: history.KindPod, Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID, Node: history.NodeOf(pod), Detail: detail,
	}, func(ctx context.Context) error {
		body, err := json.Marshal(map[string]any{"status": status})
		if err != nil {
			return err
		}
		_, err = c.Client().CoreV1().Pods(pod.Namespace).Patch(ctx, pod.Name, types.StrategicMergePatchType, body, metav1.PatchOptions{}, "status")
		return err
	})
	// Whoever waits for what was written waits no longer once the pod is gone.
	if err != nil && !apierrors.IsNotFound(err) {
		c.CannotDecide(fmt.Sprintf("harness: write the status of pod %s, %s: %v", pod.Name, detail, err))
	}
}
