package conditions

import (
	"context"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// Where the second rollout begins that cannot go on, and where it is rolled back.
const (
	begunAgain history.Mark = "the next rollout begins"
	overAgain  history.Mark = "the next rollout is rolled back"
)

// again is the spec of a DaemonSet whose rollouts cannot go on twice, and are rolled back.
func again() {
	spec.It("takes the report of a stall back when the rollout is rolled back, reports the next one too, and leaves the conditions of others as they are",
		spec.Decides("COND-002", "COND-003", "COND-005"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			before := c.Deploy(ctx, MaxSurge("1"))
			inspect(ctx, c, before, corev1.ConditionTrue)
			restored := Edit{Says: "the template of before", Apply: func(d *appsv1.DaemonSet) { d.Spec.Template = *before.Spec.Template.DeepCopy() }}
			report := rollouts.ReportOf(before)
			for _, stall := range []struct {
				version  string
				from, to history.Mark
			}{{"v2", begun, over}, {"v3", begunAgain, overAgain}} {
				report.Begin(ctx, c, stall.from)
				updated := c.Update(ctx, before, Image(stall.version), rollouts.Demand("1M"))
				c.Await(ctx, UpdatedOn(1, updated))
				rollouts.NeedsScheduler(ctx, c, updated)
				report.Await(ctx, c)
				c.Mark(stall.to)
				c.RollOut(ctx, updated, restored)
				if !report.AwaitTakenBack(ctx, c) {
					return
				}
				// An Event may tell of the end, too, and come later.
				c.Await(ctx, Quiet(2*time.Second))
			}
		},
		func(j *spec.Checks) {
			first := StallBetween{From: begun, To: over, Known: judge.ReportWithin}
			second := StallBetween{From: begunAgain, To: overAgain, Known: judge.ReportWithin, Earlier: &first}
			j.Decide("COND-002", first.Event(), second.Event())
			j.Decide("COND-003", Tested(EndsRolledOut()), first.TakenBack(), second.TakenBack())
			j.Decide("COND-005", leftAlone(1)...)
		}, spec.SimulatedNodes{})
}
