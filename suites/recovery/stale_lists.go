package recovery

import (
	"context"
	"time"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	"github.com/rollcall-conformance/rollcall/framework/relay"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// staleLists is the spec of an implementation that is started again beside an API server that is behind: its first list of pods shows none of what the process
// before it did.
func staleLists() {
	spec.It("keeps the limits when it is started again and its first list of pods is older than what it did before, with maxUnavailable and with maxSurge",
		spec.Decides("RECOVERY-012"),
		func(ctx context.Context, c *spec.Case) {
			nodes := len(c.AddNodes(ctx, 3))
			daemonSet := c.Deploy(ctx, MaxUnavailable("1"))
			for _, edits := range [][]Edit{{Image("v2"), NeverReady()}, {Image("v3"), MaxSurge("1")}} {
				daemonSet = restartInThePast(ctx, c, daemonSet, edits...)
				c.BecomeReadyInTurn(ctx, daemonSet, nodes)
				if !c.Await(ctx, RolledOut(daemonSet)) {
					return
				}
			}
			c.Await(ctx, Quiet(time.Second))
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(2, Done(history.AnswerFromPast)))
			j.Decide("RECOVERY-012", EndsRolledOut(), Keeps("SURGE-002"), Keeps("SURGE-009"), Keeps("ROLLING-002"), Keeps("ROLLING-013"))
		}, spec.Alone{Relay: true}, spec.Faults{})
}

// restartInThePast begins a rollout, and has the implementation start again once the first updated pod runs: it lists pods as they were when the rollout began, and
// its watch of them is late. Once it has been told of the updated pod the rollout goes on undisturbed.
func restartInThePast(ctx context.Context, c *spec.Case, daemonSet *appsv1.DaemonSet, edits ...Edit) *appsv1.DaemonSet {
	updated := c.Update(ctx, daemonSet, edits...)
	first := c.RequireUpdated(ctx, "the first updated pod runs", updated, Running)
	c.SetFaults(ctx,
		relay.Fault{Of: relay.Selector{Verbs: []string{"watch"}, Resource: "pods"}, Count: relay.Always, Effect: relay.NoStreamedLists{}},
		relay.Fault{Of: relay.Selector{Verbs: []string{"list"}, Resource: "pods"}, Count: relay.Always, Effect: relay.StaleList{At: updated.ResourceVersion}})
	c.DelayWatches(ctx, late, "pods")
	c.Kill(ctx)
	c.Restart(ctx)
	c.RequireTold(ctx, first.UID, "")
	c.SetFaults(ctx)
	c.EndWatchDelay(ctx)
	return updated
}
