package avail

import (
	"context"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// again are the specs of an updated pod that was not Ready for a moment, and has its minReadySeconds before it again.
func again() {
	spec.It("starts minReadySeconds again when a pod was not Ready that had been available",
		spec.Decides("AVAIL-004"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 3)
			updated := c.Update(ctx, deployLongAvailable(ctx, c, MaxUnavailable("1")), Image("v2"), NeverReady())
			first := c.RequireUpdated(ctx, "an updated pod runs", updated, Running)
			becomeLongReady(ctx, c, first)
			second := c.RequireUpdated(ctx, "another updated pod runs", updated, Running, func(pod *corev1.Pod) bool { return pod.UID != first.UID })
			c.Pods.BecomeUnready(ctx, first)
			c.Pods.BecomeReady(ctx, first)
			endAfterSecond(ctx, c, updated, first, second)
		},
		func(j *spec.Checks) {
			third := Nth(3, PodDeleted(OfVersion("v1")))
			j.Given(Before(Nth(2, PodAvailable(OfVersion("v2"))), Marked(watched)))
			j.Decide("AVAIL-004", NeverBetween(TemplateChanged(), Marked(watched), third), Tested(AtLeast(1, third)))
		}, spec.SimulatedNodes{})

	spec.It("starts minReadySeconds again when a pod was not Ready for a moment that nobody told of",
		spec.Decides("AVAIL-004"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 1)
			updated := c.Update(ctx, deployLongAvailable(ctx, c, MaxSurge("1")), Image("v2"))
			pod := readyPodOn(ctx, c, updated, nodes[0])
			c.Bind("pod", pod.Name)
			first := time.Now().Add(12 * time.Second).Truncate(time.Second)
			c.Pods.SetReadySince(ctx, pod, first.Add(-hour*time.Second))
			c.Require(ctx, "the controller has looked at it", Processed(nudge(ctx, c, updated)))
			c.Await(ctx, Quiet(time.Second))
			// A kubelet tells of the last of two transitions alone when one follows closely on the other.
			c.Pods.SetReadySince(ctx, pod, time.Now())
			requireToKnow(c, first)
			c.Mark(lapsed)
			// It would have been available by now, and who knows no better has had the time to act on it.
			c.Await(ctx, Past(first.Add(2*time.Second)))
			nudge(ctx, c, updated)
			c.Await(ctx, Quiet(2*time.Second))
			rollouts.LongReady(ctx, c, pod)
			c.Await(ctx, RolledOut(updated))
		},
		func(j *spec.Checks) {
			available := PodAvailable(Named(j.Bound("pod")))
			j.Given(Before(Marked(lapsed), available))
			j.Decide("AVAIL-004", Before(available, PodDeleted(OfVersion("v1"))))
		}, spec.SimulatedNodes{})

	spec.It("starts minReadySeconds again when the Ready condition of a pod was Unknown for a while",
		spec.Decides("AVAIL-004", "SURGE-006"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 1)
			// After any lapse a pod takes as long to become Ready again.
			updated := c.Update(ctx, deployAvailable(ctx, c, 8, MaxSurge("1")), Image("v2"), ReadyAfter(2*time.Second))
			pod := readyPodOn(ctx, c, updated, nodes[0])
			c.Bind("pod", pod.Name)
			rollouts.BecomeUnknown(ctx, c, pod)
			c.Require(ctx, "the pod is Ready again", UpdatedOn(1, updated, history.IsReady))
			c.Mark(lapsed)
			c.AwaitAfter(ctx, 10*time.Second, RolledOut(updated))
		},
		func(j *spec.Checks) {
			available := PodAvailable(Named(j.Bound("pod")))
			j.Given(Before(Marked(lapsed), available))
			j.Decide("AVAIL-004", Before(available, PodDeleted(OfVersion("v1"))))
		}, spec.SimulatedNodes{})
}

// lapsed is where a pod has ceased to be Ready and become so again.
const lapsed history.Mark = "the pod is Ready again"

// becomeLongReady makes a pod Ready that is available at once, though minReadySeconds be an hour.
func becomeLongReady(ctx context.Context, c *spec.Case, pod *corev1.Pod) {
	c.Pods.BecomeReady(ctx, pod)
	rollouts.LongReady(ctx, c, pod)
}

// endAfterSecond lets the turn of the second pod's node be over, while that of the first is not for an hour, until watched; then the rollout of three nodes ends.
func endAfterSecond(ctx context.Context, c *spec.Case, updated *appsv1.DaemonSet, first, second *corev1.Pod) {
	becomeLongReady(ctx, c, second)
	// Longer than a controller may be late.
	c.Await(ctx, Quiet(3*time.Second))
	c.Mark(watched)
	rollouts.LongReady(ctx, c, first)
	becomeLongReady(ctx, c, c.RequireUpdated(ctx, "the last updated pod runs", updated, Running, NotReady))
	c.Await(ctx, RolledOut(updated))
}

// fewer is where minReadySeconds are to become fewer, sooner where the pod that this was about is gone.
const (
	fewer  history.Mark = "minReadySeconds become fewer"
	sooner history.Mark = "the old pod is gone"
)

// shortened is the spec of a pod that waits for minReadySeconds when these become fewer.
func shortened() {
	spec.It("counts a pod as available at once when fewer minReadySeconds are asked for than it has been Ready",
		spec.Decides("AVAIL-003", "AVAIL-007", "SURGE-007"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 2)
			daemonSet := deployLongAvailable(ctx, c, MaxSurge("100%"))
			old := c.LivePodOn(ctx, daemonSet, nodes[0])
			c.Bind("node", nodes[0])
			updated := c.Update(ctx, daemonSet, Image("v2"))
			c.Pods.SetReadySince(ctx, readyPodOn(ctx, c, updated, nodes[0]), time.Now().Add(-time.Minute))
			// By then everybody has seen how long it has to wait.
			c.Await(ctx, Quiet(3*time.Second))
			c.Mark(fewer)
			c.Update(ctx, updated, MinReadySeconds(30))
			c.Await(ctx, state.When(old.Name+" is gone", func(cluster *history.Cluster) bool { return cluster.Pods[old.UID] == nil }))
			c.Mark(sooner)
		},
		func(j *spec.Checks) {
			deleted := PodDeleted(OfVersion("v1")).On(j.Bound("node"))
			j.Given(AtLeast(1, Marked(fewer)), NeverBetween(TemplateChanged(), Marked(fewer), deleted))
			for _, id := range []requirements.ID{"AVAIL-003", "AVAIL-007", "SURGE-007"} {
				j.Decide(id, Before(deleted, Marked(sooner)))
			}
		}, spec.SimulatedNodes{})
}
