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
	failing    = "the pod that fails"
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
			c.Bind(failing, pods[0].Name)
			c.Bind(succeeding, pods[1].Name)
			c.Pods.Fail(ctx, pods[0])
			c.Pods.Succeed(ctx, pods[1])
			c.Await(ctx, state.When("both are replaced", func(cluster *history.Cluster) bool {
				return cluster.Pods[pods[0].UID] == nil && cluster.Pods[pods[1].UID] == nil
			}))
			c.Await(ctx, RolledOut(daemonSet))
			// Two each for the DaemonSet, its rollout, and the pods that ended.
			c.Await(ctx, state.All(reports(daemonSet, created, 6), reports(daemonSet, removed, 4), reports(daemonSet, failed, 1), reports(daemonSet, succeeded, 1)))
		},
		func(j *spec.Checks) {
			ended := func(name string) Event { return PodDeleted(Named(j.Bound(name))) }
			j.Decide("COND-004",
				EachReported(PodCreated(), created), EachReported(PodDeleted(), removed),
				EachReported(ended(failing), failed), EachReported(ended(succeeding), succeeded))
		}, spec.SimulatedNodes{})
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
