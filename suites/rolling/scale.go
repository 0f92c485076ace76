package rolling

import (
	"context"
	"fmt"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// burst is how many pods one pass of Kubernetes' controller creates or deletes at most.
const burst = 250

// many nodes get their pods in so short a time that a controller creates the last before it sees the first.
const many = 60

// scale are the specs of many nodes at once.
func scale() {
	spec.It("creates a pod on every node, even where one pass may not create that many",
		spec.Decides("ROLLING-020"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, burst+20)
			c.Await(ctx, RolledOut(c.Create(ctx, c.NewDaemonSet("daemon"))))
		},
		func(j *spec.Checks) {
			j.Decide("ROLLING-020", AtLeast(burst+20, PodCreated()), OnEveryNode(UpTo(1, PodCreated())))
			// A pass cannot be seen from outside: a status may be written at any time.
			j.Observe(func(h *history.History) string {
				all, status := PodCreated(), First(After(StatusWritten(), First(PodCreated())))
				created := len(all.Find(h))
				before := created - len(After(all, status).Find(h))
				return fmt.Sprintf("%d of %d pods were created before the first status that followed a creation", before, created)
			})
		})

	spec.It("replaces the pods of many nodes at once, each by one",
		spec.Decides("ROLLING-013"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, many)
			c.RollOut(ctx, c.Deploy(ctx, MaxUnavailable("100%")), Image("v2"))
		}, nil, spec.SimulatedNodes{})

	spec.It("surges on many nodes at once, with one updated pod on each",
		spec.Decides("SURGE-010"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, many)
			c.RollOut(ctx, c.Deploy(ctx, MaxSurge("100%")), Image("v2"))
		}, nil, spec.SimulatedNodes{})
}
