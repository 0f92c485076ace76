package united

import (
	"context"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// restarts is the spec of a target that is restarted as kubectl rollout restart does it.
func restarts() {
	spec.It("restarts the pods of every subset, too, when nothing but an annotation of the target's template changes",
		spec.Decides("UNITED-033"),
		func(ctx context.Context, c *spec.Case) {
			nodes := addNodes(ctx, c, "a", "b", "c")
			c.Bind(byName, nodes...)
			ds := c.Deploy(ctx, MaxUnavailable("1"), noted("before"))
			// One has a patch, the other none.
			c.Unite(ctx, ds, OnNodes(Subset("first", c.ImagePatch("v2")), nodes[0]), OnNodes(Subset("same", history.UnitedPatch{}), nodes[1]))
			placed(ctx, c)
			c.Mark(united)
			c.Await(ctx, Processed(c.Update(ctx, ds, noted("after"))))
			c.Await(ctx, allAnnotated("after", nodes...))
			placed(ctx, c)
			c.Mark(changed)
		},
		func(j *spec.Checks) {
			nodes := j.BoundAll(byName)
			j.Given(HoldsAtMark(united, state.UnitedPlaced(name)), HoldsAtMark(united, allAnnotated("before", nodes...)))
			j.Decide("UNITED-033", HoldsAtMark(changed, allAnnotated("after", nodes...)), HoldsAtMark(changed, state.UnitedPlaced(name)))
		}, spec.SimulatedNodes{}, kinds(), spec.AppsV1{}, spec.Long{})
}

// allAnnotated holds when the pods on all the nodes have the annotation.
func allAnnotated(text string, nodes ...string) state.Condition {
	var all []state.Condition
	for _, node := range nodes {
		all = append(all, annotated(node, text))
	}
	return state.All(all...)
}
