package inplace

import (
	"context"
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
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// crashes are the specs of a controller that is killed between a patch and the restart that it asks for.
func crashes() {
	spec.It("counts a pod as unavailable that another process has patched before a crash",
		spec.Decides("INPLACE-025"),
		func(ctx context.Context, c *spec.Case) {
			updated := c.Update(ctx, begin(ctx, c, 3, HoldRestarts()), Image("v2"))
			c.Require(ctx, "a pod is patched", UpdatedOn(1, updated))
			c.Kill(ctx)
			observeAll(ctx, c, updated)
			c.Restart(ctx)
			// Longer than a controller may be late.
			c.Await(ctx, Quiet(3*time.Second))
			c.Mark(next)
			releaseAll(ctx, c, updated)
		},
		func(j *spec.Checks) {
			back := Began(history.RestartImplementation)
			j.Given(AtLeast(1, back))
			j.Decide("INPLACE-025", append(stayed(begun), EndsRolledOut(), NeverBetween(Marked(begun), Marked(next), Nth(2, PodPatched())))...)
		}, spec.SimulatedNodes{}, spec.Alone{})

	spec.It("counts pods that another process has patched before a crash as unavailable, though one of them is back",
		spec.Decides("INPLACE-013"),
		func(ctx context.Context, c *spec.Case) {
			const limit = 2
			updated := c.Update(ctx, begin(ctx, c, 4, MaxUnavailable("2"), HoldRestarts()), Image("v2"))
			rollouts.Settle(ctx, c, updated, UpdatedOn(limit, updated))
			c.Kill(ctx)
			patched := held(ctx, c, updated)
			if len(patched) < limit {
				c.CannotDecide("fewer pods were patched than maxUnavailable allows")
			}
			observeAll(ctx, c, updated)
			c.Restart(ctx)
			// Longer than a controller may be late.
			c.Await(ctx, Quiet(3*time.Second))
			c.Mark(last)
			// One makes room for one.
			c.Pods.ReleaseRestart(ctx, patched[0])
			rollouts.Settle(ctx, c, updated, UpdatedOn(limit+1, updated))
			c.Mark(next)
			releaseAll(ctx, c, updated)
		},
		func(j *spec.Checks) {
			const limit = 2
			j.Given(AtLeast(1, Done(history.RestartImplementation)))
			j.Decide("INPLACE-013", append(stayed(begun), EndsRolledOut(),
				NeverBetween(Marked(begun), Marked(last), Nth(limit+1, PodPatched())), NeverBetween(Marked(begun), Marked(next), Nth(limit+2, PodPatched())))...)
		}, spec.SimulatedNodes{}, spec.Alone{})

	spec.It("does not take a container that comes late for an update which another process began before a crash for that of the present one",
		spec.Decides("INPLACE-027"),
		func(ctx context.Context, c *spec.Case) {
			updated := c.Update(ctx, begin(ctx, c, 2, HoldRestarts()), Image("v2"))
			c.Require(ctx, "a pod is patched", UpdatedOn(1, updated))
			c.Kill(ctx)
			second := c.Update(ctx, updated, Image("v3"))
			c.Restart(ctx)
			c.Require(ctx, "a pod that waits for its first restart is patched again", UpdatedOn(1, second))
			for _, pod := range held(ctx, c, second) {
				c.Pods.RestartAs(ctx, pod, updated.Spec.Template.Spec.Containers[0].Image)
			}
			// Longer than a controller may be late.
			c.Await(ctx, Quiet(3*time.Second))
			c.Mark(next)
			releaseAll(ctx, c, second)
		},
		func(j *spec.Checks) {
			late := Began(history.RestartAs)
			j.Given(AtLeast(1, Done(history.RestartImplementation)), AtLeast(1, late))
			j.Decide("INPLACE-027", append(stayed(begun), EndsRolledOut(), NeverBetween(First(late), Marked(next), PodPatched()))...)
		}, spec.SimulatedNodes{}, spec.Alone{})
}

// refused is the spec of an API server that has something against the new image.
func refused() {
	spec.It("keeps pods that the API server refuses to patch, says so, and patches them once it does not",
		spec.Decides("INPLACE-022", "INPLACE-029"),
		func(ctx context.Context, c *spec.Case) {
			daemonSet := begin(ctx, c, 2)
			c.Bind(refusedFor, daemonSet.Name)
			c.RefusePodUpdates(ctx)
			updated := c.Update(ctx, daemonSet, Image("v2"))
			c.AwaitAfter(ctx, judge.ReportWithin, state.When("an Event and a condition tell of the refusal", func(cluster *history.Cluster) bool {
				now := cluster.DaemonSets[daemonSet.UID]
				return now != nil && refusals(now) > 0 && slices.ContainsFunc(cluster.Reports[daemonSet.UID], tellsOfRefusal)
			}))
			// Longer than a controller may be late, and not long enough for delays to become long.
			c.Await(ctx, Past(time.Now().Add(3*time.Second)))
			c.AdmitPodUpdates(ctx)
			// It may be waiting before it tries again.
			c.AwaitAfter(ctx, retries, RolledOut(updated))
			c.Await(ctx, takenBackRefusal())
		},
		func(j *spec.Checks) {
			name := j.Bound(refusedFor)
			j.Given(AtLeast(1, Done(history.RefusePodUpdates)))
			j.Decide("INPLACE-022",
				Before(StatusWritten().Where("with a condition that tells of the refusal", func(m Moment) bool { return refusals(m.Object) > 0 }), Began(history.AdmitPodUpdates)),
				HoldsAtEnd(takenBackRefusal()))
			j.Decide("INPLACE-029", append(stayed(begun), EndsRolledOut(), Reported("on the DaemonSet, that the API server refuses", func(event *corev1.Event) bool {
				return event.InvolvedObject.Name == name && tellsOfRefusal(event)
			}))...)
		})
}

// refusedFor is the DaemonSet whose pods cannot be patched.
const refusedFor = "the DaemonSet"

// refusedOnOne is the spec of an API server that has something against the new image on one node of several.
func refusedOnOne() {
	spec.It("goes on saying that the API server refuses to patch a pod once it has patched those of the other nodes",
		spec.Decides("INPLACE-022"),
		func(ctx context.Context, c *spec.Case) {
			daemonSet := begin(ctx, c, 3, MaxUnavailable("2"))
			kept := c.LivePods(ctx, daemonSet)[2]
			c.RefusePodUpdates(ctx, kept)
			updated := c.Update(ctx, daemonSet, Image("v2"))
			c.Await(ctx, UpdatedOn(2, updated, history.IsReady))
			c.AwaitAfter(ctx, judge.ReportWithin, toldRefusal())
			c.Await(ctx, Quiet(3*time.Second))
			c.Mark(next)
			c.AdmitPodUpdates(ctx, kept)
			// It may be waiting before it tries again.
			c.AwaitAfter(ctx, retries, RolledOut(updated))
			c.Await(ctx, takenBackRefusal())
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, Done(history.RefusePodUpdates)), Before(Nth(2, PodPatched(OfVersion("v2"))), Marked(next)))
			j.Decide("INPLACE-022", HoldsAtMark(next, toldRefusal()), HoldsAtEnd(takenBackRefusal()))
		}, spec.SimulatedNodes{})
}

// toldRefusal holds when a condition has the API server's words.
func toldRefusal() Condition {
	return state.When("a condition tells of the refusal", func(cluster *history.Cluster) bool {
		for _, daemonSet := range cluster.DaemonSets {
			if refusals(daemonSet) > 0 {
				return true
			}
		}
		return false
	})
}

// takenBack is the spec of a DaemonSet that does not ask for patches any more, once the API server has refused them for long.
func takenBack() {
	spec.It("recreates a pod that the API server has refused to patch for long as soon as the policy asks for that",
		spec.Decides("INPLACE-002", "INPLACE-037"),
		func(ctx context.Context, c *spec.Case) {
			daemonSet := begin(ctx, c, 1)
			c.RefusePodUpdates(ctx)
			updated := c.Update(ctx, daemonSet, Image("v2"))
			c.Await(ctx, Past(time.Now().Add(untilRare)))
			c.Mark(next)
			c.Await(ctx, RolledOut(c.Update(ctx, updated, c.Recreate())))
		},
		func(j *spec.Checks) {
			asked := First(After(Began(history.UpdateDaemonSet), Marked(next)))
			j.Given(AtLeast(1, asked), NeverBetween(Done(history.RefusePodUpdates), asked, PodDeleted()), Never(PodPatched(OfVersion("v2"))))
			j.Decide("INPLACE-002", Within(spec.AtOnce, asked, PodDeleted(OfVersion("v1"))))
			j.Decide("INPLACE-037", PatchesSeldom(seldom))
		}, spec.SimulatedNodes{})
}

// untilRare is how long patches are refused until the pauses between attempts are clearly longer than what is prompt, if they double from a few milliseconds or
// more on, and none is about to end.
const untilRare = 12 * time.Second

// refusals counts the conditions of the DaemonSet that have the API server's words.
func refusals(object history.Object) (count int) {
	daemonSet, isDaemonSet := object.(*appsv1.DaemonSet)
	if !isDaemonSet {
		return 0
	}
	for _, condition := range daemonSet.Status.Conditions {
		if strings.Contains(condition.Message, RefusesImages) {
			count++
		}
	}
	return count
}

// takenBackRefusal holds when no condition has the API server's words any more.
func takenBackRefusal() Condition {
	return state.When("no condition tells of the refusal", func(cluster *history.Cluster) bool {
		for _, daemonSet := range cluster.DaemonSets {
			if refusals(daemonSet) > 0 {
				return false
			}
		}
		return true
	})
}

// seldom is how often a controller may try to patch one pod in a second while that is refused.
const seldom = 20

// retries is how long a controller may wait before it tries again what was refused for some seconds.
const retries = 30 * time.Second

// tellsOfRefusal reports whether the Event is a warning with the API server's words.
func tellsOfRefusal(event *corev1.Event) bool {
	return event.Type == corev1.EventTypeWarning && strings.Contains(event.Message, RefusesImages)
}
