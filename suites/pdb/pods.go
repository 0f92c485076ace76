package pdb

import (
	"context"
	"time"

	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// pods are the specs of pods that are there and do not count as healthy.
func pods() {
	spec.It("does not count pods as healthy that are terminating, and yet Ready",
		spec.Decides("PDB-009", "PDB-026"),
		func(ctx context.Context, c *spec.Case) {
			// Nobody replaces these.
			terminating := bare(ctx, c, "bare-0", "bare-1", "bare-2")[:2]
			budget := guarded(ctx, c, Scaled{Name: "bare"}, MinAvailable("1"))
			for _, pod := range terminating {
				c.Pods.HoldTermination(ctx, pod)
				c.DeletePod(ctx, pod, graceful)
				if !c.Await(ctx, Computed(budget)) {
					return
				}
			}
			for _, pod := range terminating {
				c.Pods.ReleaseTermination(ctx, pod)
			}
			c.Await(ctx, Computed(budget))
		}, nil, recorded(), spec.SimulatedNodes{})

	spec.It("does not count a pod as healthy that disruptedPods lists, and keeps it listed",
		spec.Decides("PDB-012", "PDB-013"),
		func(ctx context.Context, c *spec.Case) {
			workload := web(ctx, c, 4)
			budget := guarded(ctx, c, workload, MinAvailable("1"))
			all := c.PodsOf(ctx, workload)
			// Right after a change, so that whoever writes what it made of that, over whatever there is by then, takes the pod off the list.
			c.Pods.BecomeUnready(ctx, all[1])
			c.WriteBudgetStatus(ctx, budget, ListDisrupted(all[0].Name, time.Now()))
			c.Pods.BecomeReady(ctx, all[1])
			c.WriteBudgetStatus(ctx, budget, ListDisrupted(all[2].Name, time.Now()))
			// It is not about who notices a written status: this makes everybody look.
			c.Pods.BecomeUnready(ctx, all[3])
			c.Await(ctx, Computed(budget))
			c.Await(ctx, Quiet(silent))
		}, nil, recorded(), spec.SimulatedNodes{})
}

// graceful is longer than any spec: a pod that does not end by itself goes on terminating.
const graceful = 5 * time.Minute
