package recovery

import (
	"context"
	"fmt"
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

// veryLate is longer than a controller can be content with waiting for its cache.
const veryLate = 4 * time.Second

// lateWatches is the spec of a cache that is behind. The implementation learns of everything late and in order, of what it did itself, too. Only its own acts can
// make a node hold a pod too many, or exceed a limit.
func lateWatches() {
	spec.It("keeps the limits, and one pod of a revision on a node, while it hears of everything a second late and is woken again and again",
		spec.Decides("ROLLING-002", "ROLLING-013", "SURGE-002", "SURGE-010"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 4)
			daemonSet := c.Deploy(ctx, MaxUnavailable("1"))
			updated := rollOutLate(ctx, c, daemonSet, everything, Touch, Image("v2"), ReadyAfter(slowNode))
			rollOutLate(ctx, c, updated, everything, Touch, Image("v3"), MaxSurge("1"))
			c.Await(ctx, Quiet(time.Second))
		}, nil, spec.Alone{Relay: true})

	spec.It("keeps one pod of a revision on a node while it hears of pods a second late, and at once of one generation of the DaemonSet after another",
		spec.Decides("ROLLING-013", "SURGE-010"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			daemonSet := c.Deploy(ctx, MaxUnavailable("1"))
			updated := rollOutLate(ctx, c, daemonSet, []string{"pods"}, anotherGeneration, Image("v2"))
			rollOutLate(ctx, c, updated, []string{"pods"}, anotherGeneration, Image("v3"), MaxSurge("1"))
			c.Await(ctx, Quiet(time.Second))
		}, nil, spec.Alone{Relay: true})

	spec.It("keeps one pod of a revision on a node while it hears of pods four seconds late",
		spec.Decides("ROLLING-013", "SURGE-010"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 1)
			daemonSet := c.Deploy(ctx, MaxSurge("1"))
			for _, rollout := range []struct {
				lasts time.Duration
				edits []Edit
			}{
				// By then it has heard of the pod that it created; without maxSurge it has to hear of the one that it deleted first.
				{veryLate + late, []Edit{Image("v2")}}, {2*veryLate + 2*late, []Edit{Image("v3"), MaxUnavailable("1")}},
			} {
				c.DelayWatches(ctx, veryLate, "pods")
				daemonSet = c.Update(ctx, daemonSet, rollout.edits...)
				c.Await(ctx, Past(time.Now().Add(rollout.lasts)))
				c.EndWatchDelay(ctx)
				c.Await(ctx, RolledOut(daemonSet))
			}
			c.Await(ctx, Quiet(time.Second))
		}, nil, spec.Alone{Relay: true})

	spec.It("gives each new history a larger number than all others while it hears a second late of those that it made, and the template changes again",
		spec.Decides("HISTORY-003"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 1)
			daemonSet := c.Deploy(ctx, MaxUnavailable("1"))
			c.DelayWatches(ctx, late, "controllerrevisions")
			for _, version := range []string{"v2", "v3", "v4"} {
				daemonSet = c.Update(ctx, daemonSet, Image(version))
				c.Await(ctx, Past(time.Now().Add(4*between)))
			}
			c.EndWatchDelay(ctx)
			c.Await(ctx, RolledOut(daemonSet))
			c.Await(ctx, Quiet(time.Second))
		}, nil, spec.Alone{Relay: true})
}

// anotherGeneration is a change that asks for nothing, and yet makes another generation of the DaemonSet.
func anotherGeneration(i int) Edit {
	limit := moreHistories + int32(i)
	return Edit{Says: fmt.Sprintf("revisionHistoryLimit %d", limit), Apply: func(d *appsv1.DaemonSet) { d.Spec.RevisionHistoryLimit = &limit }}
}

// moreHistories is more than these DaemonSets come to have.
const moreHistories = 10

// everything is what watches are late of that are all late.
var everything []string

// rollOutLate begins a rollout with watches of the resources that are late, wakes the implementation for a while by changes that ask for nothing, and lets it
// finish when they are prompt again.
func rollOutLate(ctx context.Context, c *spec.Case, daemonSet *appsv1.DaemonSet, resources []string, wakeUp func(int) Edit, edits ...Edit) *appsv1.DaemonSet {
	c.DelayWatches(ctx, late, resources...)
	updated := c.Update(ctx, daemonSet, edits...)
	for i := range wakeUps {
		c.Await(ctx, Past(time.Now().Add(between)))
		updated = c.Update(ctx, updated, wakeUp(i))
	}
	c.EndWatchDelay(ctx)
	c.Await(ctx, RolledOut(updated))
	return updated
}
