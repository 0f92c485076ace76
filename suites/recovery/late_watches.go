package recovery

import (
	"context"
	"time"

	appsv1 "k8s.io/api/apps/v1"

	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// How late the implementation's watches are, and how often and for how long the DaemonSet is changed meanwhile. What was changed wakes the implementation while
// it cannot have seen yet what it did on the change before.
const (
	late     = time.Second
	between  = 100 * time.Millisecond
	wakeUps  = 30
	slowNode = 500 * time.Millisecond
)

// lateWatches is the spec of a cache that is behind. The implementation learns of everything late and in order, of what it did itself, too. Only its own acts can
// make a node hold a pod too many, or exceed a limit.
func lateWatches() {
	spec.It("keeps the limits, and one pod of a revision on a node, while it hears of everything a second late and is woken again and again",
		spec.Decides("ROLLING-002", "ROLLING-013", "SURGE-002", "SURGE-010"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 4)
			daemonSet := c.Deploy(ctx, MaxUnavailable("1"))
			updated := rollOutLate(ctx, c, daemonSet, Image("v2"), ReadyAfter(slowNode))
			rollOutLate(ctx, c, updated, Image("v3"), MaxSurge("1"))
			c.Await(ctx, Quiet(time.Second))
		}, nil, spec.Alone{Relay: true})
}

// rollOutLate begins a rollout with watches that are late, wakes the implementation for a while, and lets it finish when they are prompt again.
func rollOutLate(ctx context.Context, c *spec.Case, daemonSet *appsv1.DaemonSet, edits ...Edit) *appsv1.DaemonSet {
	c.DelayWatches(ctx, late)
	updated := c.Update(ctx, daemonSet, edits...)
	for i := range wakeUps {
		c.Await(ctx, Past(time.Now().Add(between)))
		updated = c.Update(ctx, updated, Touch(i))
	}
	c.EndWatchDelay(ctx)
	c.Await(ctx, RolledOut(updated))
	return updated
}
