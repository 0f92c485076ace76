package pdb

import (
	"context"
	"maps"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// pods are the specs of pods that are there and do not count as healthy.
func pods() {
	spec.It("does not count pods as healthy that are terminating, and yet Ready, nor any that it does not select, and lists none that is",
		spec.Decides("PDB-001", "PDB-009", "PDB-010", "PDB-016", "PDB-026"),
		func(ctx context.Context, c *spec.Case) {
			// Nobody replaces these.
			terminating := bare(ctx, c, "bare-0", "bare-1", "bare-2")[:2]
			c.RunScaled(ctx, history.KindReplicaSet, "beside", 1)
			// It is not Ready, though its containers are.
			gated := c.RunScaled(ctx, history.KindReplicaSet, "gated", 1, ReadinessGate("rollcall.dev/open"))
			c.Require(ctx, "the containers of a pod are ready that is not", LivePodsOf(gated, 1, ContainersReady, NotReady))
			budget := c.CreateBudget(ctx, guard, MinAvailable("1"), expressing("app", "bare", "gated", "nobody"))
			c.Await(ctx, Computed(budget))
			// It counts no longer, so that nothing but the list changes when it terminates.
			c.WriteBudgetStatus(ctx, budget, ListDisrupted(terminating[0].Name, time.Now()))
			c.Await(ctx, Quiet(judge.Lag))
			for _, pod := range terminating {
				c.Pods.HoldTermination(ctx, pod)
				c.DeletePod(ctx, pod, graceful)
				c.Await(ctx, state.All(Computed(budget), noneListed(budget)))
			}
			for _, pod := range terminating {
				c.Pods.ReleaseTermination(ctx, pod)
			}
			c.Await(ctx, Computed(budget))
			last := c.PodsOf(ctx, Scaled{Name: "bare"})[0]
			c.Pods.BecomeUnready(ctx, last)
			c.Await(ctx, Computed(budget))
			// Now nobody knows how it is.
			rollouts.BecomeUnknown(ctx, c, last)
			c.Await(ctx, Quiet(judge.Lag))
			c.Await(ctx, Computed(budget))
		}, nil, recorded(), spec.SimulatedNodes{})

	spec.It("counts pods by a label that is to be empty only if they have it",
		spec.Decides("PDB-001", "PDB-026"),
		func(ctx context.Context, c *spec.Case) {
			node := c.AddNodes(ctx, 1)[0]
			some := Scaled{Name: "some"}
			for name, labels := range ByName(map[string]map[string]string{
				"empty": {"role": ""}, "empty-too": {"role": ""}, "without": nil, "without-too": nil, "other": {"role": "other"},
				// The first of two expressions selects it, and the other does not.
				"tested": {"role": "", "tier": "test"},
			}) {
				c.MakePod(ctx, name, node, union(some.Labels(), labels))
			}
			c.Require(ctx, "the pods are Ready", LivePodsOf(some, 6, history.IsReady))
			budget := c.CreateBudget(ctx, guard, MinAvailable("1"), Selecting(union(some.Labels(), map[string]string{"role": ""})))
			if !c.Await(ctx, Computed(budget)) {
				return
			}
			changed(ctx, c, budget, expressing("role", "", "nothing"))
		}, nil, recorded(), spec.SimulatedNodes{})

	spec.It("does not count a pod as healthy that disruptedPods lists, and keeps it listed, also while it cannot compute the budget",
		spec.Decides("PDB-001", "PDB-012", "PDB-013"),
		func(ctx context.Context, c *spec.Case) {
			// So many that one may be evicted.
			workload := web(ctx, c, 6)
			budget := guarded(ctx, c, workload, MinAvailable("1"))
			all := c.PodsOf(ctx, workload)
			// Its first eviction came to nothing.
			c.WriteBudgetStatus(ctx, budget, ListDisrupted(all[4].Name, time.Now().Add(-history.DisruptedTimeout)))
			c.Await(ctx, noneListed(budget))
			c.WriteBudgetStatus(ctx, budget, ListDisrupted(all[4].Name, time.Now()))
			// Right after a change, so that whoever writes what it made of that, over whatever there is by then, takes the pod off the list.
			c.Pods.BecomeUnready(ctx, all[1])
			c.WriteBudgetStatus(ctx, budget, ListDisrupted(all[0].Name, time.Now()))
			c.Pods.BecomeReady(ctx, all[1])
			// The API server's clock may be ahead.
			c.WriteBudgetStatus(ctx, budget, ListDisrupted(all[2].Name, time.Now().Add(ahead)))
			// An eviction says so of its pod before it deletes it.
			c.Disrupt(ctx, all[2], time.Now())
			// It is not about who notices a written status: this makes everybody look.
			c.Pods.BecomeUnready(ctx, all[3])
			c.Await(ctx, Computed(budget))
			c.Await(ctx, Quiet(silent))
			// Its eviction is under way, whether or not it is healthy.
			c.Pods.BecomeUnready(ctx, all[0])
			// A Job has no scale.
			c.RunScaled(ctx, history.KindJob, "job", 1)
			c.UpdateBudget(ctx, budget, MaxDisrupted("1"), Selecting(nil))
			c.Await(ctx, state.Budget(guard, "it failed", failed))
			c.Await(ctx, Quiet(silent))
		}, nil, recorded(), spec.SimulatedNodes{})
}

// ahead is how far clocks may differ.
const ahead = 30 * time.Second

// graceful is longer than any spec: a pod that does not end by itself goes on terminating.
const graceful = 5 * time.Minute

// union are the labels of both.
func union(labels, more map[string]string) map[string]string {
	all := maps.Clone(labels)
	maps.Copy(all, more)
	return all
}
