package recovery

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// skews are how far nodes' clocks are ahead of the controller's. The last one is the largest: nothing happens but the clock when its pod becomes available.
func skews() []time.Duration {
	return []time.Duration{-30 * time.Second, -2 * time.Second, 2 * time.Second, 10 * time.Second}
}

// skew is the spec of nodes whose clocks are wrong: their pods' Ready conditions have times of theirs.
func skew() {
	spec.It("deletes old pods in time, and ends, with minReadySeconds on nodes whose clocks are ahead of the controller's and behind it",
		spec.Decides("RECOVERY-004"),
		func(ctx context.Context, c *spec.Case) {
			const minReady = 4
			nodes := c.AddNodes(ctx, len(skews()))
			daemonSet := c.Deploy(ctx, MaxSurge("100%"))
			daemonSet = c.Update(ctx, daemonSet, MinReadySeconds(minReady))
			c.RequireAfter(ctx, minReady*time.Second, "the old pods are available", Steady(daemonSet))
			updated := c.Update(ctx, daemonSet, Image("v2"), ReadyAfter(time.Hour))
			c.Require(ctx, "an updated pod runs on every node", UpdatedOn(len(nodes), updated, Running))
			for i, ahead := range skews() {
				readyBy(ctx, c, c.LivePodOn(ctx, updated, nodes[i]), ahead)
			}
			c.AwaitAfter(ctx, skews()[len(nodes)-1]+minReady*time.Second, RolledOut(updated))
		},
		func(j *spec.Checks) {
			available, deleted := PodAvailable(OfVersion("v2")), PodDeleted(OfVersion("v1"))
			j.Decide("RECOVERY-004", OnEveryNode(Within(spec.AtOnce, available, deleted)), OnEveryNode(Before(available, deleted)), EndsRolledOut())
		}, spec.Alone{}, spec.SimulatedNodes{})
}

// readyBy makes a pod Ready that would become so only later, at the time of a clock that is ahead by that much.
func readyBy(ctx context.Context, c *spec.Case, pod *corev1.Pod, ahead time.Duration) {
	detail := fmt.Sprintf("by a clock that is %+d s ahead", ahead/time.Second)
	rollouts.WriteReady(ctx, c, pod, history.BecomeReady, corev1.ConditionTrue, time.Now().Add(ahead), detail)
}
