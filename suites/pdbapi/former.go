package pdbapi

import (
	"context"
	"net/http"

	policyv1 "k8s.io/api/policy/v1"
	policyv1beta1 "k8s.io/api/policy/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// former are the specs of budgets that an older version of Kubernetes has stored.
func former() {
	spec.It("selects no pod by the empty selector of a budget that is stored as policy/v1beta1, and all pods by what v1beta1 has for policy/v1's empty one",
		spec.Decides("PDBAPI-011"),
		func(ctx context.Context, c *spec.Case) {
			pods := runPods(ctx, c, map[string]map[string]string{"first": {"app": "a"}, "second": nil})
			none := c.StoreBudget(ctx, "none", atLeastOne(&metav1.LabelSelector{}))
			// What it counts is what this asks.
			c.Require(ctx, "the budget is computed", BudgetStatus(none, "it is computed", func(policyv1.PodDisruptionBudgetStatus) bool { return true }))
			_ = c.TryEvict(ctx, pods[0])
			c.Require(ctx, "one pod is left", ReadyPods(1))
			all := c.StoreBudget(ctx, "all", atLeastOne(&metav1.LabelSelector{
				MatchExpressions: []metav1.LabelSelectorRequirement{{Key: syntheticKey, Operator: metav1.LabelSelectorOpDoesNotExist}},
			}))
			c.Await(ctx, BudgetStatus(all, "it counts 1 pod", func(status policyv1.PodDisruptionBudgetStatus) bool { return status.ExpectedPods == 1 }))
			_ = c.TryEvict(ctx, pods[1])
		},
		func(j *spec.Checks) {
			j.Decide("PDBAPI-011",
				Never(BudgetChanged("none", "counts pods", func(_, after *policyv1.PodDisruptionBudget) bool { return after.Status.ExpectedPods > 0 })),
				Answers("evicting pod first", Answered(history.EvictPod, "first"), WithCode(http.StatusCreated)),
				Effected(PodDeleted(Named("first")), Answered(history.EvictPod, "first")))
			j.Decide("PDBAPI-011",
				Within(inTime, BudgetCreated("all"), counts("all", 1)),
				Answers("evicting pod second", Answered(history.EvictPod, "second"), WithCode(http.StatusTooManyRequests)), Never(PodDeleted(Named("second"))))
		}, budgets, spec.Alone{}, spec.Storage{}, spec.SimulatedNodes{})
}

// atLeastOne is a budget with minAvailable 1.
func atLeastOne(selector *metav1.LabelSelector) policyv1beta1.PodDisruptionBudgetSpec {
	one := intstr.FromInt32(1)
	return policyv1beta1.PodDisruptionBudgetSpec{MinAvailable: &one, Selector: selector}
}
