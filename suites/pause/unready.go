package pause

import (
	"context"

	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// unready are the specs of updated pods that are on their nodes and do not become Ready.
func unready() {
	spec.It("pauses within maxSurge while updated pods do not become Ready, and goes on when they do",
		spec.Decides("PAUSE-001", "PAUSE-004", "SURGE-011"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 3)
			updated := pause(ctx, c, c.Deploy(ctx, MaxSurge("1")), Image("v2"), NeverReady())
			// A surge pod that somebody takes away leaves its node where it was before.
			if pod := c.AwaitUpdated(ctx, updated, NotReady); pod != nil {
				c.DeletePod(ctx, pod, 0)
			}
			rollouts.Settle(ctx, c, updated, UpdatedOn(1, updated))
			rollouts.Finish(ctx, c, updated)
		},
		func(j *spec.Checks) {
			j.Decide("PAUSE-001", within()...)
			j.Decide("PAUSE-004", EndsRolledOut())
			j.Decide("SURGE-011", EndsRolledOut())
		}, spec.MainPath{})

	for _, cause := range []struct {
		words string
		edits []Edit
	}{
		{"whose containers crash over and over", []Edit{Image("v2"), CrashLooping()}},
		{"whose image cannot be pulled", []Edit{UnpullableImage()}},
	} {
		spec.It("pauses within maxSurge for updated pods "+cause.words,
			spec.Decides("PAUSE-003"),
			func(ctx context.Context, c *spec.Case) {
				c.AddNodes(ctx, 3)
				pause(ctx, c, c.Deploy(ctx, MaxSurge("1")), cause.edits...)
			},
			func(j *spec.Checks) { j.Decide("PAUSE-003", within()...) })
	}
}
