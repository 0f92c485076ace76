package rollouts

import (
	"context"
	"encoding/json"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

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
	err := c.Do(ctx, history.Stimulus{
		Act: history.BecomeUnready, Kind: history.KindPod, Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID, Node: history.NodeOf(pod), Detail: "Ready Unknown",
	}, func(ctx context.Context) error {
		condition := map[string]any{"type": corev1.PodReady, "status": corev1.ConditionUnknown, "lastTransitionTime": metav1.Now()}
		body, err := json.Marshal(map[string]any{"status": map[string]any{"conditions": []any{condition}}})
		if err != nil {
			return err
		}
		_, err = c.Client().CoreV1().Pods(pod.Namespace).Patch(ctx, pod.Name, types.StrategicMergePatchType, body, metav1.PatchOptions{}, "status")
		return err
	})
	if err != nil {
		c.CannotDecide(fmt.Sprintf("harness: make the Ready condition of pod %s Unknown: %v", pod.Name, err))
	}
	c.Require(ctx, "the pod shows it", state.When("the Ready condition of pod "+pod.Name+" is Unknown", func(cluster *history.Cluster) bool {
		now := cluster.Pods[pod.UID]
		return now == nil || history.Ready(now) != nil && history.Ready(now).Status == corev1.ConditionUnknown
	}))
}
