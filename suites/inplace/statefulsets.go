package inplace

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
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
			j.Decide("INPLACE-034", setsEndRolledOut(), Exactly(4, RevisionCreated()), Exactly(2, After(RevisionRenumbered(), Marked(last))))
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
			release(ctx, c, both(), 2, 1, 0)
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
			c.AddNodes(ctx, 1)
			inPlace := OfPods(c.InPlaceIfPossible())
			c.DeployStatefulSets(ctx, 2, map[string][]SetEdit{ordered: {inPlace}, parallel: {inPlace, Parallel()}})
			c.Mark(begun)
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

// overtakenSets is the spec of StatefulSets whose update is overtaken by another one, and which keep no history but what they need.
func overtakenSets() {
	spec.It("patches the pods of a StatefulSet that an update which was overtaken had come to, though the history is to keep none but those in use",
		spec.Decides("INPLACE-031"),
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
			for _, set := range both() {
				for ordinal := range 3 {
					j.Decide("INPLACE-031", Exactly(1, PodPatched(member(set, ordinal), OfVersion("v3"))))
				}
			}
		}, spec.SimulatedNodes{}, recorded())
}

// recreatedSets is the spec of StatefulSets whose pods are not to be patched.
func recreatedSets() {
	const onDelete = "on-delete"
	variable := another("another variable", withVariable)
	const switched = "switched"
	changes := map[string][]Edit{
		"default": {Image("v2")}, "recreate": {Image("v2")}, onDelete: {Image("v2")}, switched: {Image("v2")}, "environment": {variable}, "image-and": {Image("v2"), variable},
	}
	spec.It("recreates the pods of a StatefulSet where patches are not asked for or would not do, and none with OnDelete",
		spec.Decides("INPLACE-032"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 1)
			inPlace := OfPods(c.InPlaceIfPossible())
			c.DeployStatefulSets(ctx, 1, map[string][]SetEdit{
				"default": nil, "recreate": {OfPods(c.Recreate())}, onDelete: {inPlace, SetOnDelete()}, "environment": {inPlace}, "image-and": {inPlace},
				// No pod is to be updated before the partition goes.
				switched: {inPlace, Partition(1)},
			})
			c.Mark(begun)
			for name, change := range changes {
				c.UpdateStatefulSet(ctx, name, OfPods(change...))
			}
			c.Await(ctx, state.StatefulSetsRolledOut("default", "recreate", "environment", "image-and"))
			// Longer than a controller may be late.
			c.Await(ctx, Quiet(3*time.Second))
			c.Mark(next)
			c.UpdateStatefulSet(ctx, switched, OfPods(c.Recreate()), Partition(0))
			for _, pod := range c.MembersOf(ctx, onDelete) {
				c.DeletePod(ctx, pod, time.Second)
			}
			c.Await(ctx, state.StatefulSetsRolledOut())
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, Marked(begun)))
			for name := range changes {
				j.Decide("INPLACE-032", Never(After(PodAltered(member(name, 0)), Marked(begun))), Exactly(1, After(PodCreated(member(name, 0)), Marked(begun))))
			}
			j.Decide("INPLACE-032", NeverBetween(Marked(begun), Marked(next), PodDeleted(member(onDelete, 0))))
		}, spec.SimulatedNodes{}, recorded())
}

// takenBackSets is the spec of StatefulSets whose update is taken back before it came to all pods.
func takenBackSets() {
	variable := another("another variable", withVariable)
	changes := map[string][]Edit{ordered: {variable}, parallel: {Image("v2"), variable}}
	spec.It("recreates the pods of a StatefulSet that an update which is taken back half way recreated",
		spec.Decides("INPLACE-032"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 1)
			inPlace := OfPods(c.InPlaceIfPossible())
			c.DeployStatefulSets(ctx, 2, map[string][]SetEdit{ordered: {inPlace, Partition(1)}, parallel: {inPlace, Partition(1), Parallel()}})
			for set, change := range changes {
				c.UpdateStatefulSet(ctx, set, OfPods(change...))
			}
			c.Require(ctx, "the pods from the partition on are updated", state.StatefulSetsRolledOut())
			c.Mark(begun)
			// The revision that is in force below the partition is that of the template again, and the other pods are of another.
			updateBoth(ctx, c, OfPods(Image("v1"), another("no other variable", withoutVariable)))
			c.Await(ctx, state.StatefulSetsRolledOut())
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, Marked(begun)))
			j.Decide("INPLACE-032", setsEndRolledOut())
			for _, set := range both() {
				j.Decide("INPLACE-032", Never(After(PodAltered(member(set, 1)), Marked(begun))), Exactly(1, After(PodCreated(member(set, 1)), Marked(begun))))
			}
		}, spec.SimulatedNodes{}, recorded())
}

// crashedSets is the spec of a controller that is killed between a patch and the restart that it asks for.
func crashedSets() {
	spec.It("updates no other pod of a StatefulSet while one is not back that another process has patched before a crash",
		spec.Decides("INPLACE-036"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 1)
			held := OfPods(c.InPlaceIfPossible(), HoldRestarts())
			c.DeployStatefulSets(ctx, 2, map[string][]SetEdit{ordered: {held}, parallel: {held, Parallel()}})
			c.Mark(begun)
			updateBoth(ctx, c, OfPods(Image("v2")))
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
			release(ctx, c, both(), 1, 0)
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

func updateBoth(ctx context.Context, c *spec.Case, edits ...SetEdit) {
	for _, set := range both() {
		c.UpdateStatefulSet(ctx, set, edits...)
	}
}

// patched waits until the pod with the ordinal has been patched to v2, and returns it.
func patched(ctx context.Context, c *spec.Case, set string, ordinal int) *corev1.Pod {
	c.Require(ctx, "a pod is patched", MemberIs(set, ordinal, "is patched", OfTag("v2")))
	return c.MembersOf(ctx, set, OfTag("v2"))[0]
}

// release restarts the containers of the pods with the ordinals, one after the other, as they are patched.
func release(ctx context.Context, c *spec.Case, sets []string, ordinals ...int) {
	for _, ordinal := range ordinals {
		for _, set := range sets {
			if !c.Await(ctx, MemberIs(set, ordinal, "is patched", OfTag("v2"))) {
				return
			}
			for _, pod := range c.MembersOf(ctx, set, OfTag("v2"), NotReady) {
				c.Pods.ReleaseRestart(ctx, pod)
			}
		}
	}
}

// memberOf returns the StatefulSet's live pod with the ordinal.
func memberOf(ctx context.Context, c *spec.Case, set string, ordinal int) *corev1.Pod {
	name := fmt.Sprintf("%s-%d", set, ordinal)
	c.Require(ctx, "the pod is there", MemberIs(set, ordinal, "is there"))
	return c.MembersOf(ctx, set, func(pod *corev1.Pod) bool { return pod.Name == name })[0]
}

func member(set string, ordinal int) Which { return Named(fmt.Sprintf("%s-%d", set, ordinal)) }

// theLastPodsGo holds when the StatefulSets have no live pods but those with the first two ordinals.
func theLastPodsGo() Condition {
	return state.When("no third pod is live", func(cluster *history.Cluster) bool {
		for _, pod := range cluster.Pods {
			if history.IsLive(pod) && strings.HasSuffix(pod.Name, "-2") {
				return false
			}
		}
		return true
	})
}

// updatesAreUnderWay holds when no status says that an update is over.
func updatesAreUnderWay() Condition {
	return state.When("no StatefulSet's status says that the update is over", func(cluster *history.Cluster) bool {
		for _, object := range cluster.Objects(history.KindStatefulSet) {
			if set, isSet := object.(*appsv1.StatefulSet); isSet && set.Status.CurrentRevision == set.Status.UpdateRevision {
				return false
			}
		}
		return true
	})
}

func setsEndRolledOut() Matcher { return ComesToHold(state.StatefulSetsRolledOut()) }

// withVariable gives the container another variable.
func withVariable(template *corev1.PodTemplateSpec) {
	container := &template.Spec.Containers[0]
	container.Env = append(container.Env, corev1.EnvVar{Name: "ANOTHER", Value: "variable"})
}

// withoutVariable takes it away again.
func withoutVariable(template *corev1.PodTemplateSpec) {
	container := &template.Spec.Containers[0]
	container.Env = slices.DeleteFunc(container.Env, func(variable corev1.EnvVar) bool { return variable.Name == "ANOTHER" })
}
