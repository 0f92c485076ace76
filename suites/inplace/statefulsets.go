package inplace

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// The StatefulSets whose pods are created one after the other, and all at once.
const (
	ordered  = "ordered"
	parallel = "parallel"
)

// raised is where the partition is raised, last where the last update begins.
const (
	raised history.Mark = "the partition is raised"
	remade history.Mark = "a pod is recreated"
	last   history.Mark = "the last part begins"
)

// both are these two.
func both() []string { return []string{ordered, parallel} }

// recorded are the kinds that specs of StatefulSets record besides.
func recorded() spec.Kinds { return spec.Kinds{history.KindStatefulSet} }

// statefulSets are the specs of StatefulSets.
func statefulSets() {
	spec.It("patches the pods of a StatefulSet one after the other, from the largest ordinal down to the partition, and when the images change back",
		spec.Decides("INPLACE-018", "INPLACE-031", "INPLACE-034"),
		func(ctx context.Context, c *spec.Case) {
			node := c.AddNodes(ctx, 1)[0]
			inPlace := OfPods(c.InPlaceIfPossible(), Sidecar(), InitContainer())
			c.DeployStatefulSets(ctx, 3, map[string][]SetEdit{ordered: {inPlace, ClaimsOn(node)}, parallel: {inPlace, Parallel()}})
			c.Mark(begun)
			updateBoth(ctx, c, Partition(1), OfPods(Image("v2"), SidecarImage("v2")))
			c.Await(ctx, state.StatefulSetsRolledOut())
			c.Mark(raised)
			// Nothing is taken back.
			updateBoth(ctx, c, Partition(2))
			c.Await(ctx, state.StatefulSetsRolledOut())
			// Longer than a controller may be late.
			c.Await(ctx, Quiet(3*time.Second))
			c.Mark(next)
			updateBoth(ctx, c, Partition(0))
			c.Await(ctx, state.StatefulSetsRolledOut())
			c.Mark(last)
			updateBoth(ctx, c, OfPods(Image("v1"), SidecarImage("v1")))
			c.Await(ctx, state.StatefulSetsRolledOut())
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, Marked(begun)))
			j.Decide("INPLACE-018", NeverBetween(Marked(raised), Marked(next), PodPatched()), HoldsAtMark(last, state.StatefulSetsRolledOut()))
			j.Decide("INPLACE-034", HoldsAtMark(raised, state.StatefulSetsRolledOut()), HoldsAtMark(next, state.StatefulSetsRolledOut()))
			for _, set := range both() {
				j.Decide("INPLACE-018", NeverBetween(Marked(begun), Marked(next), PodPatched(member(set, 0))))
				for ordinal := range 2 {
					j.Decide("INPLACE-018", Before(First(PodPatched(member(set, ordinal+1))), First(PodPatched(member(set, ordinal)))))
				}
				for ordinal := range 3 {
					j.Decide("INPLACE-031", Exactly(1, PodPatched(member(set, ordinal), OfVersion("v2"))), Exactly(1, PodPatched(member(set, ordinal), OfVersion("v1"))))
				}
			}
			j.Decide("INPLACE-018", setsEndRolledOut())
			j.Decide("INPLACE-031", stayed(begun)...)
			j.Decide("INPLACE-034", setsEndRolledOut(), Exactly(2*len(both()), RevisionCreated()))
		}, spec.SimulatedNodes{}, recorded())

	spec.It("updates the pods of a StatefulSet by their ordinals, which are not in the order of names, wherever these begin, whichever pod is not available, and none below the partition that is lost",
		spec.Decides("INPLACE-018"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 1)
			inPlace := OfPods(c.InPlaceIfPossible())
			c.DeployStatefulSets(ctx, 3, map[string][]SetEdit{
				ordered: {inPlace, OrdinalsFrom(8), Partition(9)}, parallel: {inPlace, OrdinalsFrom(8), Partition(9), Parallel()},
			})
			var unready []*corev1.Pod
			for _, set := range both() {
				pod := memberOf(ctx, c, set, 9)
				c.Pods.BecomeUnready(ctx, pod)
				unready = append(unready, pod)
			}
			// By then everybody knows.
			c.Await(ctx, Quiet(judge.Lag))
			c.Mark(begun)
			updateBoth(ctx, c, OfPods(Image("v2")))
			for _, set := range both() {
				c.Await(ctx, MemberIs(set, 9, "is patched", OfTag("v2")))
			}
			for _, pod := range unready {
				c.Pods.BecomeReady(ctx, pod)
			}
			c.Await(ctx, state.StatefulSetsRolledOut())
			c.Mark(remade)
			for _, set := range both() {
				lost := memberOf(ctx, c, set, 8)
				c.DeletePod(ctx, lost, time.Second)
				c.Await(ctx, MemberIs(set, 8, "is there again", func(pod *corev1.Pod) bool { return pod.UID != lost.UID }, history.IsReady))
			}
			c.Await(ctx, state.StatefulSetsRolledOut())
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, Marked(begun)))
			j.Decide("INPLACE-018", setsEndRolledOut())
			for _, set := range both() {
				j.Decide("INPLACE-018", Before(First(PodPatched(member(set, 10))), First(PodPatched(member(set, 9)))), Never(PodPatched(member(set, 8))),
					AtLeast(1, After(PodCreated(member(set, 8), OfVersion("v1")), Marked(remade))), Never(PodCreated(member(set, 8), OfVersion("v2"))))
			}
		}, spec.SimulatedNodes{}, recorded())
}

// setsUnderWay are the specs of updates of StatefulSets that are not through: by their status, while a pod restarts, and with an image that does not start.
func setsUnderWay() {
	spec.It("says that an update of a StatefulSet is over when all pods that are asked for are updated, not when as many are",
		spec.Decides("INPLACE-034"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 1)
			inPlace := OfPods(c.InPlaceIfPossible())
			c.DeployStatefulSets(ctx, 3, map[string][]SetEdit{ordered: {inPlace, Partition(1)}, parallel: {inPlace, Partition(1), Parallel()}})
			updateBoth(ctx, c, OfPods(Image("v2")))
			c.Require(ctx, "all pods from the partition on are updated", state.StatefulSetsRolledOut())
			var tooMany []*corev1.Pod
			for _, set := range both() {
				pod := memberOf(ctx, c, set, 2)
				c.Pods.HoldTermination(ctx, pod)
				tooMany = append(tooMany, pod)
			}
			c.Mark(begun)
			// Two pods are updated, and two are asked for: the other of these is old.
			updateBoth(ctx, c, Replicas(2))
			c.Await(ctx, theLastPodsGo())
			// Longer than a controller may be late.
			c.Await(ctx, Quiet(3*time.Second))
			c.Mark(next)
			for _, pod := range tooMany {
				c.Pods.ReleaseTermination(ctx, pod)
			}
			c.Await(ctx, state.StatefulSetsRolledOut())
			c.Mark(last)
			updateBoth(ctx, c, Partition(0))
			c.Await(ctx, state.StatefulSetsRolledOut())
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, Marked(begun)))
			j.Decide("INPLACE-034", HoldsAtMark(next, updatesAreUnderWay()), HoldsAtMark(last, state.StatefulSetsRolledOut()), setsEndRolledOut())
		}, spec.SimulatedNodes{}, recorded())

	spec.It("updates no other pod of a StatefulSet until the containers of one have been restarted, and for minReadySeconds after",
		spec.Decides("INPLACE-018", "INPLACE-033"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 1)
			held, patient := OfPods(c.InPlaceIfPossible(), HoldRestarts()), OfPods(c.InPlaceIfPossible(), KeepReady(), MinReadySeconds(2))
			c.DeployStatefulSets(ctx, 3, map[string][]SetEdit{ordered: {held}, parallel: {held, Parallel()}, "patient": {patient, Parallel()}})
			c.Mark(begun)
			c.UpdateStatefulSet(ctx, "patient", OfPods(Image("v2")))
			updateBoth(ctx, c, OfPods(Image("v2")))
			for _, set := range both() {
				c.Pods.ObserveUpdate(ctx, patched(ctx, c, set, 2))
			}
			// Longer than a controller may be late.
			c.Await(ctx, Quiet(3*time.Second))
			c.Mark(remade)
			// In one StatefulSet the next pod is replaced by an updated one, which is not the one that is waited for. In the other, that one terminates slowly.
			c.DeletePod(ctx, memberOf(ctx, c, ordered, 1), time.Second)
			going := memberOf(ctx, c, parallel, 2)
			c.Pods.HoldTermination(ctx, going)
			c.DeletePod(ctx, going, time.Minute)
			c.Await(ctx, MemberIs(ordered, 1, "is there again", OfTag("v2"), history.IsReady))
			c.Await(ctx, Quiet(3*time.Second))
			c.Mark(next)
			// Its replacement is new, and needs no restart.
			c.Pods.ReleaseTermination(ctx, going)
			c.Await(ctx, MemberIs(parallel, 2, "is there again", OfTag("v2"), history.IsReady))
			release(ctx, c, "v2", both(), 2, 1, 0)
			c.Await(ctx, state.StatefulSetsRolledOut())
		},
		func(j *spec.Checks) {
			j.Decide("INPLACE-018", setsEndRolledOut())
			j.Decide("INPLACE-033", Tested(AtLeast(2, Done(history.ObserveUpdate))), setsEndRolledOut())
			for _, set := range both() {
				j.Decide("INPLACE-033", NeverBetween(Marked(begun), Marked(remade), PodPatched(member(set, 1))), NeverBetween(Marked(begun), Marked(next), PodPatched(member(set, 0))))
			}
			j.Decide("INPLACE-033", NeverBetween(Marked(begun), Marked(next), PodPatched(member(parallel, 1))))
		}, spec.SimulatedNodes{}, recorded())

	spec.It("leaves the pods of a StatefulSet where they are when an image does not start, and another update in place repairs them",
		spec.Decides("INPLACE-035"),
		func(ctx context.Context, c *spec.Case) {
			beginBoth(ctx, c)
			updateBoth(ctx, c, OfPods(UnpullableImage()))
			for _, set := range both() {
				c.Require(ctx, "an image does not start", MemberIs(set, 1, "waits for its image", Waiting))
			}
			// Longer than a controller may be late.
			c.Await(ctx, Quiet(3*time.Second))
			c.Mark(next)
			updateBoth(ctx, c, OfPods(Image("v3")))
			c.Await(ctx, state.StatefulSetsRolledOut())
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, Marked(next)))
			j.Decide("INPLACE-035", append(stayed(begun), setsEndRolledOut())...)
			for _, set := range both() {
				j.Decide("INPLACE-035", NeverBetween(Marked(begun), Marked(next), PodPatched(member(set, 0))), Exactly(1, After(PodPatched(member(set, 1)), Marked(next))))
			}
		}, spec.SimulatedNodes{}, recorded())
}

// repairedSets is the spec of an update that repairs a pod, whose new container takes its time.
func repairedSets() {
	spec.It("updates no other pod of a StatefulSet before the one is back whose image did not start, and which another update repairs",
		spec.Decides("INPLACE-033", "INPLACE-035"),
		func(ctx context.Context, c *spec.Case) {
			beginBoth(ctx, c)
			updateBoth(ctx, c, OfPods(UnpullableImage()))
			for _, set := range both() {
				c.Require(ctx, "an image does not start", MemberIs(set, 1, "waits for its image", Waiting))
				c.Pods.HoldRestart(ctx, memberOf(ctx, c, set, 1))
			}
			updateBoth(ctx, c, OfPods(Image("v3")))
			for _, set := range both() {
				c.Require(ctx, "the pod is repaired", MemberIs(set, 1, "is patched", OfTag("v3")))
			}
			// Longer than a controller may be late.
			c.Await(ctx, Quiet(3*time.Second))
			c.Mark(next)
			release(ctx, c, "v3", both(), 1)
			c.Await(ctx, state.StatefulSetsRolledOut())
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, Marked(next)))
			j.Decide("INPLACE-035", append(stayed(begun), setsEndRolledOut())...)
			for _, set := range both() {
				j.Decide("INPLACE-033", NeverBetween(Marked(begun), Marked(next), PodPatched(member(set, 0))))
			}
		}, spec.SimulatedNodes{}, recorded())
}

// repairedInPart is the spec of an update that repairs one container of a pod, of which another was restarted for the update before.
func repairedInPart() {
	spec.It("goes on with the other pods of a StatefulSet once the one container is repaired whose image did not start, though no other is restarted again",
		spec.Decides("INPLACE-033", "INPLACE-035"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 1)
			inPlace := OfPods(c.InPlaceIfPossible(), Sidecar())
			c.DeployStatefulSets(ctx, 2, map[string][]SetEdit{ordered: {inPlace}, parallel: {inPlace, Parallel()}})
			c.Mark(begun)
			updateBoth(ctx, c, OfPods(UnpullableImage(), SidecarImage("v2")))
			for _, set := range both() {
				c.Require(ctx, "an image does not start", MemberIs(set, 1, "waits for its image", Waiting, sidecarOf("v2")))
			}
			// Longer than a controller may be late, and than the other container takes.
			c.Await(ctx, Quiet(3*time.Second))
			c.Mark(next)
			updateBoth(ctx, c, OfPods(Image("v3")))
			c.Await(ctx, state.StatefulSetsRolledOut())
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, Marked(next)))
			j.Decide("INPLACE-033", setsEndRolledOut())
			j.Decide("INPLACE-035", append(stayed(begun), setsEndRolledOut())...)
		}, spec.SimulatedNodes{}, recorded())
}

// overtakenSets is the spec of StatefulSets whose update is overtaken by another one, and which keep no history but what they need.
func overtakenSets() {
	spec.It("patches the pods of a StatefulSet that an update which was overtaken had come to, though the history is to keep none but those in use",
		spec.Decides("INPLACE-031", "INPLACE-034"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 1)
			inPlace := OfPods(c.InPlaceIfPossible())
			c.DeployStatefulSets(ctx, 3, map[string][]SetEdit{
				ordered: {inPlace, Partition(1), HistoryLimit(0)}, parallel: {inPlace, Partition(1), HistoryLimit(0), Parallel()},
			})
			c.Mark(begun)
			updateBoth(ctx, c, OfPods(Image("v2")))
			c.Require(ctx, "the pods from the partition on are updated", state.StatefulSetsRolledOut())
			// Nothing but pods is of the second revision now: the status speaks of the first and the third.
			updateBoth(ctx, c, OfPods(Image("v3")))
			c.Await(ctx, state.StatefulSetsRolledOut())
			c.Mark(next)
			updateBoth(ctx, c, Partition(0))
			c.Await(ctx, state.StatefulSetsRolledOut())
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, Marked(begun)))
			j.Decide("INPLACE-031", append(stayed(begun), setsEndRolledOut())...)
			// What the overtaken revision becomes in the status, the rule says.
			j.Decide("INPLACE-034", HoldsAtMark(next, updatesAreUnderWay()), setsEndRolledOut())
			for _, set := range both() {
				for ordinal := range 3 {
					j.Decide("INPLACE-031", Exactly(1, PodPatched(member(set, ordinal), OfVersion("v3"))))
				}
			}
		}, spec.SimulatedNodes{}, recorded())
}

// crashedSets is the spec of a controller that is killed between a patch and the restart that it asks for.
func crashedSets() {
	spec.It("updates no other pod of a StatefulSet while one is not back that another process has patched before a crash",
		spec.Decides("INPLACE-036"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 1)
			updateHeld(ctx, c)
			var pods []*corev1.Pod
			for _, set := range both() {
				pods = append(pods, patched(ctx, c, set, 1))
			}
			c.Kill(ctx)
			for _, pod := range pods {
				c.Pods.ObserveUpdate(ctx, pod)
			}
			c.Restart(ctx)
			// Longer than a controller may be late.
			c.Await(ctx, Quiet(3*time.Second))
			c.Mark(next)
			release(ctx, c, "v2", both(), 1, 0)
			c.Await(ctx, state.StatefulSetsRolledOut())
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, Done(history.RestartImplementation)))
			j.Decide("INPLACE-036", append(stayed(begun), setsEndRolledOut())...)
			for _, set := range both() {
				j.Decide("INPLACE-036", NeverBetween(Marked(begun), Marked(next), PodPatched(member(set, 0))))
			}
		}, spec.SimulatedNodes{}, spec.Alone{}, recorded())
}
