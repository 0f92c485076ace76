package evict

import (
	"context"
	"net/http"

	"k8s.io/apimachinery/pkg/types"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// drained is the spec of evictions as kubectl drain makes them.
func drained() {
	spec.It("is requested in policy/v1 by kubectl drain",
		spec.Decides("EVICT-008"),
		func(ctx context.Context, c *spec.Case) {
			node := c.AddNodes(ctx, 1)[0]
			c.Drain(ctx, pods(ctx, c, node, guarded, []string{"pod"})[0])
		},
		func(j *spec.Checks) {
			j.Decide("EVICT-008", Answers("the eviction that kubectl drain asks for", EvictionAnswered("pod"), SentAs("policy/v1"), WithCode(http.StatusCreated)),
				Effected(PodDeleted(Named("pod")), EvictionAnswered("pod")))
		})
}

// contended is the spec of a budget that others write at the same time, each time that the API server does.
func contended() {
	spec.It("gives up with advice to try again when the status of the budget cannot be written for conflicts",
		spec.Decides("EVICT-016"),
		func(ctx context.Context, c *spec.Case) {
			node := c.AddNodes(ctx, 1)[0]
			pod := pods(ctx, c, node, guarded, []string{"pod", "other"})[0]
			budget := guard(ctx, c, "budget", guarded, 1, 2, MinAvailable("1"))
			if err := c.TryConflictStatusWrites(ctx, budget); err != nil {
				c.NotPossible("the API server cannot be made to meet conflicts: " + err.Error())
			}
			_ = c.TryEvict(ctx, pod)
			_ = c.TryPatchBudget(ctx, budget, types.MergePatchType, `{"metadata":{"labels":{"note":"x"}}}`)
		},
		func(j *spec.Checks) {
			j.Given(Accepted("a write of the budget that is not its status", Answered(history.UpdateBudget, "budget")))
			j.Decide("EVICT-016", Answers("an eviction that meets conflicts", evicted("pod"), WithCode(http.StatusGatewayTimeout), WithAdvice()), stays("pod"))
		}, budgets)
}
