package surge

import (
	"context"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// deduplicated is where every node has one pod again, and a rollout begins.
const deduplicated history.Mark = "the second pods are gone"

// opened is where a node that has its pod becomes eligible.
const opened history.Mark = "the node becomes eligible"

// duplicates are the specs of a second pod of one revision on a node, and of one that there must not be.
func duplicates() {
	spec.It("deletes the younger of two pods of one revision on a node",
		spec.Decides("SURGE-010"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 2)
			daemonSet := c.Deploy(ctx, MaxSurge("1"))
			first, second := c.LivePodOn(ctx, daemonSet, nodes[0]), c.LivePodOn(ctx, daemonSet, nodes[1])
			c.Bind("originals", first.Name, second.Name)
			// By the time that a controller sees them, this twin is as available as the pod that it is one of, younger, and its container has never been restarted.
			c.Pods.RestartContainer(ctx, second, second.Spec.Containers[0].Name)
			c.Kill(ctx)
			c.Await(ctx, Past(second.CreationTimestamp.Add(2*time.Second)))
			rollouts.Twin(ctx, c, second, "ready-twin")
			c.Require(ctx, "both pods on the node are Ready", state.When("two pods on "+nodes[1]+" are Ready", func(cluster *history.Cluster) bool {
				pods := cluster.PodsOn(daemonSet.UID, nodes[1])
				return len(pods) == 2 && history.IsReady(pods[0]) && history.IsReady(pods[1])
			}))
			c.Restart(ctx)
			c.Await(ctx, RolledOut(daemonSet))
			rollouts.Twin(ctx, c, first, "twin")
			c.Await(ctx, RolledOut(daemonSet))
			c.Await(ctx, Quiet(2*time.Second))
			c.Mark(deduplicated)
			updated := stall(ctx, c, daemonSet, 1)
			rollouts.Twin(ctx, c, c.RequireUpdated(ctx, "an updated pod runs", updated, Running, NotReady), "unready-twin")
			c.Await(ctx, Quiet(time.Second))
			c.Await(ctx, state.When("the second updated pod is gone", func(cluster *history.Cluster) bool {
				return !slices.ContainsFunc(cluster.UpdatedPods(updated), func(pod *corev1.Pod) bool { return pod.Name == "unready-twin" })
			}))
			rollouts.Finish(ctx, c, updated)
		},
		func(j *spec.Checks) {
			j.Decide("SURGE-010",
				Within(spec.AtOnce, PodCreated(Named("twin")), PodDeleted(Named("twin"))),
				Within(spec.AtOnce, PodCreated(Named("unready-twin")), PodDeleted(Named("unready-twin"))),
				Before(PodDeleted(Named("ready-twin")), Marked(deduplicated)))
			for _, original := range j.BoundAll("originals") {
				j.Decide("SURGE-010", NeverBetween(PodCreated(Named("ready-twin")), Marked(deduplicated), PodDeleted(Named(original))))
			}
		}, spec.SimulatedNodes{}, spec.Alone{})

	spec.It("makes no second pod on a node whose pod came back under the name of the one that was deleted there",
		spec.Decides("SURGE-010", "SURGE-014"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 2, rollouts.InPool)
			daemonSet := c.Deploy(ctx, MaxSurge("1"), rollouts.OnPool())
			pod := c.LivePodOn(ctx, daemonSet, nodes[1])
			rollouts.LeavePool(ctx, c, nodes[1])
			c.Require(ctx, "the node's pod is gone", rollouts.NoPodOn(daemonSet, nodes[1]))
			// The node may keep a pod, and is to get none.
			rollouts.TaintNodes(ctx, c, nodes[1])
			rollouts.JoinPool(ctx, c, nodes[1])
			// By then everybody knows that, and that the pod is gone.
			c.Await(ctx, Quiet(3*time.Second))
			rollouts.Twin(ctx, c, pod, pod.Name)
			c.Require(ctx, "the pod is back, and Ready", state.When("a pod on "+nodes[1]+" is Ready", func(cluster *history.Cluster) bool {
				return slices.ContainsFunc(cluster.PodsOn(daemonSet.UID, nodes[1]), history.IsReady)
			}))
			c.Await(ctx, Quiet(3*time.Second))
			c.Mark(opened)
			rollouts.UntaintNodes(ctx, c, nodes[1])
			c.Await(ctx, Quiet(spec.AtOnce))
		},
		func(j *spec.Checks) {
			j.Given(NeverBetween(Done(history.CreatePod), Marked(opened), PodDeleted()), AtLeast(1, Done(history.UntaintNode)))
			created, deleted := After(PodCreated(), Marked(opened)), After(PodDeleted(), Marked(opened))
			j.Decide("SURGE-010", Never(created))
			j.Decide("SURGE-014", Never(created), Never(deleted))
		}, spec.SimulatedNodes{})
}
