package pdb

import (
	"context"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// heldBack is longer than what happens meanwhile takes.
const heldBack = time.Minute

// overtaken are the specs of a budget that others change before the implementation writes what it makes of the one before.
func overtaken() {
	spec.It("writes no numbers of the limit before as if they were of the limit that a budget has got, while it had not heard of that",
		spec.Decides("PDB-011"),
		func(ctx context.Context, c *spec.Case) {
			workload := web(ctx, c, 4)
			budget := guarded(ctx, c, workload, MaxDisrupted("3"))
			pods := c.PodsOf(ctx, workload)
			c.Await(ctx, Quiet(silent))
			c.DelayWatches(ctx, heldBack, "poddisruptionbudgets")
			c.UpdateBudget(ctx, budget, MaxDisrupted("0"))
			// By the budget that it knows, two may go now.
			c.Pods.BecomeUnready(ctx, pods[0])
			c.Await(ctx, state.Any(Allows(budget, 2), Past(time.Now().Add(promptly))))
			_ = c.TryEvict(ctx, pods[1])
			c.EndWatchDelay(ctx)
			c.Await(ctx, Computed(budget))
			c.Await(ctx, Quiet(silent))
		},
		func(j *spec.Checks) { j.Given(Exactly(1, Done(history.EndWatchDelay))) }, recorded(), spec.Alone{Relay: true}, spec.SimulatedNodes{})

	// The pods have no controller that would replace them, and one eviction is all that the budget allows.
	spec.It("gives back nothing of what an eviction took off the budget while the controller had not heard of that",
		spec.Decides("PDB-012", "EVICT-015"),
		func(ctx context.Context, c *spec.Case) {
			pods := bare(ctx, c, "bare-0", "bare-1", "bare-2", "bare-3", "bare-4")
			c.Pods.BecomeUnready(ctx, pods[0])
			c.Require(ctx, "a pod is not Ready", ReadyPods(4))
			budget := c.CreateBudget(ctx, guard, MinAvailable("3"), Selecting(Scaled{Name: "bare"}.Labels()))
			c.Require(ctx, "one disruption is allowed", state.All(Computed(budget), Allows(budget, 1)))
			c.Await(ctx, Quiet(silent))
			c.DelayWatches(ctx, heldBack, "poddisruptionbudgets")
			_ = c.TryEvict(ctx, pods[1])
			// It is listed as well, and stays: an eviction that was accepted before the pod is deleted.
			c.WriteBudgetStatus(ctx, budget, ListDisrupted(pods[4].Name, time.Now()))
			// By the budget that it knows, which lists nobody, one more may go now.
			c.Pods.BecomeReady(ctx, pods[0])
			c.Await(ctx, state.Any(Allows(budget, 1), Past(time.Now().Add(promptly))))
			_ = c.TryEvict(ctx, pods[2])
			_ = c.TryEvict(ctx, pods[3])
			c.EndWatchDelay(ctx)
			c.Await(ctx, Computed(budget))
			c.Await(ctx, Quiet(silent))
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, PodDeleted(Named("bare-1"))), Exactly(1, Done(history.EndWatchDelay)))
			j.Decide("EVICT-015", ExactlyAccepted(1, EvictionAnswered("bare-")))
		}, recorded(), spec.Alone{Relay: true}, spec.SimulatedNodes{})
}
