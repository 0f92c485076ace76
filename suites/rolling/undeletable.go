package rolling

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// undeletable is the spec of unhealthy old pods that stay, whatever the controller does.
func undeletable() {
	spec.It("counts unhealthy old pods that cannot be deleted against a percentage, in a roll-back, beside a cordoned node, after a restart",
		spec.Decides("ROLLING-007"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 7)
			// 50% of 7 is 4, of which the unhealthy pods use a half.
			second := c.Update(ctx, c.Deploy(ctx, MaxUnavailable("50%")), Image("v2"))
			c.Require(ctx, "the second template is everywhere", RolledOut(second))
			c.Cordon(ctx, nodes[2])
			rollouts.LoseReadiness(ctx, c, second, nodes[:2]...)
			var kept, healthy []*corev1.Pod
			for i, node := range nodes {
				pod := c.LivePodOn(ctx, second, node)
				if i < 2 {
					kept = append(kept, pod)
					continue
				}
				// What is taken down stays down.
				c.Pods.HoldTermination(ctx, pod)
				healthy = append(healthy, pod)
			}
			c.RefuseDeletions(ctx, kept...)
			rolledBack := c.Update(ctx, second, Image("v1"))
			rollouts.Settle(ctx, c, rolledBack, terminating(2, healthy))
			c.Kill(ctx)
			c.Restart(ctx)
			c.Await(ctx, Quiet(2*time.Second))
			c.Mark(enough)
			// 70% is 5.
			rolledBack = c.Update(ctx, rolledBack, MaxUnavailable("70%"))
			rollouts.Settle(ctx, c, rolledBack, terminating(3, healthy))
			c.AdmitDeletions(ctx, kept...)
			for _, pod := range healthy {
				c.Pods.ReleaseTermination(ctx, pod)
			}
			c.Await(ctx, RolledOut(rolledBack))
		},
		func(j *spec.Checks) {
			down := PodDeleted(OfVersion("v2")).Where("available", Moment.WasAvailable)
			refused := Began(history.RefuseDeletions)
			j.Given(AtLeast(1, refused))
			// Whoever waits for the unhealthy ones to go takes none of the others down.
			j.Decide("ROLLING-007", AtMost(2, Between(down, refused, Marked(enough))), AtMost(3, Between(down, refused, Began(history.AdmitDeletions))))
		}, spec.Alone{}, spec.SimulatedNodes{})
}

// terminating holds once that many of the pods are on their way out.
func terminating(count int, pods []*corev1.Pod) Condition {
	return state.When(fmt.Sprintf("%d pods are terminating", count), func(cluster *history.Cluster) bool {
		found := 0
		for _, pod := range pods {
			if now := cluster.Pods[pod.UID]; now != nil && now.DeletionTimestamp != nil {
				found++
			}
		}
		return found >= count
	})
}
