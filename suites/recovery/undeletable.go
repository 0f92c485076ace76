package recovery

import (
	"context"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// undeletable is the spec of pods that the API server refuses to delete for a while.
func undeletable() {
	spec.It("tries with pauses to delete two pods that cannot be deleted for a while, and completes the rollout, with maxSurge and with maxUnavailable",
		spec.Decides("RECOVERY-014", "RECOVERY-015"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 4)
			daemonSet := c.Deploy(ctx, MaxSurge("2"))
			for _, edits := range [][]Edit{{Image("v2")}, {Image("v3"), MaxUnavailable("2")}} {
				kept := c.LivePods(ctx, daemonSet)[:2]
				c.RefuseDeletions(ctx, kept...)
				daemonSet = c.Update(ctx, daemonSet, edits...)
				c.Await(ctx, Past(time.Now().Add(refusedFor)))
				c.AdmitDeletions(ctx, kept...)
				if !c.AwaitAfter(ctx, goesOn, RolledOut(daemonSet)) {
					return
				}
			}
			c.Await(ctx, Quiet(time.Second))
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, Done(history.RefuseDeletions)))
			for _, version := range []string{"v2", "v3"} {
				j.Decide("RECOVERY-014", OnEveryNode(Exactly(1, PodCreated(OfVersion(version)))))
			}
			j.Decide("RECOVERY-014", EndsRolledOut())
			// Two pods are refused for refusedFor, twice: as long as one whose creation is.
			j.Decide("RECOVERY-015", DeletionsSeldom(2*seldom))
		})

	spec.It("takes the pod from a node that has left the selector, and replaces one that has failed, once they can be deleted again",
		spec.Decides("RECOVERY-014"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 2, rollouts.InPool)
			daemonSet := c.Deploy(ctx, MaxUnavailable("1"), rollouts.OnPool())
			leaves, fails := c.LivePodOn(ctx, daemonSet, nodes[0]), c.LivePodOn(ctx, daemonSet, nodes[1])
			c.Bind(undeleted, leaves.Name, fails.Name)
			c.RefuseDeletions(ctx, leaves, fails)
			rollouts.LeavePool(ctx, c, nodes[0])
			c.Pods.Fail(ctx, fails)
			c.Await(ctx, Past(time.Now().Add(refusedFor)))
			c.AdmitDeletions(ctx, leaves, fails)
			c.AwaitAfter(ctx, goesOn, RolledOut(daemonSet))
			c.Await(ctx, Quiet(time.Second))
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, Done(history.RefuseDeletions)))
			for _, name := range j.BoundAll(undeleted) {
				j.Decide("RECOVERY-014", AtLeast(1, PodDeleted(Named(name))))
			}
			j.Decide("RECOVERY-014", EndsRolledOut())
		}, spec.SimulatedNodes{})
}

// undeleted are the pods that have to go, and cannot be deleted for a while.
const undeleted = "the pods that cannot be deleted"
