package avail

import (
	"context"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

const (
	// longWait is more than half a minute, after which some look at everything again, and so long that a timer which is late by a quarter of it is late by more
	// than is prompt.
	longWait = 36 * time.Second
	// refusedFor is how long pods are refused: until the pauses between attempts are clearly longer than what is prompt, if they double.
	refusedFor = 20 * time.Second
	// shortWait is how long minReadySeconds go on meanwhile.
	shortWait = 6 * time.Second
)

// longWaits are the specs of minReadySeconds that run out long after the controller last had a reason to look.
func longWaits() {
	spec.It("acts by itself when minReadySeconds run out more than half a minute after it last had a reason to look",
		spec.Decides("AVAIL-005"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 1)
			updated := c.Update(ctx, deployAvailable(ctx, c, int32(longWait/time.Second), MaxSurge("1")), Image("v2"))
			c.Bind("pod", readyPodOn(ctx, c, updated, nodes[0]).Name)
			c.AwaitAfter(ctx, longWait, RolledOut(updated))
		}, availableByClock, spec.Alone{}, spec.SimulatedNodes{}, spec.Long{})

	spec.It("acts by itself when minReadySeconds run out that were raised while they ran",
		spec.Decides("AVAIL-005"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 1)
			const before, after = 10 * time.Second, 10*time.Second + shortWait
			updated := c.Update(ctx, deployAvailable(ctx, c, int32(before/time.Second), MaxSurge("1")), Image("v2"))
			pod := readyPodOn(ctx, c, updated, nodes[0])
			c.Bind("pod", pod.Name)
			// By then it waits for the time that it was told first.
			c.Await(ctx, Quiet(time.Second))
			c.RequireNotYetAvailable(pod, int32(before/time.Second))
			updated = c.Update(ctx, updated, MinReadySeconds(int32(after/time.Second)))
			c.AwaitAfter(ctx, after, RolledOut(updated))
		}, availableByClock, spec.Alone{}, spec.SimulatedNodes{})

	spec.It("acts by itself when minReadySeconds run out on a node while the pod of another one has been refused for long",
		spec.Decides("AVAIL-005"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 2)
			daemonSet := deployAvailable(ctx, c, int32(shortWait/time.Second), MaxSurge("100%"))
			old := c.LivePodOn(ctx, daemonSet, nodes[0])
			c.RefusePodsOf(ctx, nodes[1])
			updated := c.Update(ctx, daemonSet, Image("v2"), NeverReady())
			pod := c.RequireUpdated(ctx, "an updated pod runs on the other node", updated, OnNode(nodes[0]), Running)
			c.Bind("pod", pod.Name)
			c.Await(ctx, Past(time.Now().Add(refusedFor)))
			c.Pods.BecomeReady(ctx, pod)
			c.AwaitAfter(ctx, shortWait, state.When("the old pod is gone", func(cluster *history.Cluster) bool { return cluster.Pods[old.UID] == nil }))
			c.AdmitPods(ctx)
		}, availableByClock, spec.Alone{}, spec.SimulatedNodes{})
}

// availableByClock asks that the old pod goes once the updated one on its node is available.
func availableByClock(j *spec.Checks) {
	pod := PodAvailable(Named(j.Bound("pod")))
	j.Decide("AVAIL-005", Within(spec.AtOnce, pod.BesideLivePod(), PodDeleted(OfVersion("v1"))), Before(pod, PodDeleted(OfVersion("v1"))))
}
