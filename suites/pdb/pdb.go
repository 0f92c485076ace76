// Package pdb has the specs of PodDisruptionBudgets: what their status says of the pods that they select, and when. Most of what they decide are standing
// rules (framework/rules/disruption); the specs bring about what puts them to the test.
package pdb

import (
	"context"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// Specs registers the family.
func Specs() {
	limits()
	grid()
	scales()
	orphaned()
	withoutLivePods()
	heldScale()
	formerGroup()
	successors()
	pods()
	unscaled()
	custom()
	unmanaged()
	evictions()
	expiry()
	waiting()
	overtaken()
	several()
	relabelled()
	meanwhile()
	writes()
	silence()
	away()
	troubled()
	troubledScale()
	refusedWrites()
	stored()
	metrics()
	whileListed()
}

// promptly is how long the status, or what else the controller owes, may take.
const promptly = judge.Lag + spec.Prompt

// recorded are the kinds that specs of budgets over ReplicaSets record.
func recorded() spec.Kinds {
	return spec.Kinds{history.KindPodDisruptionBudget, history.KindReplicaSet}
}

// guard is the name of the budget of most specs.
const guard = "guard"

// web runs a ReplicaSet of that many Ready pods on two nodes.
func web(ctx context.Context, c *spec.Case, replicas int32, edits ...Edit) Scaled {
	c.AddNodes(ctx, 2)
	workload := c.RunScaled(ctx, history.KindReplicaSet, "web", replicas, edits...)
	c.Require(ctx, "the pods are Ready", LivePodsOf(workload, int(replicas), history.IsReady))
	return workload
}

// bare makes pods without a controller, with the label "app" of the value bare, and returns when they are Ready.
func bare(ctx context.Context, c *spec.Case, names ...string) []*corev1.Pod {
	node := c.AddNodes(ctx, 1)[0]
	made := Scaled{Name: "bare"}
	for _, name := range names {
		c.MakePod(ctx, name, node, made.Labels())
	}
	c.Require(ctx, "the pods are Ready", LivePodsOf(made, len(names), history.IsReady))
	return c.PodsOf(ctx, made)
}

// guarded makes the budget of the workload and waits until its status has come right; whether it has to, the rules decide.
func guarded(ctx context.Context, c *spec.Case, workload Scaled, limit BudgetEdit) *policyv1.PodDisruptionBudget {
	budget := c.CreateBudget(ctx, guard, limit, Selecting(workload.Labels()))
	c.Await(ctx, Computed(budget))
	return budget
}

// expressing selects by the label, which has to have one of the values, by expressions alone: the other is about a label that hardly any pod has.
func expressing(key string, values ...string) BudgetEdit {
	return BudgetEdit{Says: key + " in " + strings.Join(values, ", "), Apply: func(budget *policyv1.PodDisruptionBudget) {
		budget.Spec.Selector = &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{
			{Key: key, Operator: metav1.LabelSelectorOpIn, Values: values},
			{Key: "tier", Operator: metav1.LabelSelectorOpNotIn, Values: []string{"test"}},
		}}
	}}
}

// changed changes the budget and waits until its status has come right.
func changed(ctx context.Context, c *spec.Case, budget *policyv1.PodDisruptionBudget, edits ...BudgetEdit) bool {
	return c.Await(ctx, Computed(c.UpdateBudget(ctx, budget, edits...)))
}

// written is a status of the budget of that name of which the predicate is true.
func written(name, text string, is func(policyv1.PodDisruptionBudgetStatus) bool) Event {
	return BudgetChanged(name, "has another status, "+text, func(before, after *policyv1.PodDisruptionBudget) bool {
		return !equality.Semantic.DeepEqual(before.Status, after.Status) && is(after.Status)
	})
}

// silent is longer than a controller may be late.
const silent = 3 * time.Second

// allows is the predicate of a status that allows that many disruptions.
func allows(disruptions int32) func(policyv1.PodDisruptionBudgetStatus) bool {
	return func(status policyv1.PodDisruptionBudgetStatus) bool { return status.DisruptionsAllowed == disruptions }
}
