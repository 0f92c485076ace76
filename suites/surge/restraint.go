package surge

import (
	"context"
	"time"

	appsv1 "k8s.io/api/apps/v1"

	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// restraint are the specs of what a controller must not do over and over. They are for simulated nodes, on which pods fail at once: with the time that a
// kubelet takes to reject a pod and to let go of it, delays would seem to grow, or not to, that are none of the controller's.
func restraint() {
	spec.It("backs off from updated pods that keep failing beside an old one, which stays up",
		spec.Decides("SURGE-024"),
		func(ctx context.Context, c *spec.Case) {
			c.Bind("node", c.AddNodes(ctx, 1)...)
			daemonSet := c.Deploy(ctx, MaxSurge("1"))
			watch(ctx, c, c.Update(ctx, daemonSet, Image("v2"), Failing()))
		},
		func(j *spec.Checks) {
			backsOff(j, PodCreated(OfVersion("v2")).On(j.Bound("node")))
			j.Decide("SURGE-024", Never(PodDeleted(OfVersion("v1"))))
		}, spec.SimulatedNodes{})

	spec.It("backs off from pods that keep failing on a node that has no other",
		spec.Decides("SURGE-024"),
		func(ctx context.Context, c *spec.Case) {
			// Two, whose delays have to grow independently of each other.
			c.Bind("nodes", c.AddNodes(ctx, 2)...)
			watch(ctx, c, c.Create(ctx, c.NewDaemonSet("daemon", MaxSurge("1"), Failing())))
		},
		func(j *spec.Checks) {
			for _, node := range j.BoundAll("nodes") {
				backsOff(j, PodCreated(OfVersion("v1")).On(node))
			}
		}, spec.SimulatedNodes{})
}

// watch waits until enough pods have failed to tell a delay that does not grow, or until even a long one shows.
func watch(ctx context.Context, c *spec.Case, daemonSet *appsv1.DaemonSet) {
	c.Await(ctx, state.Any(PodsSeen(daemonSet, 9), Past(time.Now().Add(10*time.Second))))
}

// backsOff asks that pods are created after growing delays and do not pile up. Nobody says how long the delays are: the shortest that is allowed here
// begins with a tenth of a second, which is doubled each time, and with a first retry at once. From the second pod on those take 0.7 s until the fifth, 1.5 s
// until the sixth, and 3.1 s, 6.3 s and 12.7 s until the next three. Less is asked for, because an event that is heard of late makes what follows seem early.
func backsOff(j *spec.Checks, created Event) {
	j.Given(AtLeast(2, created))
	j.Decide("SURGE-024",
		NotWithin(400*time.Millisecond, Nth(2, created), Nth(5, created)),
		NotWithin(time.Second, Nth(2, created), Nth(6, created)),
		NotWithin(2500*time.Millisecond, Nth(2, created), Nth(7, created)),
		NotWithin(5500*time.Millisecond, Nth(2, created), Nth(8, created)),
		NotWithin(11*time.Second, Nth(2, created), Nth(9, created)),
		Never(created.Where("with more than two other pods on its node", func(m Moment) bool { return len(m.PodsBeside()) > 2 })))
}
