package conditions

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// The reasons of Events about pods.
const (
	created, removed  = "SuccessfulCreate", "SuccessfulDelete"
	failed, succeeded = "FailedDaemonPod", "SucceededDaemonPod"
)

// The pods that end.
const (
	failing    = "the pods that fail"
	succeeding = "the pod that succeeds"
)

// events is the spec of the Events about pods. There are fewer than ten of each kind: Kubernetes' recorders take more together.
func events() {
	spec.It("reports on the DaemonSet each pod that it creates or deletes, and each that failed or succeeded",
		spec.Decides("COND-004"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			daemonSet := c.Deploy(ctx, MaxUnavailable("1"))
			c.RollOut(ctx, daemonSet, Image("v2"))
			pods := c.LivePods(ctx, daemonSet)
			c.Bind(succeeding, pods[1].Name)
			c.Pods.Fail(ctx, pods[0])
			c.Pods.Succeed(ctx, pods[1])
			c.Await(ctx, state.When("both are replaced", func(cluster *history.Cluster) bool {
				return cluster.Pods[pods[0].UID] == nil && cluster.Pods[pods[1].UID] == nil
			}))
			c.Await(ctx, RolledOut(daemonSet))
			// The one in its place fails, too.
			again := c.LivePodOn(ctx, daemonSet, history.NodeOf(pods[0]))
			c.Bind(failing, pods[0].Name, again.Name)
			c.Pods.Fail(ctx, again)
			c.Await(ctx, state.When("it is replaced", func(cluster *history.Cluster) bool { return cluster.Pods[again.UID] == nil }))
			c.Await(ctx, RolledOut(daemonSet))
			// Two each for the DaemonSet and its rollout, and the pods that ended.
			c.Await(ctx, state.All(reports(daemonSet, created, 7), reports(daemonSet, removed, 5), reports(daemonSet, failed, 2), reports(daemonSet, succeeded, 1)))
		},
		func(j *spec.Checks) {
			ended := func(name string) Event { return PodDeleted(Named(name)) }
			j.Decide("COND-004",
				EachReported(PodCreated(), created), EachReported(PodDeleted(), removed),
				EachReported(ended(j.Bound(succeeding)), succeeded))
			for _, pod := range j.BoundAll(failing) {
				j.Decide("COND-004", EachWarnedOf(ended(pod), failed))
			}
		}, spec.SimulatedNodes{})
}

// together is the spec of pods that a controller sees to have failed at the same time.
func together() {
	spec.It("reports on the DaemonSet each of two pods that failed while it was away",
		spec.Decides("COND-004"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			daemonSet := c.Deploy(ctx, MaxUnavailable("1"))
			pods := c.LivePods(ctx, daemonSet)
			c.Bind(failing, pods[0].Name, pods[1].Name)
			c.Kill(ctx)
			for _, pod := range pods {
				c.Pods.Fail(ctx, pod)
			}
			c.Restart(ctx)
			c.Await(ctx, state.When("both are replaced", func(cluster *history.Cluster) bool {
				return cluster.Pods[pods[0].UID] == nil && cluster.Pods[pods[1].UID] == nil
			}))
			c.Await(ctx, RolledOut(daemonSet))
			c.Await(ctx, reports(daemonSet, failed, 2))
		},
		func(j *spec.Checks) {
			for _, pod := range j.BoundAll(failing) {
				j.Decide("COND-004", EachWarnedOf(PodDeleted(Named(pod)), failed))
			}
		}, spec.Alone{}, spec.SimulatedNodes{})
}

// reports holds when there are that many Events with the reason on the DaemonSet.
func reports(daemonSet *appsv1.DaemonSet, reason string, count int) Condition {
	return state.When(fmt.Sprintf("%d %s Events", count, reason), func(cluster *history.Cluster) bool {
		found := map[string]bool{}
		for _, event := range cluster.Reports[daemonSet.UID] {
			if event.Reason == reason {
				found[event.Name] = true
			}
		}
		return len(found) >= count
	})
}
