package hostport

import (
	"context"
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// freed is where the ports are free again that another DaemonSet took.
const freed history.Mark = "the other DaemonSet is deleted"

// The DaemonSets of the scenario below.
const (
	mine  = "daemon"
	other = "other"
)

// byAnother is the spec of ports for which pods of another DaemonSet wait, too.
func byAnother() {
	spec.It("takes no more than maxUnavailable pods down when surge is removed and another DaemonSet's pod gets the port of the first",
		spec.Decides("HOSTPORT-011", "ROLLING-012"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 3)
			port := rollouts.HostPort(c.Port(0))
			before := store(ctx, c, mine, port)
			c.Require(ctx, "the first pods are available", Steady(before))
			taker := c.Create(ctx, c.NewDaemonSet(other, port))
			c.Await(ctx, PodsSeen(taker, 3))
			updated := c.Update(ctx, before, Image("v2"))
			rollouts.NeedsPortsKept(ctx, c, updated)
			rollouts.Settle(ctx, c, updated, UpdatedOn(1, updated))
			c.Mark(resolved)
			without := c.Update(ctx, updated, MaxUnavailable("1"))
			c.Require(ctx, "the other DaemonSet has a port", state.When("a pod of the other DaemonSet runs", func(cluster *history.Cluster) bool {
				return slices.ContainsFunc(slices.Collect(maps.Values(cluster.Pods)), func(pod *corev1.Pod) bool { return metav1.IsControlledBy(pod, taker) && history.IsReady(pod) })
			}))
			rollouts.Settle(ctx, c, without, UpdatedOn(1, without))
			// Longer than a controller may be late.
			c.Await(ctx, Quiet(3*time.Second))
			c.Mark(freed)
			c.DeleteDaemonSet(ctx, taker, metav1.DeletePropagationBackground)
			c.Await(ctx, RolledOut(without))
		},
		func(j *spec.Checks) {
			lost := Between(PodDeleted(OfDaemonSet(mine), OfVersion("v1")), Marked(resolved), Marked(freed))
			j.Given(NeverBetween(Marked(resolved), Marked(freed), PodReady(OfDaemonSet(mine), OfVersion("v2"))))
			j.Decide("HOSTPORT-011", ComesToHold(state.DaemonSetRolledOut(mine)), Keeps("ROLLING-002"))
			j.Decide("ROLLING-012", Tested(AtLeast(1, lost)), Never(Nth(2, lost)))
		}, spec.SimulatedNodes{}, spec.Alone{})
}
