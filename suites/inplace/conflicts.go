package inplace

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// conflicts are the specs of patches that are planned for pods whose containers have been restarted meanwhile.
func conflicts() {
	spec.It("does not take a restart of a pod for that of its patch which was before the patch, and of which the controller heard after it",
		spec.Decides("INPLACE-013", "INPLACE-023"),
		func(ctx context.Context, c *spec.Case) {
			daemonSet := begin(ctx, c, 2, MaxUnavailable("1"), HoldRestarts())
			c.DelayWatches(ctx, heardLate, "pods")
			for _, pod := range c.LivePods(ctx, daemonSet) {
				c.Pods.RestartContainer(ctx, pod, "daemon")
			}
			updated := c.Update(ctx, daemonSet, Image("v2"))
			first := c.RequireUpdated(ctx, "a pod is patched", updated)
			c.EndWatchDelay(ctx)
			c.Pods.ObserveUpdate(ctx, first)
			// Longer than a controller may be late.
			c.Await(ctx, Quiet(3*time.Second))
			c.Mark(next)
			releaseAll(ctx, c, updated)
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(2, Done(history.RestartContainer)))
			for _, id := range []requirements.ID{"INPLACE-013", "INPLACE-023"} {
				j.Decide(id, NeverBetween(Marked(begun), Marked(next), Nth(2, PodPatched())), EndsRolledOut())
			}
		}, spec.Alone{Relay: true}, spec.SimulatedNodes{})

	spec.It("does not take a restart of a StatefulSet's pod for that of its patch which was before the patch, and of which the controller heard after it",
		spec.Decides("INPLACE-033"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 1)
			held := OfPods(c.InPlaceIfPossible(), HoldRestarts())
			c.DeployStatefulSets(ctx, 2, map[string][]SetEdit{ordered: {held}, parallel: {held, Parallel()}})
			var pods []*corev1.Pod
			for _, set := range both() {
				pods = append(pods, memberOf(ctx, c, set, 1))
			}
			c.Mark(begun)
			c.DelayWatches(ctx, heardLate, "pods")
			for _, pod := range pods {
				c.Pods.RestartContainer(ctx, pod, "daemon")
			}
			updateBoth(ctx, c, OfPods(Image("v2")))
			for i, set := range both() {
				pods[i] = patched(ctx, c, set, 1)
			}
			c.EndWatchDelay(ctx)
			for _, pod := range pods {
				c.Pods.ObserveUpdate(ctx, pod)
			}
			// Longer than a controller may be late.
			c.Await(ctx, Quiet(3*time.Second))
			c.Mark(next)
			for _, pod := range pods {
				c.Pods.ReleaseRestart(ctx, pod)
			}
			release(ctx, c, "v2", both(), 0)
			c.Await(ctx, state.StatefulSetsRolledOut())
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(len(both()), Done(history.RestartContainer)))
			j.Decide("INPLACE-033", setsEndRolledOut())
			for _, set := range both() {
				j.Decide("INPLACE-033", NeverBetween(Marked(begun), Marked(next), PodPatched(member(set, 0))))
			}
		}, spec.Alone{Relay: true}, spec.SimulatedNodes{}, recorded())
}

// heardLate is how late the controller hears of pods: its patches are on their way by then.
const heardLate = 2 * time.Second
