// Package hostport has the specs of DaemonSets with both maxSurge and a host port, which two pods of one node cannot share: they are not to be stored, and
// what is stored all the same is to do no harm.
package hostport

import (
	"context"
	"time"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// Where the rollout begins that the conflict keeps from going on, and where the conflict is resolved.
const (
	begun    history.Mark = "the rollout begins"
	resolved history.Mark = "the conflict is resolved"
	// The same of the next rollout.
	begunAgain    history.Mark = "the next rollout begins"
	resolvedAgain history.Mark = "the next conflict is over"
)

// waiting is what the scenario chooses.
const waiting = "the updated pod that waits for its port"

// Specs registers the family.
func Specs() {
	rejected()
	stored()
	drained()
	byAnother()

	spec.It("stalls with the old pods in place while the updated ones wait for their host port, and finishes when surge is removed",
		spec.Decides("HOSTPORT-009", "HOSTPORT-010", "HOSTPORT-011", "SURGE-021"),
		func(ctx context.Context, c *spec.Case) {
			_, updated := stall(ctx, c, rollouts.HostPort(c.Port(0)))
			c.Bind(waiting, c.RequireUpdated(ctx, "an updated pod waits for its port", updated, NotReady).Name)
			c.RollOut(ctx, updated, MaxUnavailable("1"))
		},
		func(j *spec.Checks) {
			stalled(j)
			reported := StallBetween{From: begun, To: resolved, Known: judge.ReportWithin}
			j.Decide("HOSTPORT-010", reported.Condition(), reported.Event())
			j.Decide("HOSTPORT-011", EndsRolledOut(), Keeps("ROLLING-002"))
			// It gets its port only if the available pod beside it goes, and it stays.
			j.Decide("SURGE-021", Never(After(PodAvailable(Named(j.Bound(waiting))), Marked(resolved))), EndsRolledOut())
		}, spec.SimulatedNodes{}, spec.Alone{})

	spec.It("stalls with the old pods in place while the updated ones wait for their host port, and keeps them when the template is rolled back",
		spec.Decides("HOSTPORT-009", "HOSTPORT-012"),
		func(ctx context.Context, c *spec.Case) {
			before, updated := stall(ctx, c, rollouts.HostPort(c.Port(0)))
			c.RollOut(ctx, updated, template(before, "the template of before"))
			c.Await(ctx, Quiet(2*time.Second))
		},
		func(j *spec.Checks) {
			stalled(j)
			j.Decide("HOSTPORT-012", EndsRolledOut(),
				Never(After(PodDeleted(OfVersion("v1")), Marked(begun))), Never(After(PodRestarted(OfVersion("v1")), Marked(begun))))
		}, spec.SimulatedNodes{}, spec.Alone{})

	spec.It("reports once more that updated pods wait for their host port when their template comes back after it was rolled back",
		spec.Decides("HOSTPORT-010", "COND-001", "COND-002"),
		func(ctx context.Context, c *spec.Case) {
			before, updated := stall(ctx, c, rollouts.HostPort(c.Port(0)))
			restored := c.Update(ctx, updated, template(before, "the template of before"))
			c.Await(ctx, state.All(RolledOut(restored), Processed(restored)))
			// What is said of the end comes by then, at the latest (COND-003).
			c.Await(ctx, Quiet(spec.AtOnce+2*spec.Prompt))
			report := rollouts.ReportOf(before)
			report.Begin(ctx, c, begunAgain)
			again := c.Update(ctx, restored, template(updated, "the template that stalled"))
			rollouts.NeedsPortsKept(ctx, c, again)
			rollouts.Settle(ctx, c, again, UpdatedOn(1, again))
			report.Await(ctx, c)
			c.Mark(resolvedAgain)
		},
		func(j *spec.Checks) {
			j.Given(NeverBetween(Marked(begunAgain), Marked(resolvedAgain), rollouts.ScheduledBeside()))
			first := StallBetween{From: begun, To: resolved, Known: judge.ReportWithin}
			second := StallBetween{From: begunAgain, To: resolvedAgain, Known: judge.ReportWithin, Earlier: &first}
			j.Decide("HOSTPORT-010", second.Condition(), second.Event())
			j.Decide("COND-001", second.Condition())
			j.Decide("COND-002", second.Event())
		}, spec.SimulatedNodes{}, spec.Alone{})

	spec.It("stalls with the old pods in place while the updated ones wait for their port of the host's network",
		spec.Decides("HOSTPORT-009"),
		func(ctx context.Context, c *spec.Case) { stall(ctx, c, onHostNetwork(c.Port(0))) },
		stalled, spec.SimulatedNodes{}, spec.Alone{})
}

// drained is the spec of a pod that is deleted and has the port that the one in its place is to have.
func drained() {
	spec.It("makes the replacement of a deleted pod beside it, while that has the host port of both",
		spec.Decides("DRAIN-002"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 1)
			daemonSet := store(ctx, c, "daemon", rollouts.HostPort(c.Port(0)))
			c.Require(ctx, "the first pod is available", Steady(daemonSet))
			old := c.LivePods(ctx, daemonSet)[0]
			c.Mark(begun)
			c.Pods.HoldTermination(ctx, old)
			c.DeletePod(ctx, old, time.Minute)
			// Both are there, one on its way out and one that waits for its port.
			c.Await(ctx, PodsSeen(daemonSet, 2))
			c.Pods.ReleaseTermination(ctx, old)
			c.Await(ctx, RolledOut(daemonSet))
		},
		func(j *spec.Checks) {
			j.Decide("DRAIN-002", Before(After(PodCreated(), Marked(begun)), After(PodGone(), Marked(begun))), EndsRolledOut())
		}, spec.SimulatedNodes{}, spec.Alone{})
}

// stall begins a rollout that the edit's port of the host keeps from going on, and returns the DaemonSet before and after the change.
func stall(ctx context.Context, c *spec.Case, onPort Edit) (before, updated *appsv1.DaemonSet) {
	c.AddNodes(ctx, 3)
	before = store(ctx, c, "daemon", onPort)
	c.Require(ctx, "the first pods are available", Steady(before))
	report := rollouts.ReportOf(before)
	report.Begin(ctx, c, begun)
	updated = c.Update(ctx, before, Image("v2"))
	rollouts.NeedsPortsKept(ctx, c, updated)
	rollouts.Settle(ctx, c, updated, UpdatedOn(1, updated))
	// Longer than a controller may be late.
	c.Await(ctx, Quiet(3*time.Second))
	report.Await(ctx, c)
	c.Mark(resolved)
	return before, updated
}

// template gives a DaemonSet the template of another.
func template(of *appsv1.DaemonSet, says string) Edit {
	return Edit{Says: says, Apply: func(d *appsv1.DaemonSet) { d.Spec.Template = *of.Spec.Template.DeepCopy() }}
}

// stalled asks HOSTPORT-009.
func stalled(j *spec.Checks) {
	updated, old := PodCreated(OfVersion("v2")), OfVersion("v1")
	j.Given(NeverBetween(Marked(begun), Marked(resolved), rollouts.ScheduledBeside()))
	j.Decide("HOSTPORT-009",
		Tested(AtLeast(1, updated)), NeverBetween(Marked(begun), Marked(resolved), Nth(2, updated)),
		NeverBetween(Marked(begun), Marked(resolved), PodDeleted(old)),
		NeverBetween(Marked(begun), Marked(resolved), PodUnready(old)))
}
