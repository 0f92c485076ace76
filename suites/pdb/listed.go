package pdb

import (
	"context"
	"time"

	policyv1 "k8s.io/api/policy/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// Where more may be disrupted though a pod is listed: the budget asks for fewer, and there is another pod.
const (
	ofFewer   history.Mark = "the budget asks for fewer"
	ofAnother history.Mark = "there is another pod"
)

// whileListed is the spec of what becomes allowed while an eviction is under way.
func whileListed() {
	fewer, another := tallied(history.Tally{Expected: 4, Desired: 1, Healthy: 3, Allowed: 2}), tallied(history.Tally{Expected: 5, Desired: 3, Healthy: 4, Allowed: 1})
	spec.It("allows more once the budget asks for fewer pods, and once there is another one, while a pod is still listed that was to be evicted",
		spec.Decides("PDB-001", "PDB-026", "PDBAPI-003"),
		func(ctx context.Context, c *spec.Case) {
			workload := web(ctx, c, 4)
			budget := guarded(ctx, c, workload, MinAvailable("3"))
			c.Await(ctx, Quiet(time.Second))
			c.WriteBudgetStatus(ctx, budget, ListDisrupted(c.PodsOf(ctx, workload)[0].Name, time.Now()))
			c.Await(ctx, Computed(budget))
			c.Await(ctx, Quiet(judge.Lag))
			budget = c.UpdateBudget(ctx, budget, MinAvailable("1"))
			follows(ctx, c, fewer, ofFewer)
			changed(ctx, c, budget, MinAvailable("3"))
			c.Await(ctx, Quiet(judge.Lag))
			c.Scale(ctx, workload, 5)
			c.Await(ctx, LivePodsOf(workload, 5, history.IsReady))
			follows(ctx, c, another, ofAnother)
		},
		func(j *spec.Checks) {
			listed := state.Budget(guard, "a pod is listed", func(status policyv1.PodDisruptionBudgetStatus) bool { return len(status.DisruptedPods) == 1 })
			j.Given(HoldsAtMark(ofFewer, listed), HoldsAtMark(ofAnother, listed))
			j.Decide("PDB-001", HoldsAtMark(ofFewer, fewer), HoldsAtMark(ofAnother, another))
			j.Decide("PDB-026", HoldsAtMark(ofAnother, another))
			j.Decide("PDBAPI-003", HoldsAtMark(ofFewer, fewer))
		}, recorded(), spec.SimulatedNodes{})
}
