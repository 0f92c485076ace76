package evict

import (
	"context"
	"net/http"
	"time"

	policyv1 "k8s.io/api/policy/v1"

	"github.com/rollcall-conformance/rollcall/framework/judge"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// spared is the spec of evictions under a budget that also selects pods of which none is healthy.
func spared() {
	spec.It("lets as many healthy pods go as a budget can spare that also selects pods that are not Ready, have ended or terminate, also after a restart",
		spec.Decides("EVICT-010"),
		func(ctx context.Context, c *spec.Case) {
			node := c.AddNodes(ctx, 1)[0]
			pods(ctx, c, node, guarded, []string{"unready"}, neverReady)
			ended, leaving := pods(ctx, c, node, guarded, []string{"ended"})[0], pods(ctx, c, node, guarded, []string{"leaving"})[0]
			before := pods(ctx, c, node, guarded, named("before", 4))
			c.Pods.Fail(ctx, ended)
			c.Pods.HoldTermination(ctx, leaving)
			c.DeletePod(ctx, leaving, 5*time.Minute)
			budget := guard(ctx, c, "budget", guarded, 1, 4, MinAvailable("3"))
			_ = c.TryEvict(ctx, before[0])
			_ = c.TryEvict(ctx, before[1])

			c.Restart(ctx)
			after := pods(ctx, c, node, guarded, named("after", 1))[0]
			c.Await(ctx, Quiet(judge.Lag+spec.Prompt))
			c.Require(ctx, "the budget is computed", BudgetStatus(budget, "it allows one disruption", func(status policyv1.PodDisruptionBudgetStatus) bool {
				return status.DisruptionsAllowed == 1
			}))
			_ = c.TryEvict(ctx, after)
			_ = c.TryEvict(ctx, before[2])
			c.Pods.ReleaseTermination(ctx, leaving)
		},
		func(j *spec.Checks) {
			for _, pod := range []string{"before-a", "after-a"} {
				j.Decide("EVICT-010", Answers("the eviction of a healthy pod that the budget can spare", evicted(pod), WithCode(http.StatusCreated)), gone(pod))
			}
			for _, pod := range []string{"before-b", "before-c"} {
				j.Decide("EVICT-010", Answers("the eviction of a healthy pod that the budget cannot spare", evicted(pod), causedByBudget()...), stays(pod))
			}
		}, budgets, spec.Alone{}, spec.SimulatedNodes{})
}
