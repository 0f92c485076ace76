package pdb

import (
	"context"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// scales are the specs of the workloads that stand behind a budget's pods.
func scales() {
	spec.It("expects the replicas of all workloads behind the pods, of every kind, each counted once",
		spec.Decides("PDB-007"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			budget := c.CreateBudget(ctx, guard, MaxDisrupted("50%"), Selecting(nil))
			for i, kind := range []history.Kind{
				history.KindReplicaSet, history.KindStatefulSet, history.KindReplicationController, history.KindDeployment,
			} {
				name := []string{"first", "second", "third", "fourth"}[i]
				workload := c.RunScaled(ctx, kind, name, 2)
				if !c.Await(ctx, Computed(budget)) {
					return
				}
				// The pods that there are stay fewer: what counts is what the workload asks for.
				c.Scale(ctx, workload, 3)
				if !c.Await(ctx, Computed(budget)) {
					return
				}
			}
			c.Await(ctx, Computed(budget))
		}, nil, spec.SimulatedNodes{},
		spec.Kinds{
			history.KindPodDisruptionBudget, history.KindReplicaSet, history.KindStatefulSet, history.KindReplicationController, history.KindDeployment,
		})
}
