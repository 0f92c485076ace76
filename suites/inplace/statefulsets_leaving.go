package inplace

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// leavingSets is the spec of an update that comes while a pod of somebody else takes its time to terminate.
func leavingSets() {
	spec.It("patches the pods of a StatefulSet while a pod of another one is terminating",
		spec.Decides("INPLACE-031"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 1)
			inPlace := OfPods(c.InPlaceIfPossible())
			c.DeployStatefulSets(ctx, 2, map[string][]SetEdit{ordered: {inPlace}, parallel: {inPlace, Parallel()}})
			c.Require(ctx, "all pods are there", state.StatefulSetsRolledOut())
			leaves := memberOf(ctx, c, ordered, 1)
			c.Pods.HoldTermination(ctx, leaves)
			c.DeletePod(ctx, leaves, time.Minute)
			// By then everybody knows.
			c.Await(ctx, Quiet(judge.Lag))
			c.Mark(begun)
			c.UpdateStatefulSet(ctx, parallel, OfPods(Image("v2")))
			for _, ordinal := range []int{1, 0} {
				c.Await(ctx, MemberIs(parallel, ordinal, "is patched", OfTag("v2")))
			}
			c.Pods.ReleaseTermination(ctx, leaves)
			c.Await(ctx, state.StatefulSetsRolledOut())
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, Marked(begun)))
			for ordinal := range 2 {
				j.Decide("INPLACE-031", Exactly(1, PodPatched(member(parallel, ordinal), OfVersion("v2"))), Never(PodDeleted(member(parallel, ordinal))))
			}
			j.Decide("INPLACE-031", setsEndRolledOut())
		}, spec.SimulatedNodes{}, recorded())
}

// surplusSets is the spec of a patched pod that is one too many, and that stays until the one with the smallest ordinal is available.
func surplusSets() {
	spec.It("counts a patched pod of a StatefulSet as unavailable until its containers have been restarted, though it has come to be one too many",
		spec.Decides("INPLACE-033"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 1)
			c.DeployStatefulSets(ctx, 3, map[string][]SetEdit{ordered: {OfPods(c.InPlaceIfPossible(), HoldRestarts())}})
			c.UpdateStatefulSet(ctx, ordered, OfPods(Image("v2")))
			c.Pods.ObserveUpdate(ctx, patched(ctx, c, ordered, 2))
			smallest := memberOf(ctx, c, ordered, 0)
			c.Pods.BecomeUnready(ctx, smallest)
			// Longer than a controller may be late.
			c.Await(ctx, Quiet(3*time.Second))
			// Whoever does not wait for the smallest one deletes the last one at once.
			c.UpdateStatefulSet(ctx, ordered, Replicas(2))
			c.Await(ctx, Quiet(spec.AtOnce))
			c.Mark(next)
			c.Pods.BecomeReady(ctx, smallest)
			release(ctx, c, "v2", []string{ordered}, 1, 0)
			c.Await(ctx, state.StatefulSetsRolledOut())
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, Marked(next)))
			j.Decide("INPLACE-033", Tested(AtLeast(1, Done(history.ObserveUpdate))), HoldsAtMark(next, countsRestarted()), setsEndRolledOut())
		}, spec.SimulatedNodes{}, recorded())
}

// countsRestarted holds when the status of every StatefulSet counts as available what is Ready and runs the images of its spec.
func countsRestarted() Condition {
	return state.Right("the status counts those pods as available that are Ready and run their images", func(cluster *history.Cluster) error {
		available := map[types.UID]int32{}
		for _, pod := range cluster.Pods {
			if owner := metav1.GetControllerOf(pod); owner != nil && history.IsReady(pod) && pod.Status.ContainerStatuses[0].Image == pod.Spec.Containers[0].Image {
				available[owner.UID]++
			}
		}
		for _, object := range cluster.Objects(history.KindStatefulSet) {
			if set, isSet := object.(*appsv1.StatefulSet); isSet && set.Status.AvailableReplicas != available[set.UID] {
				return fmt.Errorf("that of %s counts %d, of %d", set.Name, set.Status.AvailableReplicas, available[set.UID])
			}
		}
		return nil
	})
}

// belowThePartition is the spec of an update that is staged, in which the pod that it leaves out is replaced.
func belowThePartition() {
	spec.It("does not say that an update of a StatefulSet is over while the pod below the partition terminates, which is the only one that is not updated",
		spec.Decides("INPLACE-018", "INPLACE-034"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 1)
			inPlace := OfPods(c.InPlaceIfPossible())
			c.DeployStatefulSets(ctx, 2, map[string][]SetEdit{ordered: {inPlace, Partition(1)}, parallel: {inPlace, Partition(1), Parallel()}})
			// The revision of before is not the last but one.
			for _, version := range []string{"v2", "v3"} {
				updateBoth(ctx, c, OfPods(Image(version)))
				c.Require(ctx, "the pods from the partition on are updated", state.StatefulSetsRolledOut())
			}
			// By then nobody goes by the template of before.
			c.Await(ctx, Quiet(2*judge.Lag))
			c.Mark(begun)
			var leaving []*corev1.Pod
			for _, set := range both() {
				pod := memberOf(ctx, c, set, 0)
				c.Pods.HoldTermination(ctx, pod)
				c.DeletePod(ctx, pod, time.Minute)
				leaving = append(leaving, pod)
			}
			// Longer than a controller may be late.
			c.Await(ctx, Quiet(3*time.Second))
			c.Mark(next)
			for _, pod := range leaving {
				c.Pods.ReleaseTermination(ctx, pod)
			}
			c.Await(ctx, state.StatefulSetsRolledOut())
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, Marked(begun)))
			j.Decide("INPLACE-018", setsEndRolledOut())
			j.Decide("INPLACE-034", setsEndRolledOut())
			for _, set := range both() {
				// Where the recording is late the update may have come before the first pods.
				j.Given(Before(First(PodCreated(member(set, 0), OfVersion("v1"))), Marked(begun)))
				j.Decide("INPLACE-018", AtLeast(1, After(PodCreated(member(set, 0), OfVersion("v1")), Marked(begun))), Never(PodCreated(member(set, 0), AllBut(OfVersion("v1")))))
			}
		}, spec.SimulatedNodes{}, recorded())
}
