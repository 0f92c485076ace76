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
	spec.It("accepts maxSurge for containers with ports, but no host ports, and host ports without maxSurge, and with 0 and 0% of it",
		spec.Decides("HOSTPORT-005"),
		func(ctx context.Context, c *spec.Case) {
			_, _ = c.TryCreate(ctx, c.NewDaemonSet("none", MaxSurge("1")))
			_, _ = c.TryCreate(ctx, c.NewDaemonSet("zero", MaxSurge("1"), rollouts.HostPort(0)))
			if daemonSet, err := c.TryCreate(ctx, c.NewDaemonSet("later", MaxUnavailable("1"))); err == nil {
				_, _ = c.TryUpdate(ctx, daemonSet, MaxSurge("25%"), rollouts.HostPort(0))
			}
			_, _ = c.TryCreate(ctx, c.NewDaemonSet("no-surge", MaxUnavailable("1"), rollouts.HostPort(port)))
			if daemonSet, err := c.TryCreate(ctx, c.NewDaemonSet("zero-percent", MaxUnavailable("1"), rollouts.ZeroPercent(), rollouts.HostPort(port))); err == nil {
				_, _ = c.TryUpdate(ctx, daemonSet, rollouts.HostPort(port+1))
			}
			if daemonSet, err := c.TryCreate(ctx, c.NewDaemonSet("trades-port", MaxUnavailable("1"), rollouts.HostPort(port))); err == nil {
				_, _ = c.TryUpdate(ctx, daemonSet, MaxSurge("1"), rollouts.NoHostPort())
			}
			if daemonSet, err := c.TryCreate(ctx, c.NewDaemonSet("trades-surge", MaxSurge("1"))); err == nil {
				_, _ = c.TryUpdate(ctx, daemonSet, MaxUnavailable("1"), rollouts.HostPort(port))
			}
		},
		func(j *spec.Checks) {
			j.Decide("HOSTPORT-005",
				Accepted("maxSurge 1 without a port", Answered(history.CreateDaemonSet, "none")),
				Accepted("maxSurge 1 with a container port", Answered(history.CreateDaemonSet, "zero")),
				Accepted("an update to maxSurge 25% with a container port", Answered(history.UpdateDaemonSet, "later")),
				Accepted("a host port with maxSurge 0", Answered(history.CreateDaemonSet, "no-surge")),
				Accepted("a host port with maxSurge 0%", Answered(history.CreateDaemonSet, "zero-percent")),
				Accepted("another host port with maxSurge 0%", Answered(history.UpdateDaemonSet, "zero-percent")),
				Accepted("an update that sets maxSurge and takes the host port away", Answered(history.UpdateDaemonSet, "trades-port")),
				Accepted("an update that sets maxSurge to 0 and a host port", Answered(history.UpdateDaemonSet, "trades-surge")))
		})

	spec.It("accepts an update that takes either away from a DaemonSet with maxSurge and a host port, and rejects another host port",
		spec.Decides("HOSTPORT-003", "HOSTPORT-008"),
		func(ctx context.Context, c *spec.Case) {
			surge := store(ctx, c, "surge", rollouts.HostPort(port))
			c.Mark(changed)
			_, _ = c.TryUpdate(ctx, surge, rollouts.HostPort(port+1))
			c.Mark(taken)
			_, _ = c.TryUpdate(ctx, surge, MaxUnavailable("1"))
			_, _ = c.TryUpdate(ctx, store(ctx, c, "port", rollouts.HostPort(port)), rollouts.NoHostPort())
		},
		func(j *spec.Checks) {
			j.Decide("HOSTPORT-003", refusal(First(After(Answered(history.UpdateDaemonSet, "surge"), Marked(changed)))))
			for _, removal := range []string{"surge", "port"} {
				j.Decide("HOSTPORT-008", Accepted("an update that takes the "+removal+" away", After(Answered(history.UpdateDaemonSet, removal), Marked(taken))))
			}
		}, spec.Alone{})
}

// Where another host port is asked for, and where either is taken away.
const (
	changed history.Mark = "another host port is asked for"
	taken   history.Mark = "either is taken away"
)
