package pdb

import (
	"context"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"

	policyv1 "k8s.io/api/policy/v1"
)

// resync is longer than the period of 30 s in which Kubernetes once wrote every status again (k/k#92826).
const resync = 32 * time.Second

// atRest is from when on nothing happens in the cluster.
const atRest history.Mark = "nothing happens any more"

// reportsAtRest is how many Events a budget may get while nothing happens: fewer than client-go's limit lets through of an endless loop.
const reportsAtRest = 10

// silence is the spec of what a controller does while nothing happens.
func silence() {
	spec.It("reports what is wrong with a budget, and neither writes nor reports it over and over while nothing happens",
		spec.Decides("PDB-025", "PDB-035"),
		func(ctx context.Context, c *spec.Case) {
			workload := web(ctx, c, 2)
			job := c.RunScaled(ctx, history.KindJob, "job", 1)
			c.Require(ctx, "the pods are Ready", LivePodsOf(job, 1, history.IsReady))
			bare(ctx, c, "bare-0")
			budget := guarded(ctx, c, workload, MaxDisrupted("1"))
			c.CreateBudget(ctx, empty, MinAvailable("1"), Selecting(map[string]string{"app": "nobody"}))
			c.CreateBudget(ctx, failing, MaxDisrupted("1"), Selecting(job.Labels()))
			c.CreateBudget(ctx, unowned, MaxDisrupted("1"), Selecting(Scaled{Name: "bare"}.Labels()))
			c.Await(ctx, state.All(Computed(budget), state.Budget(failing, "it failed", failed)))
			c.Await(ctx, Quiet(silent))
			c.Mark(atRest)
			c.AwaitAfter(ctx, resync, Past(time.Now().Add(resync)))
		},
		func(j *spec.Checks) {
			for _, wrong := range []struct{ budget, reason string }{
				{empty, "NoPods"}, {failing, "CalculateExpectedPodCountFailed"}, {unowned, "UnmanagedPods"},
			} {
				isIt := about(wrong.budget, wrong.reason)
				j.Decide("PDB-035", Reported(wrong.reason+" about budget "+wrong.budget, isIt),
					ReportedAtMost(reportsAtRest, wrong.reason+" about budget "+wrong.budget, Marked(atRest), isIt))
			}
			for _, budget := range []string{guard, empty, failing, unowned} {
				j.Decide("PDB-025", Never(After(written(budget, "in any way", func(policyv1.PodDisruptionBudgetStatus) bool { return true }), Marked(atRest))))
			}
			j.Decide("PDB-025", NoEqualBudgetStatusAfter(Marked(atRest)))
		}, recorded(), spec.SimulatedNodes{})
}

// The budgets that something is wrong with.
const (
	empty   = "empty"
	failing = "failing"
	unowned = "unowned"
)
