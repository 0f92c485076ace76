package inplace

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// restartedSets are the specs of what is a restart of a StatefulSet's pod, and what looks like one.
func restartedSets() {
	spec.It("does not take a container of a StatefulSet's pod that comes late for an earlier update for that of the present one",
		spec.Decides("INPLACE-033"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 1)
			updateHeld(ctx, c)
			var images []string
			for _, set := range both() {
				images = append(images, patched(ctx, c, set, 1).Spec.Containers[0].Image)
			}
			updateBoth(ctx, c, OfPods(Image("v3")))
			for i, set := range both() {
				c.Require(ctx, "a pod that waits for its first restart is patched again", MemberIs(set, 1, "is patched again", OfTag("v3")))
				c.Pods.RestartAs(ctx, memberOf(ctx, c, set, 1), images[i])
			}
			// Longer than a controller may be late.
			c.Await(ctx, Quiet(3*time.Second))
			c.Mark(next)
			release(ctx, c, "v3", both(), 1, 0)
			c.Await(ctx, state.StatefulSetsRolledOut())
		},
		func(j *spec.Checks) {
			late := Began(history.RestartAs)
			j.Given(AtLeast(len(both()), late))
			j.Decide("INPLACE-033", append(stayed(begun), setsEndRolledOut())...)
			for _, set := range both() {
				j.Decide("INPLACE-033", NeverBetween(First(late), Marked(next), PodPatched(member(set, 0))))
			}
		}, spec.SimulatedNodes{}, recorded())

	spec.It("does not take a StatefulSet's pod for restarted that ceases to be Ready and is Ready again between its patch and its restart",
		spec.Decides("INPLACE-033"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 1)
			updateHeld(ctx, c)
			var pods []*corev1.Pod
			for _, set := range both() {
				pods = append(pods, patched(ctx, c, set, 1))
			}
			// Timestamps are in whole seconds: what comes now is younger than the patches.
			c.Await(ctx, Quiet(2*time.Second))
			const detail = "with the containers of before"
			for _, pod := range pods {
				rollouts.WriteReady(ctx, c, pod, history.BecomeUnready, corev1.ConditionFalse, time.Now(), detail)
			}
			c.Await(ctx, Quiet(2*time.Second))
			for _, pod := range pods {
				rollouts.WriteReady(ctx, c, pod, history.BecomeReady, corev1.ConditionTrue, time.Now(), detail)
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
			j.Given(AtLeast(len(both()), Done(history.BecomeReady)))
			j.Decide("INPLACE-033", append(stayed(begun), setsEndRolledOut())...)
			for _, set := range both() {
				j.Decide("INPLACE-033", NeverBetween(Marked(begun), Marked(next), PodPatched(member(set, 0))))
			}
		}, spec.SimulatedNodes{}, recorded())

	spec.It("counts a patched pod of a StatefulSet as available only when every container that was to be restarted has been, also if the policy is another one by then",
		spec.Decides("INPLACE-033"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 1)
			held := OfPods(c.InPlaceIfPossible(), Sidecar(), HoldRestarts())
			c.DeployStatefulSets(ctx, 2, map[string][]SetEdit{ordered: {held}, parallel: {held, Parallel()}})
			c.Mark(begun)
			updateBoth(ctx, c, OfPods(Image("v2"), SidecarImage("v2")))
			var pods []*corev1.Pod
			for _, set := range both() {
				pods = append(pods, patched(ctx, c, set, 1))
			}
			for _, pod := range pods {
				c.Pods.RestartContainer(ctx, pod, "sidecar")
			}
			// Longer than a controller may be late.
			c.Await(ctx, Quiet(3*time.Second))
			updateBoth(ctx, c, OfPods(c.Recreate()))
			c.Await(ctx, Quiet(3*time.Second))
			c.Mark(next)
			for _, pod := range pods {
				c.Pods.RestartContainer(ctx, pod, "daemon")
			}
			c.Await(ctx, state.StatefulSetsRolledOut())
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(2*len(both()), Began(history.RestartContainer)))
			j.Decide("INPLACE-033", setsEndRolledOut())
			for _, set := range both() {
				j.Decide("INPLACE-033",
					NeverBetween(Marked(begun), Marked(next), PodPatched(member(set, 0))), NeverBetween(Marked(begun), Marked(next), PodDeleted(member(set, 0))))
			}
		}, spec.SimulatedNodes{}, recorded())

	spec.It("waits for no restart of a StatefulSet's pod whose update is taken back before the kubelet came to it, nor for another image than one by another name",
		spec.Decides("INPLACE-018"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 1)
			held := OfPods(c.InPlaceIfPossible(), HoldRestarts())
			c.DeployStatefulSets(ctx, 2, map[string][]SetEdit{ordered: {held}, parallel: {held, Parallel()}, renamedImage: {OfPods(c.InPlaceIfPossible())}})
			c.Mark(begun)
			c.UpdateStatefulSet(ctx, renamedImage, OfPods(SameImageAgain()))
			updateBoth(ctx, c, OfPods(Image("v2")))
			for _, set := range both() {
				patched(ctx, c, set, 1)
			}
			updateBoth(ctx, c, OfPods(Image("v1")))
			for _, set := range both() {
				c.Require(ctx, "the pod is patched back", MemberIs(set, 1, "is patched back", OfTag("v1")))
				pod := memberOf(ctx, c, set, 1)
				if pod.Status.ObservedGeneration == 0 {
					c.CannotDecide("kubelets do not say here which change of a pod they have seen")
				}
				c.Pods.ObserveUpdate(ctx, pod)
			}
			c.Await(ctx, state.StatefulSetsRolledOut())
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, Marked(begun)))
			j.Decide("INPLACE-018", append(stayed(begun), setsEndRolledOut())...)
			for _, set := range both() {
				j.Decide("INPLACE-018", Exactly(2, PodPatched(member(set, 1))), Never(After(PodRestarted(member(set, 1)), Marked(begun))))
			}
			for ordinal := range 2 {
				j.Decide("INPLACE-018", Exactly(1, PodPatched(member(renamedImage, ordinal))))
			}
		}, spec.SimulatedNodes{}, recorded())

	spec.It("counts a pod of a StatefulSet whose update is taken back as unavailable until its kubelet has seen that",
		spec.Decides("INPLACE-033"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 1)
			updateHeld(ctx, c)
			for _, set := range both() {
				patched(ctx, c, set, 1)
			}
			updateBoth(ctx, c, OfPods(Image("v1")))
			var pods []*corev1.Pod
			for _, set := range both() {
				c.Require(ctx, "the pod is patched back", MemberIs(set, 1, "is patched back", OfTag("v1")))
				pod := memberOf(ctx, c, set, 1)
				if pod.Status.ObservedGeneration == 0 {
					c.CannotDecide("kubelets do not say here which change of a pod they have seen")
				}
				pods = append(pods, pod)
			}
			c.Await(ctx, oneIsAvailable())
			// Longer than a controller may be late.
			c.Await(ctx, Quiet(3*time.Second))
			c.Mark(next)
			for _, pod := range pods {
				c.Pods.ObserveUpdate(ctx, pod)
			}
			c.Await(ctx, state.StatefulSetsRolledOut())
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(len(both()), Done(history.ObserveUpdate)))
			j.Decide("INPLACE-033", append(stayed(begun), HoldsAtMark(next, oneIsAvailable()), setsEndRolledOut())...)
		}, spec.SimulatedNodes{}, recorded())

	spec.It("goes by the minReadySeconds that a StatefulSet has, though its template was changed before they were",
		spec.Decides("INPLACE-033"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 1)
			c.DeployStatefulSets(ctx, 3, map[string][]SetEdit{
				ordered:  {OfPods(c.InPlaceIfPossible(), MinReadySeconds(1)), Partition(2)},
				parallel: {OfPods(c.InPlaceIfPossible(), MinReadySeconds(1), KeepReady()), Partition(2), Parallel()},
			})
			updateBoth(ctx, c, OfPods(Image("v2")))
			c.Require(ctx, "the last pods are updated", state.StatefulSetsRolledOut())
			updateBoth(ctx, c, OfPods(MinReadySeconds(5)))
			// Longer than a controller may be late: the lesser time no longer excuses an early update.
			c.Await(ctx, Quiet(3*time.Second))
			updateBoth(ctx, c, Partition(0))
			c.Await(ctx, state.StatefulSetsRolledOut())
		}, nil, spec.SimulatedNodes{}, recorded())
}

// returnedSets is the spec of StatefulSets that go to a revision again.
func returnedSets() {
	spec.It("counts a pod of a StatefulSet as unavailable that is patched to a revision which it has been of before, until its containers have been restarted again",
		spec.Decides("INPLACE-033"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 1)
			inPlace := OfPods(c.InPlaceIfPossible())
			c.DeployStatefulSets(ctx, 2, map[string][]SetEdit{ordered: {inPlace}, parallel: {inPlace, Parallel()}})
			c.Mark(begun)
			for _, tag := range []string{"v2", "v1"} {
				updateBoth(ctx, c, OfPods(Image(tag)))
				c.Require(ctx, "the update is over", state.StatefulSetsRolledOut())
			}
			for _, set := range both() {
				for ordinal := range 2 {
					c.Pods.HoldRestart(ctx, memberOf(ctx, c, set, ordinal))
				}
			}
			c.Mark(last)
			updateBoth(ctx, c, OfPods(Image("v2")))
			for _, set := range both() {
				patched(ctx, c, set, 1)
			}
			// Longer than a controller may be late.
			c.Await(ctx, Quiet(3*time.Second))
			c.Mark(next)
			release(ctx, c, "v2", both(), 1, 0)
			c.Await(ctx, state.StatefulSetsRolledOut())
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, Marked(last)))
			j.Decide("INPLACE-033", append(stayed(begun), setsEndRolledOut())...)
			for _, set := range both() {
				j.Decide("INPLACE-033", NeverBetween(Marked(last), Marked(next), PodPatched(member(set, 0))))
			}
		}, spec.SimulatedNodes{}, recorded())
}

// renamedImage is the StatefulSet whose pods get the image that they have by another name.
const renamedImage = "renamed-image"

// updateHeld deploys both StatefulSets with two pods each, whose containers are not restarted before they are told to, and gives them another image.
func updateHeld(ctx context.Context, c *spec.Case) {
	held := OfPods(c.InPlaceIfPossible(), HoldRestarts())
	c.DeployStatefulSets(ctx, 2, map[string][]SetEdit{ordered: {held}, parallel: {held, Parallel()}})
	c.Mark(begun)
	updateBoth(ctx, c, OfPods(Image("v2")))
}
