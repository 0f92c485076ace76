package target

import (
	"context"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// owners are the specs of pods that have another owner beside the DaemonSet that controls them, or name that by another version of its API.
func owners() {
	atMostOne := map[string]requirements.ID{"maxSurge": "SURGE-010", "maxUnavailable": "ROLLING-013"}
	for _, strategy := range rollouts.Strategies() {
		spec.It("takes a pod for its own that has another owner before it, and rolls out to it, with "+strategy.With,
			spec.Decides(atMostOne[strategy.With], strategy.GoesOn),
			func(ctx context.Context, c *spec.Case) {
				nodes := c.AddNodes(ctx, 2)
				daemonSet := c.Deploy(ctx, strategy.Limit("1"))
				owned := c.LivePodOn(ctx, daemonSet, nodes[0])
				c.Bind("owned", owned.Name)
				c.AddOwner(ctx, owned)
				// Longer than a controller may be late.
				c.Await(ctx, Quiet(3*time.Second))
				c.RollOut(ctx, daemonSet, Image("v2"))
				c.Await(ctx, Quiet(time.Second))
			},
			func(j *spec.Checks) {
				j.Given(Exactly(1, Done(history.AddOwner)))
				j.Decide(strategy.GoesOn, AtLeast(1, PodDeleted(Named(j.Bound("owned")))), EndsRolledOut())
			}, spec.SimulatedNodes{})
	}

	formerVersions := []string{"apps/v1beta2", "extensions/v1beta1"}
	spec.It("rolls out to pods whose owner reference names the DaemonSet by versions of its API that there were",
		spec.Decides("ROLLING-001"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, len(formerVersions))
			// While they end nothing else happens, by which a controller might learn that they have.
			daemonSet := c.Deploy(ctx, MaxUnavailable("1"), DrainFor(late))
			for i, pod := range c.LivePods(ctx, daemonSet) {
				c.ReferByVersion(ctx, pod, formerVersions[i%len(formerVersions)])
			}
			c.Await(ctx, Quiet(late))
			c.RollOut(ctx, daemonSet, Image("v2"))
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(len(formerVersions), Done(history.ReferByVersion)))
			j.Decide("ROLLING-001", EndsRolledOut())
		}, spec.SimulatedNodes{}, spec.AppsV1{})
}
