// Package stress has the spec of everything at once: acts drawn from the run's seed, judged by the standing rules.
package stress

import (
	"context"
	"fmt"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

const (
	// nodes is how many there are at first.
	nodes = 5
	// length is how many acts there are.
	length = 30
	// scheduled is the name of the schedule.
	scheduled = "what the seed had happen"
)

// Specs registers the family.
func Specs() {
	spec.It("breaks no promise while pods, nodes, the template, the strategy and its own process change at random, and settles when they do not any more",
		spec.Decides("STRESS-001"),
		func(ctx context.Context, c *spec.Case) {
			schedule := draw(c.Seed(), length, weights())
			c.Bind(scheduled, lines(schedule)...)
			p := &player{Case: c, all: acts(c.Claims(requirements.Surge))}
			p.begin(ctx)
			for _, act := range schedule {
				c.Await(ctx, Past(time.Now().Add(act.Wait)))
				p.all[act.Act](ctx, p, act.A)
			}
			p.calm(ctx)
			c.Await(ctx, RolledOut(p.daemonSet))
			c.Await(ctx, Quiet(spec.Prompt))
		},
		func(j *spec.Checks) {
			j.Decide("STRESS-001", KeepsEveryRule(requirements.DaemonSet, requirements.Surge), EndsRolledOut())
			j.Observe(func(h *history.History) string {
				return fmt.Sprintf("%d random acts; the same again with -seed=%d", len(h.Bindings[scheduled]), h.Seed)
			})
		}, spec.Alone{}, spec.SimulatedNodes{}, spec.MainPath{})
}
