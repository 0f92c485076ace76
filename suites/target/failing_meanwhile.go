package target

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
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// onceMore is where the pods of both DaemonSets fail once more.
const onceMore history.Mark = "both pods fail once more"

// failedSoFar is how often they have by then: their delays are longer than none, and not yet long.
const failedSoFar = 3

// failingMeanwhile is the spec of a pod that waits to be replaced while another one of its DaemonSet changes over and over.
func failingMeanwhile() {
	spec.It("replaces a pod that has failed no later because another pod of its DaemonSet changes over and over",
		spec.Decides("TARGET-009", "TARGET-010"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 2)
			node := nodes[0]
			c.Bind(oftenOn, node)
			busy := c.Deploy(ctx, MaxUnavailable("1"))
			still := c.Create(ctx, c.NewDaemonSet(bystanderName, MaxUnavailable("1")))
			c.Require(ctx, "the other DaemonSet is on every node", Steady(still))
			var successors Condition
			for i := range failedSoFar + 1 {
				if i == failedSoFar {
					c.Mark(onceMore)
				}
				var both []Condition
				for _, daemonSet := range []*appsv1.DaemonSet{still, busy} {
					pod := c.LivePodOn(ctx, daemonSet, node)
					c.Pods.Fail(ctx, pod)
					both = append(both, succeeded(daemonSet, pod))
				}
				successors = both[0]
				if i < failedSoFar {
					c.AwaitAfter(ctx, pausesAtMost, state.All(both...))
				}
			}
			changing := c.LivePodOn(ctx, busy, nodes[1])
			change := func(until Condition) {
				for i := 0; i < mostChanges && !c.Holds(ctx, until); i++ {
					c.Pods.BecomeUnready(ctx, changing)
					c.Pods.BecomeReady(ctx, changing)
				}
			}
			change(successors)
			// The other one may be so much later.
			change(Past(time.Now().Add(spec.Prompt + late)))
			c.AwaitAfter(ctx, pausesAtMost, state.All(Steady(still), Steady(busy)))
		},
		func(j *spec.Checks) {
			node := j.Bound(oftenOn)
			replaced := func(which Which) Reaction {
				return Reaction{From: After(PodFailed(which).On(node), Marked(onceMore)), To: PodCreated(which).On(node)}
			}
			for _, id := range []requirements.ID{"TARGET-009", "TARGET-010"} {
				j.Decide(id, AsSoonAs(spec.Prompt, replaced(OfDaemonSet(bystanderName)), replaced(OfDaemonSet("daemon"))))
			}
		}, spec.SimulatedNodes{})
}

// mostChanges are more than it takes to wait for a delay of half a minute.
const mostChanges = 120

// succeeded holds when another pod than the given one runs on its node.
func succeeded(daemonSet *appsv1.DaemonSet, pod *corev1.Pod) Condition {
	return UpdatedOn(1, daemonSet, OnNode(history.NodeOf(pod)), Running, func(now *corev1.Pod) bool { return now.UID != pod.UID })
}
