package pdb

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// troubled is the spec of pods of every sort, with each kind of limit, and of a controller that is down while they change or go.
func troubled() {
	spec.It("computes each kind of limit over pods that have ended, terminate, are listed or not Ready, also those that came to it while the controller was down",
		spec.Decides("PDB-002", "PDB-003", "PDB-004", "PDB-005", "PDB-006", "PDB-007", "PDB-012", "PDB-013", "PDB-016"),
		func(ctx context.Context, c *spec.Case) {
			node := c.AddNodes(ctx, 2)[0]
			var all []guardedPods
			for i, limit := range []BudgetEdit{MinAvailable("34%"), MaxDisrupted("2"), MaxDisrupted("34%"), MinAvailable("100%"), MaxDisrupted("0"), MinAvailable("1")} {
				all = append(all, guardPods(ctx, c, fmt.Sprintf("web-%d", i), limit))
			}
			var right []Condition
			var last []*corev1.Pod
			for _, name := range []string{"alone", "alone-as-well"} {
				alone := Scaled{Name: name}
				last = append(last, c.MakePod(ctx, alone.Name, node, alone.Labels()))
				c.Require(ctx, "the pod is Ready", LivePodsOf(alone, 1, history.IsReady))
				right = append(right, Computed(c.CreateBudget(ctx, alone.Name, MinAvailable("0"), Selecting(alone.Labels()))))
			}
			for _, guarded := range all {
				right = append(right, Computed(guarded.budget))
			}
			c.Await(ctx, state.All(right...))

			for _, guarded := range all {
				failing, unready, leaving := guarded.pods[0], guarded.pods[1], guarded.pods[2]
				c.Pods.Fail(ctx, failing)
				c.Pods.BecomeUnready(ctx, unready)
				c.Pods.HoldTermination(ctx, leaving)
				c.WriteBudgetStatus(ctx, guarded.budget, ListDisrupted(leaving.Name, time.Now()))
				c.DeletePod(ctx, leaving, graceful)
				c.Await(ctx, state.All(Computed(guarded.budget), noneListed(guarded.budget)))
				c.WriteBudgetStatus(ctx, guarded.budget, ListDisrupted(guarded.pods[3].Name, time.Now()))
			}
			// Their budgets are left without a pod, one while the controller is down.
			c.DeletePod(ctx, last[0], 0)
			c.Await(ctx, state.All(right...))
			c.Await(ctx, Quiet(judge.Lag))

			c.Kill(ctx)
			c.DeletePod(ctx, last[1], 0)
			for _, guarded := range all {
				c.Pods.BecomeReady(ctx, guarded.pods[1])
				c.Pods.Fail(ctx, guarded.pods[3])
				c.Scale(ctx, guarded.workload, 6)
			}
			c.Restart(ctx)
			c.Await(ctx, state.All(right...))
			for _, guarded := range all {
				c.Pods.ReleaseTermination(ctx, guarded.pods[2])
				c.Pods.BecomeUnready(ctx, guarded.pods[1])
				c.Await(ctx, Computed(guarded.budget))
			}
			c.Await(ctx, state.All(right...))
		}, nil, recorded(), spec.Alone{}, spec.SimulatedNodes{})
}

// guardedPods are the pods of a workload that has a budget of its own.
type guardedPods struct {
	workload Scaled
	pods     []*corev1.Pod
	budget   *policyv1.PodDisruptionBudget
}

// guardPods runs four Ready pods with a budget of their own, both of that name.
func guardPods(ctx context.Context, c *spec.Case, name string, limit BudgetEdit) guardedPods {
	const replicas = 4
	workload := c.RunScaled(ctx, history.KindReplicaSet, name, replicas)
	c.Require(ctx, "the pods are Ready", LivePodsOf(workload, replicas, history.IsReady))
	return guardedPods{workload, c.PodsOf(ctx, workload), c.CreateBudget(ctx, name, limit, Selecting(workload.Labels()))}
}
