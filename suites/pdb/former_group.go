package pdb

import (
	"context"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// formerGroup is the spec of pods whose owner references are older than the group of the API in which their ReplicaSet is.
func formerGroup() {
	spec.It("counts the replicas of a ReplicaSet that pods name by the group that ReplicaSets once were in",
		spec.Decides("PDB-003", "PDB-004", "PDB-007"),
		func(ctx context.Context, c *spec.Case) {
			workload := web(ctx, c, 3)
			pods := c.PodsOf(ctx, workload)
			for _, pod := range pods[:2] {
				c.ReferByVersion(ctx, pod, "extensions/v1beta1")
			}
			c.Await(ctx, Quiet(judge.Lag))
			budget := guarded(ctx, c, workload, MaxDisrupted("1"))
			c.Pods.BecomeUnready(ctx, pods[0])
			if c.Await(ctx, state.All(ReadyPods(2), Computed(budget))) {
				changed(ctx, c, budget, MaxDisrupted("50%"))
			}
			c.Await(ctx, Quiet(silent))
		},
		func(j *spec.Checks) { j.Given(Exactly(2, Done(history.ReferByVersion))) }, recorded(), spec.SimulatedNodes{})
}
