package inplace

import (
	"context"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// edgesOfSets are the specs of StatefulSets of which one pod alone cannot be patched, that have no pods, and whose containers are updated one after the other.
func edgesOfSets() {
	spec.It("updates no pod of a StatefulSet while the API server refuses to patch the one with the largest ordinal, though it would have the others patched",
		spec.Decides("INPLACE-018"),
		func(ctx context.Context, c *spec.Case) {
			beginBoth(ctx, c)
			var largest []*corev1.Pod
			for _, set := range both() {
				largest = append(largest, memberOf(ctx, c, set, 1))
			}
			c.RefusePodUpdates(ctx, largest...)
			updateBoth(ctx, c, OfPods(Image("v2")))
			// Longer than a controller may be late, and not long enough for delays to become long.
			c.Await(ctx, Past(time.Now().Add(3*time.Second)))
			c.Mark(next)
			c.AdmitPodUpdates(ctx, largest...)
			// It may be waiting before it tries again.
			c.AwaitAfter(ctx, retries, state.StatefulSetsRolledOut())
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, Done(history.RefusePodUpdates)))
			j.Decide("INPLACE-018", append(stayed(begun), setsEndRolledOut(), NeverBetween(Marked(begun), Marked(next), PodPatched()))...)
		}, spec.SimulatedNodes{}, recorded())

	spec.It("says that an update of a StatefulSet without pods is over",
		spec.Decides("INPLACE-034"),
		func(ctx context.Context, c *spec.Case) {
			beginBoth(ctx, c)
			updateBoth(ctx, c, Replicas(0))
			c.Require(ctx, "there are no pods", state.StatefulSetsRolledOut())
			updateBoth(ctx, c, OfPods(Image("v2")))
			c.Await(ctx, state.StatefulSetsRolledOut())
			c.Mark(next)
			// Pods below the partition are of the revision that was in force before.
			updateBoth(ctx, c, Replicas(2), Partition(2))
			c.Await(ctx, state.StatefulSetsRolledOut())
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, Marked(begun)))
			j.Decide("INPLACE-034", HoldsAtMark(next, state.StatefulSetsRolledOut()), Never(After(PodCreated(OfVersion("v1")), Marked(next))), setsEndRolledOut())
		}, spec.SimulatedNodes{}, recorded())

	spec.It("counts a pod of a StatefulSet as unavailable until each of its containers has been restarted that two updates, one after the other, changed",
		spec.Decides("INPLACE-033"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 1)
			held := OfPods(c.InPlaceIfPossible(), Sidecar(), HoldRestarts())
			c.DeployStatefulSets(ctx, 2, map[string][]SetEdit{ordered: {held}, parallel: {held, Parallel()}})
			c.Mark(begun)
			updateBoth(ctx, c, OfPods(Image("v2")))
			for _, set := range both() {
				patched(ctx, c, set, 1)
			}
			updateBoth(ctx, c, OfPods(SidecarImage("v2")))
			var pods []*corev1.Pod
			for _, set := range both() {
				c.Require(ctx, "a pod that waits for its first restart is patched again", MemberIs(set, 1, "is patched again", sidecarOf("v2")))
				pods = append(pods, memberOf(ctx, c, set, 1))
			}
			for _, pod := range pods {
				c.Pods.RestartContainer(ctx, pod, "sidecar")
			}
			// Longer than a controller may be late.
			c.Await(ctx, Quiet(3*time.Second))
			c.Mark(next)
			release(ctx, c, "v2", both(), 1, 0)
			c.Await(ctx, state.StatefulSetsRolledOut())
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(len(both()), Began(history.RestartContainer)))
			j.Decide("INPLACE-033", append(stayed(begun), setsEndRolledOut())...)
			for _, set := range both() {
				j.Decide("INPLACE-033", NeverBetween(Marked(begun), Marked(next), PodPatched(member(set, 0))))
			}
		}, spec.SimulatedNodes{}, recorded())
}

// sidecarOf picks the pods whose container "sidecar" is to run the image with the tag.
func sidecarOf(tag string) Trait {
	return func(pod *corev1.Pod) bool {
		return slices.ContainsFunc(pod.Spec.Containers, func(container corev1.Container) bool {
			return container.Name == "sidecar" && strings.HasSuffix(container.Image, ":"+tag)
		})
	}
}
