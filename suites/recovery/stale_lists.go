package recovery

import (
	"context"
	"time"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	"github.com/rollcall-conformance/rollcall/framework/relay"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
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
			j.Given(AtLeast(1, Done(history.AnswerFromPast)))
			j.Decide("RECOVERY-012", Tested(AtLeast(2, Done(history.AnswerFromPast))), EndsRolledOut(), Keeps("SURGE-002"), Keeps("SURGE-009"), Keeps("ROLLING-002"), Keeps("ROLLING-013"))
		}, spec.Alone{Relay: true}, spec.OneCause{})
}

// staleHistories is the spec of an implementation that is started again beside an API server that is behind with histories: its first list of them lacks the newest.
func staleHistories() {
	spec.It("gives a new history a larger number than all others when it is started again and its first list of histories is older than what it did before",
		spec.Decides("HISTORY-003"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 1)
			second := c.Update(ctx, c.Deploy(ctx, MaxUnavailable("1")), Image("v2"))
			c.Require(ctx, "the second rollout is over", RolledOut(second))
			c.SetFaults(ctx, listsOf("controllerrevisions", second.ResourceVersion)...)
			c.DelayWatches(ctx, late, "controllerrevisions")
			c.Kill(ctx)
			third := c.Update(ctx, second, Image("v3"))
			c.Restart(ctx)
			c.Await(ctx, state.When("there are three histories", func(cluster *history.Cluster) bool { return len(cluster.Revisions) > 2 }))
			c.SetFaults(ctx)
			c.EndWatchDelay(ctx)
			c.Await(ctx, RolledOut(third))
			c.Await(ctx, Quiet(time.Second))
			// Whoever asks for no list that may be stale is asked for the same number.
		}, nil, spec.Alone{Relay: true}, spec.OneCause{})
}

// listsOf has every list of the resource show what there was at a resource version.
func listsOf(resource, at string) []relay.Fault {
	return []relay.Fault{
		{Of: relay.Selector{Verbs: []string{"watch"}, Resource: resource}, Count: relay.Always, Effect: relay.NoStreamedLists{}},
		{Of: relay.Selector{Verbs: []string{"list"}, Resource: resource}, Count: relay.Always, Effect: relay.StaleList{At: at}},
	}
}

// restartInThePast begins a rollout, and has the implementation start again once the first updated pod runs: it lists pods as they were when the rollout began, and
// its watch of them is late. Once it has been told of the updated pod the rollout goes on undisturbed.
func restartInThePast(ctx context.Context, c *spec.Case, daemonSet *appsv1.DaemonSet, edits ...Edit) *appsv1.DaemonSet {
	updated := c.Update(ctx, daemonSet, edits...)
	first := c.RequireUpdated(ctx, "the first updated pod runs", updated, Running)
	c.SetFaults(ctx, listsOf("pods", updated.ResourceVersion)...)
	c.DelayWatches(ctx, late, "pods")
	c.Kill(ctx)
	c.Restart(ctx)
	c.RequireTold(ctx, first.UID, "")
	c.SetFaults(ctx)
	c.EndWatchDelay(ctx)
	return updated
}
