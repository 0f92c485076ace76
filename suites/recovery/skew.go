package recovery

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// skews are how far nodes' clocks are ahead of the controller's. The last one is the largest: nothing happens but the clock when its pod becomes available.
func skews() []time.Duration {
	return []time.Duration{-30 * time.Second, -2 * time.Second, 2 * time.Second, 10 * time.Second}
}

// skew is the spec of nodes whose clocks are wrong: their pods' Ready conditions have times of theirs.
func skew() {
	spec.It("deletes old pods in time, and ends, with minReadySeconds on nodes whose clocks are ahead of the controller's and behind it",
		spec.Decides("RECOVERY-004"),
		func(ctx context.Context, c *spec.Case) {
			const minReady = 4
			nodes := c.AddNodes(ctx, len(skews()))
			daemonSet := c.Deploy(ctx, MaxSurge("100%"))
			daemonSet = c.Update(ctx, daemonSet, MinReadySeconds(minReady))
			c.RequireAfter(ctx, minReady*time.Second, "the old pods are available", Steady(daemonSet))
			updated := c.Update(ctx, daemonSet, Image("v2"), ReadyAfter(time.Hour))
			c.Require(ctx, "an updated pod runs on every node", UpdatedOn(len(nodes), updated, Running))
			for i, ahead := range skews() {
				readyBy(ctx, c, c.LivePodOn(ctx, updated, nodes[i]), ahead)
			}
			c.AwaitAfter(ctx, skews()[len(nodes)-1]+minReady*time.Second, RolledOut(updated))
		},
		func(j *spec.Checks) {
			available, deleted := PodAvailable(OfVersion("v2")), PodDeleted(OfVersion("v1"))
			j.Decide("RECOVERY-004", OnEveryNode(Within(spec.Prompt, available, deleted)), OnEveryNode(Before(available, deleted)), EndsRolledOut())
		}, spec.Alone{}, spec.SimulatedNodes{})
}

// readyBy makes a pod Ready that would become so only later, at the time of a clock that is ahead by that much.
func readyBy(ctx context.Context, c *spec.Case, pod *corev1.Pod, ahead time.Duration) {
	err := c.Do(ctx, history.Stimulus{
		Act: history.BecomeReady, Kind: history.KindPod, Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID, Node: history.NodeOf(pod),
		Detail: fmt.Sprintf("by a clock that is %+d s ahead", ahead/time.Second),
	}, func(ctx context.Context) error {
		condition := map[string]any{"type": corev1.PodReady, "status": corev1.ConditionTrue, "lastTransitionTime": metav1.NewTime(time.Now().Add(ahead))}
		body, err := json.Marshal(map[string]any{"status": map[string]any{"conditions": []any{condition}}})
		if err != nil {
			return err
		}
		_, err = c.Client().CoreV1().Pods(pod.Namespace).Patch(ctx, pod.Name, types.StrategicMergePatchType, body, metav1.PatchOptions{}, "status")
		return err
	})
	if err != nil {
		c.CannotDecide(fmt.Sprintf("harness: make pod %s Ready: %v", pod.Name, err))
	}
	c.Require(ctx, "the pod is Ready", state.When("pod "+pod.Name+" is Ready or gone", func(cluster *history.Cluster) bool {
		now := cluster.Pods[pod.UID]
		return now == nil || history.IsReady(now)
	}))
}
