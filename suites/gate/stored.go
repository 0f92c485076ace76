package gate

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// port is one that no pod of these DaemonSets ever opens: there is no node for them.
const port = 7999

// stored are the specs of what the API server makes of requests while the gate is off. A refusal is no error here: the recording has the answers.
func stored() {
	spec.It("drops maxSurge from DaemonSets that did not use it while the gate is off, and keeps it for those that did until it is cleared",
		spec.Decides("GATE-004", "GATE-005", "GATE-009", "HOSTPORT-007"),
		func(ctx context.Context, c *spec.Case) {
			usesIt := c.Create(ctx, c.NewDaemonSet("uses-it", MaxSurge("2")))
			clears := c.Create(ctx, c.NewDaemonSet("clears", MaxSurge("2")))
			gainsPort := c.Create(ctx, c.NewDaemonSet("gains-port", MaxSurge("2")))
			plain := c.Create(ctx, c.NewDaemonSet("plain", MaxUnavailable("3")))
			switchOff(ctx, c)
			_, _ = c.TryCreate(ctx, c.NewDaemonSet("new", MaxSurge("25%")))
			_, _ = c.TryCreate(ctx, c.NewDaemonSet("percentages", MaxSurge("25%"), unavailable("0%")))
			_, _ = c.TryUpdate(ctx, plain, MaxSurge("1"))
			_, _ = c.TryUpdate(ctx, usesIt, Note())
			_, _ = c.TryUpdate(ctx, clears, MaxUnavailable("1"))
			_, _ = c.TryUpdate(ctx, gainsPort, rollouts.HostPort(port))
			_, _ = c.TryCreate(ctx, c.NewDaemonSet("ports", MaxSurge("1"), rollouts.HostPort(port)))
			_, _ = c.TryCreate(ctx, c.NewDaemonSet("none-at-all", noneAtAll()))
		},
		func(j *spec.Checks) {
			j.Decide("GATE-004",
				Stored("a new DaemonSet with maxSurge 25%", "maxSurge 0, maxUnavailable 1", Answered(history.CreateDaemonSet, "new"), limits),
				Stored("a new DaemonSet with maxSurge 25%, maxUnavailable 0%", "maxSurge 0, maxUnavailable 1", Answered(history.CreateDaemonSet, "percentages"), limits),
				Stored("an update to maxSurge 1", "maxSurge 0, maxUnavailable 1", Answered(history.UpdateDaemonSet, "plain"), limits))
			j.Decide("GATE-005",
				Stored("maxSurge after another update", "maxSurge 2, maxUnavailable 0", Answered(history.UpdateDaemonSet, "uses-it"), limits),
				Stored("maxSurge once it is cleared", "maxSurge 0, maxUnavailable 1", Answered(history.UpdateDaemonSet, "clears"), limits))
			j.Decide("GATE-009", Rejected("maxUnavailable 0", "maxUnavailable", Answered(history.CreateDaemonSet, "none-at-all")))
			j.Decide("HOSTPORT-007",
				Accepted("maxSurge with a host port", Answered(history.CreateDaemonSet, "ports")),
				Accepted("a host port added to a DaemonSet with maxSurge", Answered(history.UpdateDaemonSet, "gains-port")))
		}, spec.Alone{})
}

// unavailable sets maxUnavailable, and leaves maxSurge as it is.
func unavailable(value string) Edit {
	return Edit{Says: "maxUnavailable " + value, Apply: func(d *appsv1.DaemonSet) {
		parsed := intstr.Parse(value)
		d.Spec.UpdateStrategy.RollingUpdate.MaxUnavailable = &parsed
	}}
}

// noneAtAll sets maxUnavailable to 0, and leaves maxSurge out.
func noneAtAll() Edit {
	return Edit{Says: "maxUnavailable 0 alone", Apply: func(d *appsv1.DaemonSet) {
		none := intstr.FromInt32(0)
		d.Spec.UpdateStrategy = appsv1.DaemonSetUpdateStrategy{
			Type: appsv1.RollingUpdateDaemonSetStrategyType, RollingUpdate: &appsv1.RollingUpdateDaemonSet{MaxUnavailable: &none},
		}
	}}
}
