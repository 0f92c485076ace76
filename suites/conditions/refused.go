package conditions

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/judge"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// refusals are what keeps a rollout from going on because requests of the controller are refused.
var refusals = []struct {
	because string
	// bound is the name of the words of which one has to be named: the nodes, and who refuses.
	bound string
	who   string
	nodes int
	// refuse and admit get the pods from before.
	refuse, admit func(context.Context, *spec.Case, []*corev1.Pod)
	// never is what does not happen meanwhile.
	never Event
}{
	{
		"a quota refuses its pods, until it does not", "what keeps pods from being created", RefuserName, 3,
		func(ctx context.Context, c *spec.Case, _ []*corev1.Pod) { c.RefusePods(ctx, ByQuota) },
		func(ctx context.Context, c *spec.Case, _ []*corev1.Pod) { c.AdmitPods(ctx) },
		PodCreated(Updated()),
	},
	{
		// On one node nothing else is left to be done.
		"its old pod cannot be deleted, until it can", "what keeps the old pod from being deleted", KeepsPods, 1,
		func(ctx context.Context, c *spec.Case, old []*corev1.Pod) { c.RefuseDeletions(ctx, old...) },
		func(ctx context.Context, c *spec.Case, old []*corev1.Pod) { c.AdmitDeletions(ctx, old...) },
		PodDeleted(),
	},
}

// refused are the specs of rollouts that cannot go on because no pod can be created, or no old one deleted.
func refused() {
	for _, strategy := range rollouts.Strategies() {
		for _, refusal := range refusals {
			spec.It("reports in a condition and an Event that a rollout with "+strategy.With+" is stalled because "+refusal.because,
				spec.Decides("COND-001", "COND-002", "COND-003"),
				func(ctx context.Context, c *spec.Case) {
					words := append(c.AddNodes(ctx, refusal.nodes), refusal.who)
					c.Bind(refusal.bound, words...)
					before := c.Deploy(ctx, strategy.Limit("1"))
					old := c.LivePods(ctx, before)
					report := rollouts.ReportOf(before, words...)
					refusal.refuse(ctx, c, old)
					report.Begin(ctx, c, begun)
					updated := c.Update(ctx, before, Image("v2"))
					report.Await(ctx, c)
					c.Mark(over)
					refusal.admit(ctx, c, old)
					c.Await(ctx, RolledOut(updated))
					report.AwaitTakenBack(ctx, c)
				},
				func(j *spec.Checks) {
					reported := StallBetween{From: begun, To: over, Known: judge.ReportWithin, Words: j.BoundAll(refusal.bound)}
					j.Given(NeverBetween(Marked(begun), Marked(over), refusal.never))
					j.Decide("COND-001", reported.Condition())
					j.Decide("COND-002", reported.Event())
					j.Decide("COND-003", Tested(EndsRolledOut()), reported.TakenBack())
				}, spec.SimulatedNodes{})
		}
	}
}
