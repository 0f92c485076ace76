package rolling

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// enough is where maxUnavailable becomes greater than the number of nodes that are down.
const enough history.Mark = "maxUnavailable becomes great enough"

// unhealthy are the specs of old pods that are not available when the rollout comes to them.
func unhealthy() {
	spec.It("replaces the unhealthy old pods first",
		spec.Decides("ROLLING-006"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.TakeNodes(ctx, NodeCount{Least: 3, Likes: 4})
			lost := nodes[len(nodes)-2:]
			c.Bind("unhealthy", lost...)
			daemonSet := c.Deploy(ctx, MaxUnavailable("1"))
			rollouts.LoseReadiness(ctx, c, daemonSet, lost...)
			c.RollOut(ctx, daemonSet, Image("v2"))
		},
		func(j *spec.Checks) {
			for _, node := range j.BoundAll("unhealthy") {
				j.Decide("ROLLING-006", Before(PodDeleted(OfVersion("v1")).On(node), First(availableDeleted())))
			}
		})

	spec.It("replaces an old pod that was never scheduled, although others are available and it uses maxUnavailable up",
		spec.Decides("ROLLING-006"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			noRoom := c.AddNodes(ctx, 1, rollouts.Full)[0]
			c.Bind("no room", noRoom)
			// No Deploy: not every node comes to have an available pod.
			daemonSet := c.Create(ctx, c.NewDaemonSet("daemon", MaxUnavailable("1")))
			c.Require(ctx, "every node has a pod", PodsSeen(daemonSet, 3))
			c.Await(ctx, Quiet(2*time.Second))
			updated := c.Update(ctx, daemonSet, Image("v2"))
			rollouts.Settle(ctx, c, updated, UpdatedOn(1, updated, OnNode(noRoom)))
		},
		func(j *spec.Checks) {
			pending := PodDeleted(OfVersion("v1")).On(j.Bound("no room"))
			j.Given(Never(PodReady().On(j.Bound("no room"))))
			j.Decide("ROLLING-006", AtLeast(1, pending))
		}, spec.SimulatedNodes{})

	spec.It("takes down no available old pod while unhealthy ones use maxUnavailable up",
		spec.Decides("ROLLING-007"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.TakeNodes(ctx, NodeCount{Least: 3, Likes: 5})
			// All of the limit but one is used up by nodes that are not healthy.
			limit := (len(nodes) + 1) / 2
			daemonSet := c.Deploy(ctx, MaxUnavailable(strconv.Itoa(limit)))
			rollouts.LoseReadiness(ctx, c, daemonSet, nodes[:limit-1]...)
			stall(ctx, c, daemonSet, "v2", limit)
		},
		func(j *spec.Checks) { j.Decide("ROLLING-007", UpTo(1, availableDeleted())) })

	spec.It("counts an old pod as unavailable that is Ready for less than minReadySeconds",
		spec.Decides("ROLLING-002"),
		func(ctx context.Context, c *spec.Case) {
			const hour = 3600
			c.AddNodes(ctx, 4)
			daemonSet := c.Deploy(ctx, MaxUnavailable("2"))
			for _, pod := range c.LivePods(ctx, daemonSet)[1:] {
				c.Pods.SetReadySince(ctx, pod, time.Now().Add(-2*hour*time.Second))
			}
			daemonSet = c.Update(ctx, daemonSet, MinReadySeconds(hour))
			c.Require(ctx, "the controller has seen minReadySeconds", Processed(daemonSet))
			c.Await(ctx, Quiet(2*time.Second))
			stall(ctx, c, daemonSet, "v2", 2)
		}, nil, spec.SimulatedNodes{})

	spec.It("keeps the healthy old pods up, however many others are not",
		spec.Decides("ROLLING-008"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.TakeNodes(ctx, several)
			daemonSet := c.Deploy(ctx, MaxUnavailable("1"))
			rollouts.LoseReadiness(ctx, c, daemonSet, nodes[:unhealthyOf(len(nodes))]...)
			stall(ctx, c, daemonSet, "v2", 1)
		},
		func(j *spec.Checks) {
			unhealthy := PodDeleted(OfVersion("v1")).Where("unavailable", func(m Moment) bool { return !m.WasAvailable() })
			j.Given(AtLeast(1, unhealthy))
			j.Decide("ROLLING-008", Never(availableDeleted()))
			j.Observe(func(h *history.History) string {
				return fmt.Sprintf("with maxUnavailable 1, %d of %d unhealthy old pods were deleted while no replacement was available",
					len(unhealthy.Find(h)), unhealthyOf(j.Nodes(several)))
			})
		})

	spec.It("updates a healthy pod while two nodes are down only if maxUnavailable is greater than two",
		spec.Decides("ROLLING-011", "DRAIN-003"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 5)
			down := nodes[:2]
			c.Bind("up", nodes[2:]...)
			daemonSet := c.Deploy(ctx, MaxUnavailable("1"), rollouts.TolerateDown())
			for _, node := range down {
				pod := c.LivePodOn(ctx, daemonSet, node)
				c.Pods.HoldTermination(ctx, pod)
				c.NodeDown(ctx, node)
				c.Pods.BecomeUnready(ctx, pod)
			}
			c.Await(ctx, Quiet(time.Second))
			for _, edit := range []Edit{Image("v2"), MaxUnavailable("2")} {
				c.Require(ctx, "the controller has seen "+edit.Says, Processed(c.Update(ctx, daemonSet, edit)))
				c.Await(ctx, Quiet(2*time.Second))
			}
			c.Mark(enough)
			updated := c.Update(ctx, daemonSet, MaxUnavailable("3"))
			c.Await(ctx, UpdatedOn(len(nodes)-len(down), updated, NotOnNode(down[0]), NotOnNode(down[1]), history.IsReady))
		},
		func(j *spec.Checks) {
			for _, up := range j.BoundAll("up") {
				j.Decide("ROLLING-011", NeverBetween(TemplateChanged(), Marked(enough), PodDeleted(OfVersion("v1")).On(up)))
			}
		}, spec.SimulatedNodes{})
}

// several is how many nodes the scenario takes with more unhealthy pods than maxUnavailable.
var several = NodeCount{Least: 3, Likes: 5}

// unhealthyOf is on how many of its nodes they are.
func unhealthyOf(nodes int) int { return nodes/2 + 1 }
