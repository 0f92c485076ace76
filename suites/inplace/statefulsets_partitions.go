package inplace

import (
	"context"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// stagedSets is the spec of an update that is to reach no pod until the partition goes.
func stagedSets() {
	spec.It("updates no pod of a StatefulSet whose partition is above its last ordinal",
		spec.Decides("INPLACE-018"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 1)
			inPlace := OfPods(c.InPlaceIfPossible())
			c.DeployStatefulSets(ctx, 2, map[string][]SetEdit{ordered: {inPlace, Partition(2)}, parallel: {inPlace, Partition(2), Parallel()}})
			c.Mark(begun)
			updateBoth(ctx, c, OfPods(Image("v2")))
			c.Await(ctx, state.StatefulSetsRolledOut())
			// Longer than a controller may be late.
			c.Await(ctx, Quiet(3*time.Second))
			c.Mark(next)
			updateBoth(ctx, c, Partition(0))
			c.Await(ctx, state.StatefulSetsRolledOut())
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, Marked(begun)))
			j.Decide("INPLACE-018", NeverBetween(Marked(begun), Marked(next), PodPatched()), NeverBetween(Marked(begun), Marked(next), PodDeleted()), setsEndRolledOut())
		}, spec.SimulatedNodes{}, recorded())
}

// changedSets is the spec of StatefulSets that are changed in something else than their template while a pod restarts.
func changedSets() {
	spec.It("updates no other pod of a StatefulSet until the containers of one have been restarted, though its partition, and how many pods it is to have, change meanwhile",
		spec.Decides("INPLACE-033"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 1)
			held := OfPods(c.InPlaceIfPossible(), HoldRestarts())
			c.DeployStatefulSets(ctx, 3, map[string][]SetEdit{ordered: {held, Partition(2)}, parallel: {held, Partition(2), Parallel()}})
			c.Mark(begun)
			updateBoth(ctx, c, OfPods(Image("v2")))
			for _, set := range both() {
				c.Pods.ObserveUpdate(ctx, patched(ctx, c, set, 2))
			}
			updateBoth(ctx, c, Partition(0))
			// Longer than a controller may be late.
			c.Await(ctx, Quiet(3*time.Second))
			updateBoth(ctx, c, Replicas(4))
			c.Await(ctx, Quiet(3*time.Second))
			c.Mark(next)
			release(ctx, c, "v2", both(), 2, 1, 0)
			c.Await(ctx, state.StatefulSetsRolledOut())
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, Marked(next)))
			j.Decide("INPLACE-033", Tested(AtLeast(2, Done(history.ObserveUpdate))), setsEndRolledOut())
			for _, set := range both() {
				for ordinal := range 2 {
					j.Decide("INPLACE-033", NeverBetween(Marked(begun), Marked(next), PodPatched(member(set, ordinal))))
				}
			}
		}, spec.SimulatedNodes{}, recorded())
}

// closedSets is the spec of an update that is stopped by the partition while a pod restarts.
func closedSets() {
	spec.It("counts a patched pod of a StatefulSet as unavailable until its containers have been restarted, though the partition comes to be above it",
		spec.Decides("INPLACE-033"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 1)
			held := OfPods(c.InPlaceIfPossible(), HoldRestarts())
			c.DeployStatefulSets(ctx, 3, map[string][]SetEdit{ordered: {held}, parallel: {held, Parallel()}})
			c.Mark(begun)
			updateBoth(ctx, c, OfPods(Image("v2")))
			for _, set := range both() {
				c.Pods.ObserveUpdate(ctx, patched(ctx, c, set, 2))
			}
			// Longer than a controller may be late.
			c.Await(ctx, Quiet(3*time.Second))
			updateBoth(ctx, c, Partition(3))
			c.Await(ctx, Quiet(3*time.Second))
			c.Mark(next)
			release(ctx, c, "v2", both(), 2)
			c.Await(ctx, state.StatefulSetsRolledOut())
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, Marked(next)))
			j.Decide("INPLACE-033", Tested(AtLeast(2, Done(history.ObserveUpdate))), setsEndRolledOut())
		}, spec.SimulatedNodes{}, recorded())
}

// finishedSets is the spec of an update whose last pod restarts while the partition comes to be above all pods, for the next update.
func finishedSets() {
	spec.It("says that an update of a StatefulSet is over once its last pod has been restarted, though the partition has come to be above all pods meanwhile",
		spec.Decides("INPLACE-034"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 1)
			held := OfPods(c.InPlaceIfPossible(), HoldRestarts())
			c.DeployStatefulSets(ctx, 2, map[string][]SetEdit{ordered: {held}, parallel: {held, Parallel()}})
			updateBoth(ctx, c, OfPods(Image("v2")))
			release(ctx, c, "v2", both(), 1)
			for _, set := range both() {
				c.Require(ctx, "the last pod is patched", MemberIs(set, 0, "is patched", OfTag("v2")))
			}
			updateBoth(ctx, c, Partition(2))
			// Longer than a controller may be late.
			c.Await(ctx, Quiet(3*time.Second))
			release(ctx, c, "v2", both(), 0)
			c.Await(ctx, state.StatefulSetsRolledOut())
			// That may be said in a write of its own.
			over := c.AwaitAfter(ctx, 2*spec.Prompt, updatesAreOver())
			c.Mark(next)
			if !over {
				return
			}
			// Pods below the partition are of the revision that is current.
			for _, set := range both() {
				c.DeletePod(ctx, memberOf(ctx, c, set, 0), 0)
			}
			c.Await(ctx, Quiet(judge.Lag))
			c.Await(ctx, state.StatefulSetsRolledOut())
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, Marked(next)))
			j.Decide("INPLACE-034", HoldsAtMark(next, state.StatefulSetsRolledOut()), HoldsAtMark(next, updatesAreOver()), Never(After(PodCreated(OfVersion("v1")), Marked(next))), setsEndRolledOut())
		}, spec.SimulatedNodes{}, recorded())
}

// grownSets is the spec of an update of StatefulSets that are to have more pods at the same time.
func grownSets() {
	spec.It("updates no pod of a StatefulSet before those with larger ordinals are there that the same edit asks for",
		spec.Decides("INPLACE-018"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 1)
			inPlace := OfPods(c.InPlaceIfPossible())
			c.DeployStatefulSets(ctx, 2, map[string][]SetEdit{ordered: {inPlace}, parallel: {inPlace, Parallel()}})
			c.Mark(begun)
			updateBoth(ctx, c, Replicas(4), OfPods(Image("v2")))
			c.Await(ctx, state.StatefulSetsRolledOut())
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, Marked(begun)))
			j.Decide("INPLACE-018", Never(PodDeleted()), setsEndRolledOut())
			for _, set := range both() {
				j.Decide("INPLACE-018", Before(First(PodCreated(member(set, 3))), First(PodPatched(member(set, 1)))),
					Before(First(PodPatched(member(set, 1))), First(PodPatched(member(set, 0)))))
			}
		}, spec.SimulatedNodes{}, recorded())
}
