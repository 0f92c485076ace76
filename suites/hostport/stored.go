package hostport

import (
	"context"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// port is one that no pod of these DaemonSets ever opens: there is no node for them.
const port = 7999

// stored are the specs of what the API server accepts. What its answers are is in the recording, so a refusal is no error here.
func stored() {
	spec.It("accepts maxSurge for containers with ports, but no host ports",
		spec.Decides("HOSTPORT-005"),
		func(ctx context.Context, c *spec.Case) {
			_, _ = c.TryCreate(ctx, c.NewDaemonSet("none", MaxSurge("1")))
			_, _ = c.TryCreate(ctx, c.NewDaemonSet("zero", MaxSurge("1"), rollouts.HostPort(0)))
			if daemonSet, err := c.TryCreate(ctx, c.NewDaemonSet("later", MaxUnavailable("1"))); err == nil {
				_, _ = c.TryUpdate(ctx, daemonSet, MaxSurge("25%"), rollouts.HostPort(0))
			}
		},
		func(j *spec.Checks) {
			j.Decide("HOSTPORT-005",
				Accepted("maxSurge 1 without a port", Answered(history.CreateDaemonSet, "none")),
				Accepted("maxSurge 1 with a container port", Answered(history.CreateDaemonSet, "zero")),
				Accepted("an update to maxSurge 25% with a container port", Answered(history.UpdateDaemonSet, "later")))
		})

	removals := []struct {
		name string
		edit Edit
	}{{"surge", MaxUnavailable("1")}, {"port", rollouts.NoHostPort()}}
	spec.It("accepts an update that takes either away from a DaemonSet with maxSurge and a host port",
		spec.Decides("HOSTPORT-008"),
		func(ctx context.Context, c *spec.Case) {
			for _, removal := range removals {
				_, _ = c.TryUpdate(ctx, store(ctx, c, removal.name, port), removal.edit)
			}
		},
		func(j *spec.Checks) {
			for _, removal := range removals {
				j.Decide("HOSTPORT-008", Accepted("an update that takes the "+removal.name+" away", Answered(history.UpdateDaemonSet, removal.name)))
			}
		}, spec.Alone{})
}
