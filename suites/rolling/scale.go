package rolling

import (
	"context"

	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// burst is how many pods one pass of a controller may create or delete: 250, as in Kubernetes.
const burst = 250

// scale is the spec of many nodes at once.
func scale() {
	spec.It("creates no more than 250 pods in one pass, and all of them in the passes that follow",
		spec.Decides("ROLLING-020"),
		func(ctx context.Context, c *spec.Case) {
			const nodes = burst + 20
			c.AddNodes(ctx, nodes)
			c.Deploy(ctx)
			// A pass ends with a status, which is all of a pass that can be seen from outside. One that comes before the first pod may end a
			// pass that made none.
			c.Decide("ROLLING-020",
				Exactly(nodes, PodCreated()),
				Before(First(After(StatusWritten(), First(PodCreated()))), Nth(burst+1, PodCreated())))
		})
}
