package inplace

import (
	"context"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// notScheduledSets is the spec of a StatefulSet's pod that cannot be patched, since it does not run.
func notScheduledSets() {
	spec.It("recreates a pod of a StatefulSet that is not scheduled",
		spec.Decides("INPLACE-018"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 1)
			c.DeployStatefulSets(ctx, 2, map[string][]SetEdit{parallel: {OfPods(c.InPlaceIfPossible()), Parallel()}})
			waits := func(tag string) Condition { return MemberIs(parallel, 1, "waits for a node", OfTag(tag), unscheduled) }
			c.UpdateStatefulSet(ctx, parallel, OfPods(Image("v2"), rollouts.Demand("1M")))
			c.Require(ctx, "a pod waits for a node", waits("v2"))
			c.Await(ctx, Quiet(known))
			c.UpdateStatefulSet(ctx, parallel, OfPods(Image("v3")))
			c.Await(ctx, waits("v3"))
			c.UpdateStatefulSet(ctx, parallel, OfPods(Image("v4"), rollouts.Demand("1m")))
			c.Await(ctx, state.StatefulSetsRolledOut())
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, PodCreated(member(parallel, 1), OfVersion("v2"))))
			j.Decide("INPLACE-018", setsEndRolledOut(), AtLeast(1, PodCreated(member(parallel, 1), OfVersion("v3"))),
				Never(PodPatched(member(parallel, 1)).Where("not scheduled", func(m Moment) bool {
					before, _ := m.Before.(*corev1.Pod)
					return before != nil && unscheduled(before)
				})))
		}, spec.SimulatedNodes{}, recorded())
}

// handPatchedSets is the spec of a StatefulSet of which somebody has given a pod an image by hand, as a hot fix, before its template has it.
func handPatchedSets() {
	spec.It("patches the other pods of a StatefulSet when the template gets the image that somebody gave one pod by hand before",
		spec.Decides("INPLACE-031"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 1)
			inPlace := OfPods(c.InPlaceIfPossible())
			c.DeployStatefulSets(ctx, 3, map[string][]SetEdit{ordered: {inPlace}, parallel: {inPlace, Parallel()}})
			c.Mark(begun)
			for _, set := range both() {
				c.PatchImage(ctx, memberOf(ctx, c, set, 2), "v2")
				c.Require(ctx, "the pod runs the image", MemberIs(set, 2, "runs the image that it was given", OfTag("v2"), history.IsReady))
			}
			// By then everybody knows.
			c.Await(ctx, Quiet(judge.Lag))
			c.Mark(next)
			updateBoth(ctx, c, OfPods(Image("v2")))
			c.Await(ctx, state.StatefulSetsRolledOut())
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, Marked(next)))
			j.Decide("INPLACE-031", setsEndRolledOut())
			for _, set := range both() {
				// What becomes of the other one, which has the image already, is not said.
				for ordinal := range 2 {
					which := member(set, ordinal)
					j.Decide("INPLACE-031", Exactly(1, PodPatched(which, OfVersion("v2"))), Never(After(PodDeleted(which), Marked(begun))))
				}
			}
		}, spec.SimulatedNodes{}, recorded())
}

// seldomSets is the spec of how often patches are tried that the API server refuses.
func seldomSets() {
	spec.It("tries with pauses to patch a pod of a StatefulSet that the API server refuses to patch",
		spec.Decides("INPLACE-038"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 1)
			c.DeployStatefulSets(ctx, 1, map[string][]SetEdit{ordered: {OfPods(c.InPlaceIfPossible())}})
			c.RefusePodUpdates(ctx)
			c.UpdateStatefulSet(ctx, ordered, OfPods(Image("v2")))
			c.Await(ctx, Past(time.Now().Add(spec.AtOnce)))
			c.AdmitPodUpdates(ctx)
			// It may be waiting before it tries again.
			c.AwaitAfter(ctx, retries, state.StatefulSetsRolledOut())
		},
		func(j *spec.Checks) { j.Decide("INPLACE-038", PatchesSeldom(seldom), setsEndRolledOut()) }, spec.SimulatedNodes{}, recorded())
}

// refusedSets is the spec of an API server that has something against the new image of StatefulSets' pods.
func refusedSets() {
	spec.It("keeps the pods of a StatefulSet that the API server refuses to patch, says so, and patches them once it does not",
		spec.Decides("INPLACE-018", "INPLACE-031"),
		func(ctx context.Context, c *spec.Case) {
			beginBoth(ctx, c)
			c.RefusePodUpdates(ctx)
			updateBoth(ctx, c, OfPods(Image("v2")))
			c.AwaitAfter(ctx, judge.ReportWithin, state.When("an Event about each StatefulSet tells of the refusal", func(cluster *history.Cluster) bool {
				for _, set := range cluster.Objects(history.KindStatefulSet) {
					if !slices.ContainsFunc(cluster.Reports[set.GetUID()], tellsOfRefusal) {
						return false
					}
				}
				return true
			}))
			// Longer than a controller may be late, and not long enough for delays to become long.
			c.Await(ctx, Past(time.Now().Add(3*time.Second)))
			c.AdmitPodUpdates(ctx)
			// It may be waiting before it tries again.
			c.AwaitAfter(ctx, retries, state.StatefulSetsRolledOut())
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, Done(history.RefusePodUpdates)))
			j.Decide("INPLACE-031", append(stayed(begun), setsEndRolledOut())...)
			for _, set := range both() {
				j.Decide("INPLACE-018", Reported("about StatefulSet "+set+" that the API server refuses", func(event *corev1.Event) bool {
					return event.InvolvedObject.Name == set && tellsOfRefusal(event)
				}))
			}
		}, spec.SimulatedNodes{}, recorded())
}
