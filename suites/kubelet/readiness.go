package kubelet

import (
	"context"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// minReady is long enough, in seconds, for a probe to fail in, which has been seen to take 4.
const minReady = 10

// readiness are the specs of what readiness probes decide.
func readiness() {
	spec.It("keeps the old pod until the probe of the updated one has passed, however long that has been running",
		spec.Decides("KUBELET-001"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 2)
			updated := c.Update(ctx, c.Deploy(ctx, MaxSurge("1"), MinReadySeconds(1)), Image("v2"), NeverReady())
			for range nodes {
				// Await: a controller that does not go on breaks the promise.
				pod := c.AwaitUpdated(ctx, updated, Running, NotReady)
				if pod == nil {
					break
				}
				c.Await(ctx, Past(time.Now().Add(3*time.Second)))
				c.Pods.BecomeReady(ctx, pod)
			}
			c.Await(ctx, RolledOut(updated))
		},
		func(j *spec.Checks) {
			j.Decide("KUBELET-001",
				OnEveryNode(Before(Began(history.BecomeReady), PodDeleted(OfVersion("v1")))),
				OnEveryNode(Before(PodAvailable(OfVersion("v2")), PodDeleted(OfVersion("v1")))),
				EndsRolledOut(), Keeps("SURGE-006"))
		}, spec.RealNodes{}, spec.MainPath{})

	spec.It("counts an updated pod whose probe begins to fail as unavailable until the probe has passed for minReadySeconds again",
		spec.Decides("KUBELET-002"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			updated := c.Update(ctx, c.Deploy(ctx, MaxSurge("1"), MinReadySeconds(minReady)), Image("v2"))
			pod := c.RequireUpdated(ctx, "an updated pod is Ready", updated, history.IsReady)
			c.Pods.BecomeUnready(ctx, pod)
			c.RequireNotYetAvailable(pod, minReady)
			c.Await(ctx, Past(time.Now().Add((minReady+2)*time.Second)))
			// A change that means nothing, so that a decision is due while the probe fails.
			c.Update(ctx, updated, Note())
			c.Await(ctx, Quiet(time.Second))
			c.Pods.BecomeReady(ctx, pod)
			c.Await(ctx, RolledOut(updated))
		},
		func(j *spec.Checks) {
			unready, readyAgain := First(PodUnready(OfVersion("v2"))), Began(history.BecomeReady)
			j.Decide("KUBELET-002",
				NeverBetween(unready, readyAgain, PodDeleted(OfVersion("v1"))),
				NeverBetween(unready, readyAgain, PodCreated(OfVersion("v2"))),
				OnEveryNode(Before(PodAvailable(OfVersion("v2")), PodDeleted(OfVersion("v1")))),
				EndsRolledOut(), Keeps("SURGE-002"), Keeps("SURGE-016"))
		}, spec.RealNodes{})

	spec.It("updates a node at once whose old pod's probe fails, even while the surge limit is used up",
		spec.Decides("UNREADY-001"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 2)
			daemonSet := c.Deploy(ctx, MaxSurge("1"))
			updated := c.Update(ctx, daemonSet, Image("v2"), NeverReady())
			surging := c.RequireUpdated(ctx, "an updated pod runs beside an old one", updated, Running, NotReady)
			c.Await(ctx, Quiet(2*time.Second))
			other := otherThan(history.NodeOf(surging), nodes)
			c.Pods.BecomeUnready(ctx, c.LivePodOn(ctx, daemonSet, other))
			c.AwaitUpdated(ctx, updated, OnNode(other))
			c.Await(ctx, Past(time.Now().Add(time.Second)))
			c.Bind(otherNode, other)
		},
		func(j *spec.Checks) {
			other := j.Bound(otherNode)
			j.Decide("UNREADY-001",
				Never(PodCreated(OfVersion("v2")).On(other).Where("before its old pod was unready", func(m Moment) bool { return m.AvailableBeside() > 0 })),
				Within(spec.AtOnce, PodUnready(OfVersion("v1")).On(other), PodCreated(OfVersion("v2")).On(other)))
		}, spec.RealNodes{})
}
