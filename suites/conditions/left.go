package conditions

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/rollcall-conformance/rollcall/framework/judge"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// left is the spec of a stall that ends because its node is removed.
func left() {
	spec.It("takes the report of a stall back when the node leaves on which the rollout could not go on",
		spec.Decides("COND-003"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 2)
			before := c.Deploy(ctx, MaxUnavailable("2"))
			// A simulated node has 8 CPUs.
			c.MakePod(ctx, "large", nodes[0], map[string]string{"app": "large"}, func(pod *corev1.Pod) {
				pod.Spec.Containers[0].Resources.Requests = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("6")}
			})
			report := rollouts.ReportOf(before)
			report.Begin(ctx, c, begun)
			updated := c.Update(ctx, before, Image("v2"), demand("4"))
			c.Await(ctx, UpdatedOn(1, updated, OnNode(nodes[0])))
			report.Await(ctx, c)
			c.Mark(over)
			rollouts.Remove(ctx, c, nodes[0])
			c.Await(ctx, RolledOut(updated))
			report.AwaitTakenBack(ctx, c)
		},
		func(j *spec.Checks) {
			reported := StallBetween{From: begun, To: over, Known: judge.ReportWithin}
			j.Decide("COND-003", Tested(EndsRolledOut()), reported.TakenBack())
		}, spec.SimulatedNodes{})
}
