package rollover

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// both are the nodes that have a pod of the first and one of the second template.
const both = "the nodes that surge"

// surgingNodes are the nodes that have two pods of the DaemonSet.
func surgingNodes(ctx context.Context, c *spec.Case, pods []*corev1.Pod) []string {
	count := map[string]int{}
	var nodes []string
	for _, pod := range pods {
		node := history.NodeOf(pod)
		if count[node]++; count[node] == 2 {
			nodes = append(nodes, node)
		}
	}
	if len(nodes) == 0 {
		c.CannotDecide("no node has two pods")
	}
	return nodes
}

// firstIsKept asks ROLLOVER-002 of the nodes that surge.
func firstIsKept(j *spec.Checks) {
	for _, node := range j.BoundAll(both) {
		j.Decide("ROLLOVER-002",
			AtLeast(1, PodDeleted(OfVersion("v2")).On(node)),
			Before(PodAvailable(OfVersion("v3")).On(node), PodDeleted(OfVersion("v1")).On(node)))
	}
}

// stalled is the spec of a surge rollout that stands still when it is overtaken.
func stalled() {
	spec.It("replaces surge pods that do not become Ready by those of another template, and keeps the old pods until these are available",
		spec.Decides("ROLLOVER-001", "ROLLOVER-002", "PAUSE-007", "SURGE-016"),
		func(ctx context.Context, c *spec.Case) {
			c.TakeNodes(ctx, NodeCount{Least: 2, Likes: 4})
			updated := rollouts.Stall(ctx, c, c.Deploy(ctx, MaxSurge("2")), "v2", 2)
			c.Bind(both, surgingNodes(ctx, c, c.LivePods(ctx, updated))...)
			c.Mark(third)
			c.RollOut(ctx, updated, Image("v3"), Healthy())
		},
		func(j *spec.Checks) {
			firstIsKept(j)
			j.Decide("PAUSE-007", EndsRolledOut(), OnEveryNode(Before(PodAvailable(OfVersion("v3")), PodDeleted(OfVersion("v1")))))
		})
}

// waiting is the spec of a surge rollout whose pods wait for the scheduler when it is overtaken.
func waiting() {
	spec.It("replaces surge pods that wait for the scheduler by those of another template, and keeps the old pods until these are available",
		spec.Decides("ROLLOVER-002"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			updated := rollouts.Unscheduled(ctx, c, c.Deploy(ctx, MaxSurge("2")), 2)
			c.Bind(both, surgingNodes(ctx, c, c.LivePods(ctx, updated))...)
			c.Mark(third)
			c.RollOut(ctx, updated, Image("v3"), rollouts.Fitting())
		}, firstIsKept, spec.SimulatedNodes{})
}

// young is the spec of a surge rollout that is overtaken when its pods are Ready, and not available for as long as the scenario takes.
func young() {
	spec.It("replaces surge pods that are Ready, but not yet available, by those of another template, and keeps the old pods until these are available",
		spec.Decides("ROLLOVER-001", "ROLLOVER-002", "SURGE-016"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			daemonSet := c.Deploy(ctx, MaxSurge("2"))
			rollouts.LongReady(ctx, c, c.LivePods(ctx, daemonSet)...)
			updated := c.Update(ctx, daemonSet, Image("v2"), MinReadySeconds(rollouts.Hour))
			rollouts.Settle(ctx, c, updated, UpdatedOn(2, updated, history.IsReady))
			c.Bind(both, surgingNodes(ctx, c, c.LivePods(ctx, updated))...)
			c.Mark(third)
			newest := c.Update(ctx, updated, Image("v3"))
			// Long enough to see an old pod go that has to stay.
			rollouts.Settle(ctx, c, newest, UpdatedOn(2, newest, history.IsReady))
			for range 2 {
				if pod := c.AwaitUpdated(ctx, newest, notYetAvailable); pod != nil {
					rollouts.LongReady(ctx, c, pod)
				}
			}
			c.Await(ctx, RolledOut(newest))
		}, firstIsKept, spec.SimulatedNodes{})
}

// notYetAvailable is the trait of being Ready, and not for an hour.
func notYetAvailable(pod *corev1.Pod) bool {
	from, known := history.AvailableFrom(pod, rollouts.Hour)
	return known && from.After(time.Now())
}

// handedOver is the spec of a hand-over that is overtaken before the old pod is deleted.
func handedOver() {
	spec.It("keeps the available pod of the second template when a third one overtakes it while that of the first is not Ready",
		spec.Decides("ROLLOVER-003"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			daemonSet := c.Deploy(ctx, MaxSurge("2"))
			stalled := rollouts.Stall(ctx, c, daemonSet, "v2", 2)
			node := surgingNodes(ctx, c, c.LivePods(ctx, stalled))[0]
			var old, updated *corev1.Pod
			for _, pod := range c.LivePods(ctx, stalled) {
				switch {
				case history.NodeOf(pod) != node:
				case history.MatchesTemplate(pod, &stalled.Spec.Template):
					updated = pod
				default:
					old = pod
				}
			}
			c.Bind(both, node)
			// A controller that saw one of these changes before the next would act on it. A new one begins with a list of everything.
			c.Kill(ctx)
			c.Pods.BecomeUnready(ctx, old)
			c.Pods.BecomeReady(ctx, updated)
			c.Mark(third)
			newest := c.Update(ctx, stalled, Image("v3"))
			c.Restart(ctx)
			rollouts.Settle(ctx, c, newest, UpdatedOn(2, newest))
			rollouts.Finish(ctx, c, newest)
		},
		func(j *spec.Checks) {
			node := j.Bound(both)
			// Which of two pods goes is asked; that one does is another promise.
			j.Given(AtLeast(1, Marked(third)))
			j.Decide("ROLLOVER-003", Before(PodAvailable(OfVersion("v3")).On(node), PodDeleted(OfVersion("v2")).On(node)))
		}, spec.Alone{})
}
