package cross

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

// rollouts are the specs of rollouts under a budget.
func rollouts() {
	spec.It("rolls out whatever a budget allows, with maxUnavailable",
		spec.Decides("CROSS-003"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 3)
			daemonSet := c.Deploy(ctx, MaxUnavailable("1"))
			guarded(ctx, c, daemonSet, 3)
			c.RollOut(ctx, daemonSet, Image("v2"))
		},
		func(j *spec.Checks) { j.Decide("CROSS-003", AtLeast(3, PodDeleted(OfVersion("v1"))), EndsRolledOut()) }, recorded(), spec.MainPath{})

	spec.It("rolls out whatever a budget allows, with maxSurge",
		spec.Decides("CROSS-003"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			daemonSet := c.Deploy(ctx, MaxSurge("1"))
			// There are never that many pods, so that it never allows a disruption.
			guarded(ctx, c, daemonSet, 5)
			c.RollOut(ctx, daemonSet, Image("v2"))
		},
		func(j *spec.Checks) { j.Decide("CROSS-003", AtLeast(2, PodDeleted(OfVersion("v1"))), EndsRolledOut()) }, recorded())

	spec.It("rolls out where two budgets select each pod, so that the Eviction API evicts none",
		spec.Decides("CROSS-003"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 3)
			daemonSet := c.Deploy(ctx, MaxUnavailable("1"))
			// Either allows a disruption.
			guarded(ctx, c, daemonSet, 1)
			second := c.CreateBudget(ctx, "second", MinAvailable("1"), selecting(daemonSet))
			c.Require(ctx, "the second budget counts the pods", Computed(second))
			c.RollOut(ctx, daemonSet, Image("v2"))
		},
		func(j *spec.Checks) { j.Decide("CROSS-003", AtLeast(3, PodDeleted(OfVersion("v1"))), EndsRolledOut()) }, recorded())

	spec.It("counts surge pods as healthy, no more of them than maxSurge allows, and none when the rollout is over",
		spec.Decides("CROSS-003", "CROSS-004", "PDB-001"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			daemonSet := c.Deploy(ctx, MaxSurge("1"), MinReadySeconds(int32(beside/time.Second)))
			budget := guarded(ctx, c, daemonSet, 2)
			updated := c.Update(ctx, daemonSet, Image("v2"))
			c.AwaitAfter(ctx, beside, RolledOut(updated))
			c.Await(ctx, Computed(budget))
			c.Await(ctx, Quiet(spec.Prompt))
		},
		func(j *spec.Checks) {
			// Whether a budget keeps a rollout from its end is what the spec above shows. Here its end may wait for a clock, which AVAIL-005 is about.
			j.Given(EndsRolledOut())
			j.Decide("CROSS-003", AtLeast(2, PodDeleted(OfVersion("v1"))))
			rollout := Began(history.UpdateDaemonSet)
			j.Decide("CROSS-004",
				AtLeast(1, After(counted("3 of 2 pods healthy", func(healthy int32) bool { return healthy == 3 }), rollout)),
				Never(counted("4 or more of 2 pods healthy", func(healthy int32) bool { return healthy > 3 })),
				ComesToHold(countsAll()), Keeps("PDB-001"))
			// What a budget has to say of pods of another workload depends on a scale that recordings do not have.
		}, recorded(), spec.AppsV1{"CROSS-004", "PDB-001"})
}

// beside is for how long each updated pod is Ready beside an old one: longer than a status may be late, though times are rounded to seconds.
const beside = judge.Lag + judge.Prompt + 2*time.Second

// countsAll holds when the budget counts two healthy pods.
func countsAll() Condition {
	return state.Budget(guard, "2 pods are healthy", func(status policyv1.PodDisruptionBudgetStatus) bool { return status.CurrentHealthy == 2 })
}
