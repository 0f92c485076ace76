package united

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// exchanges are the specs of edits that give one node and take another, and of those that come while a node is between two members.
func exchanges() {
	spec.It("takes no more nodes out than maxUnavailable where a subset gives one node back for another",
		spec.Decides("UNITED-027"),
		func(ctx context.Context, c *spec.Case) {
			nodes := addNodes(ctx, c, "a", "b", "c")
			ds := c.Deploy(ctx, MaxUnavailable("1"), ReadyAfter(leisurely))
			u := c.Unite(ctx, ds, OnNodes(Subset("first", c.ImagePatch("v2")), nodes[0]))
			placed(ctx, c)
			for _, node := range []string{nodes[1], nodes[0]} {
				c.Subdivide(ctx, u, OnNodes(Subset("first", c.ImagePatch("v2")), node))
				placed(ctx, c)
			}
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(2, Done(history.UpdateUnited)))
			j.Decide("UNITED-027", endsPlaced())
		}, spec.SimulatedNodes{}, kinds(), spec.AppsV1{})

	spec.It("gives a node to the subset that selects it by the time at which the target's pod is gone",
		spec.Decides("UNITED-008"),
		func(ctx context.Context, c *spec.Case) {
			nodes := addNodes(ctx, c, "a", "b")
			c.Bind(moved, nodes[0])
			ds := c.Deploy(ctx, MaxUnavailable("1"))
			first, second := Subset("first", c.ImagePatch("v2")), Subset("second", c.ImagePatch("v3"))
			u := c.Unite(ctx, ds, Where(first, zone, "nowhere"), Where(second, zone, "nowhere"))
			placed(ctx, c)
			c.Pods.HoldTermination(ctx, c.LivePodOn(ctx, ds, nodes[0]))
			c.Subdivide(ctx, u, Where(first, zone, "a"), Where(second, zone, "nowhere"))
			var leaving *corev1.Pod
			c.Require(ctx, "the target's pod terminates", terminating(&leaving, nodes[:1]))
			c.Await(ctx, Quiet(time.Second))
			c.Subdivide(ctx, u, Where(first, zone, "nowhere"), Where(second, zone, "a"))
			c.Await(ctx, Quiet(silence))
			c.Mark(changed)
			c.Pods.ReleaseTermination(ctx, leaving)
			placed(ctx, c)
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, Marked(changed)))
			node := j.Bound(moved)
			j.Decide("UNITED-008", Never(After(PodCreated(OfVersion("v2")).On(node), Marked(changed))), AtLeast(1, PodAvailable(OfVersion("v3")).On(node)), endsPlaced())
		}, spec.SimulatedNodes{}, kinds(), spec.AppsV1{})
}
