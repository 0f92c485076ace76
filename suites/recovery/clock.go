package recovery

import (
	"context"
	"time"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// clock is the spec of a timer that dies with its process.
func clock() {
	spec.It("deletes the old pod in time although it was killed while the updated one was Ready but inside minReadySeconds",
		spec.Decides("RECOVERY-003"),
		func(ctx context.Context, c *spec.Case) {
			// One node, and an old pod that has long been available: whatever else happened would remind the controller of the updated pod.
			c.AddNodes(ctx, 1)
			daemonSet := c.Deploy(ctx, MaxSurge("1"))
			minReady := timeToComeBack(ctx, c, daemonSet)
			daemonSet = c.Update(ctx, daemonSet, MinReadySeconds(minReady))
			c.RequireAfter(ctx, time.Duration(minReady)*time.Second, "the old pod is available", Steady(daemonSet))
			updated := c.Update(ctx, daemonSet, Image("v2"))
			if !crashFor(ctx, c, away, UpdatedOn(1, updated, history.IsReady)) {
				return
			}
			c.AwaitAfter(ctx, time.Duration(minReady)*time.Second, RolledOut(updated))
		},
		func(j *spec.Checks) {
			// One that is back only later shows nothing about its clock.
			j.Given(Before(Nth(2, Marked(back)), PodAvailable(OfVersion("v2"))))
			j.Decide("RECOVERY-003", Within(spec.AtOnce, PodAvailable(OfVersion("v2")), PodDeleted(OfVersion("v1"))))
		}, spec.Alone{})
}

// away is how long nobody is at work while the clock runs: a clock that begins anew with its process is late by more than what counts as prompt.
const away = spec.AtOnce + 2*time.Second

// timeToComeBack finds out, before anything is at stake, how long the implementation takes to be at work again after a crash, and returns that in seconds
// with the time that it will be away and enough to spare.
func timeToComeBack(ctx context.Context, c *spec.Case, daemonSet *appsv1.DaemonSet) int32 {
	began := time.Now()
	crash(ctx, c, state.All())
	// One that is ready need not lead yet.
	c.RequireReconciled(ctx, daemonSet)
	took := time.Since(began)
	return int32((took + took/2 + away + 6*time.Second) / time.Second)
}
