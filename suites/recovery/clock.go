package recovery

import (
	"context"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/expect"
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
			crash(ctx, c, "the updated pod is Ready", UpdatedOn(1, updated, history.IsReady))
			late := false
			c.Look(ctx, func(cluster *history.Cluster) {
				available := func(pod *corev1.Pod) bool { return history.IsAvailable(pod, minReady, cluster.Time) }
				late = UpdatedOn(1, updated, available)(cluster)
			})
			if late {
				c.CannotDecide("the controller took longer to come back than the updated pod to become available")
			}
			c.Await(ctx, RolledOut(updated))
			c.Decide("RECOVERY-003",
				Before(Nth(2, StimulusIs(back)), PodAvailable(OfVersion("v2"))),
				Within(judge.Prompt, PodAvailable(OfVersion("v2")), PodDeleted(OfVersion("v1"))),
				expect.RolledOut())
		}, spec.Alone{})
}

// timeToComeBack finds out, before anything is at stake, how long the implementation takes to be at work again after a crash, and returns that in seconds
// with enough to spare for the next time.
func timeToComeBack(ctx context.Context, c *spec.Case, daemonSet *appsv1.DaemonSet) int32 {
	began := time.Now()
	crash(ctx, c, "there is nothing to do", func(*history.Cluster) bool { return true })
	// One that is ready need not lead yet.
	c.AtWork(ctx, daemonSet)
	took := time.Since(began)
	return int32((took + took/2 + 6*time.Second) / time.Second)
}
