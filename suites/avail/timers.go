package avail

import (
	"context"
	"fmt"
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

// minReady is long enough, in seconds, for a pod to be Ready for two of them and for a kubelet's probe to fail, which has been seen to take 4.
const minReady = 10

// timers are the specs of what only the passing of time brings about. Where a controller has to act by itself it is alone: other scenarios' nodes
// would wake it.
func timers() {
	spec.It("starts minReadySeconds again when a pod was not Ready in between",
		spec.Decides("AVAIL-004"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 1)
			daemonSet := c.Deploy(ctx, MaxSurge("1"), MinReadySeconds(minReady))
			updated := c.Update(ctx, daemonSet, Image("v2"))
			pod := readyPodOn(ctx, c, updated, nodes[0])
			first, _ := history.AvailableFrom(pod, minReady)
			flap(ctx, c, pod)
			// A decision is due when the first minReadySeconds are over, and another when the second are.
			c.Await(ctx, Past(first.Add(500*time.Millisecond)))
			nudge(ctx, c, updated)
			c.Await(ctx, readyFor(pod, (minReady+1)*time.Second))
			nudge(ctx, c, updated)
			c.Await(ctx, RolledOut(updated))
		},
		func(j *spec.Checks) {
			pod := Named(j.Bound("pod"))
			j.Given(AtLeast(2, PodReady(pod)))
			j.Decide("AVAIL-004", Before(PodAvailable(pod), PodDeleted(OfVersion("v1"))))
		})

	spec.It("acts by itself when minReadySeconds have passed since a pod became Ready for the second time",
		spec.Decides("AVAIL-005", "STATUS-005"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 1)
			daemonSet := c.Deploy(ctx, MaxSurge("1"), MinReadySeconds(minReady))
			updated := c.Update(ctx, daemonSet, Image("v2"))
			flap(ctx, c, readyPodOn(ctx, c, updated, nodes[0]))
			c.AwaitAfter(ctx, minReady*time.Second, RolledOut(updated))
			// Nothing but the status has to follow where no pod is to be replaced, with either strategy.
			for _, strategy := range []Edit{MaxSurge("1"), OnDelete()} {
				updated = c.Update(ctx, updated, MinReadySeconds(3), strategy)
				c.Require(ctx, "the controller has seen the change", Processed(updated))
				deleted := c.LivePodOn(ctx, updated, nodes[0])
				c.DeletePod(ctx, deleted, 0)
				c.Await(ctx, UpdatedOn(1, updated, func(pod *corev1.Pod) bool { return pod.UID != deleted.UID }))
				c.Await(ctx, RolledOut(updated))
				c.AwaitAfter(ctx, 2*spec.Prompt, reported(updated, 1))
			}
			// The same with an old pod.
			outdated := c.LivePodOn(ctx, updated, nodes[0])
			updated = c.Update(ctx, updated, Image("v3"))
			c.Require(ctx, "the controller has seen the template", Processed(updated))
			c.Pods.BecomeUnready(ctx, outdated)
			c.AwaitAfter(ctx, 2*spec.Prompt, reported(updated, 0))
			c.Pods.BecomeReady(ctx, outdated)
			c.AwaitAfter(ctx, 2*spec.Prompt, reported(updated, 1))
		},
		func(j *spec.Checks) {
			pod := Named(j.Bound("pod"))
			j.Given(AtLeast(2, PodReady(pod)))
			j.Decide("AVAIL-005", Within(spec.AtOnce, PodAvailable(pod).BesideLivePod(), PodDeleted(OfVersion("v1"))))
		}, spec.Alone{})

	spec.It("acts by itself when minReadySeconds have passed, with no event to wake it",
		spec.Decides("AVAIL-005"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			daemonSet := c.Deploy(ctx, MaxSurge("2"), MinReadySeconds(3))
			c.RollOut(ctx, daemonSet, Image("v2"))
			c.RollOut(ctx, daemonSet, Image("v3"), MaxUnavailable("1"))
		},
		func(j *spec.Checks) {
			j.Decide("AVAIL-005",
				OnEveryNode(Within(spec.AtOnce, PodAvailable(OfVersion("v2")).BesideLivePod(), PodDeleted(OfVersion("v1")))),
				Within(spec.AtOnce, First(PodAvailable(OfVersion("v3"))), Nth(2, PodDeleted(OfVersion("v2")))))
		}, spec.MainPath{})

	spec.It("deletes each old pod by itself where minReadySeconds are less than a second away when the updated one becomes Ready",
		spec.Decides("SURGE-007"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 1)
			// Of transitions only the second is known that they are in: the next one is less than a second away.
			daemonSet := c.Deploy(ctx, MaxSurge("1"), MinReadySeconds(1))
			for _, version := range []string{"v2", "v3", "v4"} {
				c.RollOut(ctx, daemonSet, Image(version))
			}
		},
		func(j *spec.Checks) {
			for _, rollout := range [][2]string{{"v1", "v2"}, {"v2", "v3"}, {"v3", "v4"}} {
				j.Decide("SURGE-007", Within(spec.AtOnce, PodAvailable(OfVersion(rollout[1])).BesideLivePod(), PodDeleted(OfVersion(rollout[0]))))
			}
		}, spec.Alone{})

	spec.It("acts by itself for each of two pods that became Ready at different times",
		spec.Decides("AVAIL-005"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 2)
			daemonSet := c.Deploy(ctx, MaxSurge("2"))
			for _, pod := range c.LivePods(ctx, daemonSet) {
				c.Pods.SetReadySince(ctx, pod, time.Now().Add(-hour*time.Second))
			}
			// Longer than the time between the two, which is longer than a controller may take: one timer for both shows.
			// minReady is so much longer that a slow machine does not have the second pod become Ready when the first becomes available, which would wake the
			// controller.
			const apart, minReady = spec.AtOnce + time.Second, int32(spec.AtOnce/time.Second) + 5
			daemonSet = c.Update(ctx, daemonSet, MinReadySeconds(minReady))
			c.Require(ctx, "the old pods are available", Steady(daemonSet))
			updated := c.Update(ctx, daemonSet, Image("v2"), NeverReady())
			c.Require(ctx, "every node has an updated pod that runs", UpdatedOn(len(nodes), updated, Running))
			c.BecomeReadyInTurn(ctx, updated, 1)
			c.Await(ctx, Past(time.Now().Add(apart)))
			c.BecomeReadyInTurn(ctx, updated, 1)
			c.AwaitAfter(ctx, time.Duration(minReady)*time.Second, RolledOut(updated))
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(2, PodReady(OfVersion("v2"))))
			j.Decide("AVAIL-005", OnEveryNode(Within(spec.AtOnce, PodAvailable(OfVersion("v2")).BesideLivePod(), PodDeleted(OfVersion("v1")))))
		}, spec.SimulatedNodes{}, spec.Alone{})

	spec.It("applies a changed minReadySeconds to the pods that are there",
		spec.Decides("AVAIL-007"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 2)
			daemonSet := deployLongAvailable(ctx, c, MaxSurge("100%"))
			updated := c.Update(ctx, daemonSet, Image("v2"))
			old, young := readyPodOn(ctx, c, updated, nodes[0]), readyPodOn(ctx, c, updated, nodes[1])
			c.Bind("young", young.Name)
			c.Bind("nodes", nodes...)
			c.Pods.SetReadySince(ctx, old, time.Now().Add(-time.Minute))
			c.Await(ctx, Quiet(time.Second))
			// The old one is available at once under the new value; the young one only later, and nothing but the clock says when.
			updated = c.Update(ctx, updated, MinReadySeconds(5))
			c.Await(ctx, RolledOut(updated))
		},
		func(j *spec.Checks) {
			nodes, young := j.BoundAll("nodes"), PodAvailable(Named(j.Bound("young")))
			j.Decide("AVAIL-007",
				Within(spec.AtOnce, Last(Respecified()), PodDeleted(OfVersion("v1")).On(nodes[0])),
				Before(young, PodDeleted(OfVersion("v1")).On(nodes[1])),
				Within(spec.AtOnce, young.BesideLivePod(), PodDeleted(OfVersion("v1")).On(nodes[1])))
		}, spec.SimulatedNodes{}, spec.Alone{})
}

// raised is the spec of a pod that is about to be available when minReadySeconds become more.
func raised() {
	spec.It("applies a raised minReadySeconds to a pod that is Ready already",
		spec.Decides("AVAIL-007"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 1)
			daemonSet := c.Deploy(ctx, MaxSurge("1"))
			c.Pods.SetReadySince(ctx, c.LivePodOn(ctx, daemonSet, nodes[0]), time.Now().Add(-2*hour*time.Second))
			const before, after = 20 * time.Second, time.Minute
			updated := c.Update(ctx, daemonSet, MinReadySeconds(int32(before/time.Second)), Image("v2"))
			pod := readyPodOn(ctx, c, updated, nodes[0])
			c.Bind("pod", pod.Name)
			since := time.Now().Add(-before).Add(6 * time.Second).Truncate(time.Second)
			c.Pods.SetReadySince(ctx, pod, since)
			updated = c.Update(ctx, updated, MinReadySeconds(int32(after/time.Second)))
			requireToKnow(c, since.Add(before))
			// It would have been available by now, and who knew no better has had the time to act on it.
			c.Await(ctx, Past(since.Add(before+2*time.Second)))
			nudge(ctx, c, updated)
			c.Await(ctx, Quiet(2*time.Second))
			c.Mark(watched)
			c.Pods.SetReadySince(ctx, pod, time.Now().Add(-2*after))
			c.Await(ctx, RolledOut(updated))
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, Marked(watched)))
			j.Decide("AVAIL-007", Before(PodAvailable(Named(j.Bound("pod"))), PodDeleted(OfVersion("v1"))))
		}, spec.SimulatedNodes{})

	spec.It("counts an updated pod as unavailable, against maxUnavailable, that was available before minReadySeconds were raised",
		spec.Decides("AVAIL-007"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 3)
			daemonSet := c.Deploy(ctx, MaxUnavailable("1"))
			for _, pod := range c.LivePods(ctx, daemonSet) {
				rollouts.LongReady(ctx, c, pod)
			}
			updated := c.Update(ctx, daemonSet, Image("v2"), NeverReady())
			first := c.RequireUpdated(ctx, "an updated pod runs", updated, Running)
			c.Pods.BecomeReady(ctx, first)
			second := c.RequireUpdated(ctx, "another updated pod runs", updated, Running, func(pod *corev1.Pod) bool { return pod.UID != first.UID })
			updated = c.Update(ctx, updated, MinReadySeconds(hour))
			// By then everybody knows.
			c.Await(ctx, Quiet(judge.Lag))
			c.Mark(raisedTo)
			endAfterSecond(ctx, c, updated, first, second)
		},
		func(j *spec.Checks) {
			third := Nth(3, PodDeleted(OfVersion("v1")))
			j.Given(AtLeast(1, After(PodAvailable(OfVersion("v2")), Marked(raisedTo))))
			j.Decide("AVAIL-007", NeverBetween(Marked(raisedTo), Marked(watched), third), Tested(AtLeast(1, third)))
		}, spec.SimulatedNodes{})
}

// raisedTo is where everybody knows that minReadySeconds were raised.
const raisedTo history.Mark = "minReadySeconds have been raised"

// flap lets the updated pod be Ready for two seconds, then not, then again. Transitions have a resolution of one second, so the second one shows. The
// checks know it as "pod".
func flap(ctx context.Context, c *spec.Case, pod *corev1.Pod) {
	c.Bind("pod", pod.Name)
	c.Await(ctx, readyFor(pod, 2*time.Second))
	c.Pods.BecomeUnready(ctx, pod)
	c.RequireNotYetAvailable(pod, minReady)
	c.Pods.BecomeReady(ctx, pod)
}

// requireToKnow ends the scenario if a pod would have been available, but for what was just written, before an implementation can be held to know of that.
func requireToKnow(c *spec.Case, from time.Time) {
	if now := time.Now(); !now.Add(judge.Lag).Before(from) {
		c.CannotDecide(fmt.Sprintf("what was written at %s need not be known by %s, from when the pod would have been available",
			now.UTC().Format(time.TimeOnly), from.UTC().Format(time.TimeOnly)))
	}
}

// readyFor holds once the pod has been Ready for the duration, or is gone.
func readyFor(pod *corev1.Pod, duration time.Duration) Condition {
	return state.When("pod "+pod.Name+" has been Ready for "+duration.String(), func(cluster *history.Cluster) bool {
		now := cluster.Pods[pod.UID]
		if now == nil {
			return true
		}
		ready := history.Ready(now)
		return ready != nil && cluster.Time.Sub(ready.LastTransitionTime.Time) >= duration
	})
}

// reported holds once the status counts that many nodes as available.
func reported(daemonSet *appsv1.DaemonSet, count int32) Condition {
	return state.When(fmt.Sprintf("the status counts %d available nodes", count), func(cluster *history.Cluster) bool {
		now := cluster.DaemonSets[daemonSet.UID]
		return now != nil && now.Status.NumberAvailable == count
	})
}
