package pdbapi

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// syntheticKey is the label key by which empty selectors are converted between policy/v1beta1 and policy/v1.
const syntheticKey = "pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match"

// selectors are the specs of what is stored of a selector.
func selectors() {
	operators := []metav1.LabelSelectorOperator{metav1.LabelSelectorOpExists, metav1.LabelSelectorOpDoesNotExist, metav1.LabelSelectorOpIn}
	spec.It("removes the synthetic label key from a selector in which a user mentions it",
		spec.Decides("PDBAPI-012"),
		func(ctx context.Context, c *spec.Case) {
			for i, operator := range operators {
				create(ctx, c, fmt.Sprintf("created-%d", i), MinAvailable("1"), mentioning(operator))
			}
			update(ctx, c, create(ctx, c, "updated", MinAvailable("1"), Selecting(nobody)), mentioning(metav1.LabelSelectorOpExists))
		},
		func(j *spec.Checks) {
			const what, want = "the stored selector", "app=nobody,tier in (x)"
			for i := range operators {
				j.Decide("PDBAPI-012", Stored(what, want, created(fmt.Sprintf("created-%d", i)), selectorOf))
			}
			j.Decide("PDBAPI-012", Stored(what, want, updated("updated"), selectorOf))
		}, budgets)

	spec.It("replaces the selector as a whole by server-side apply and by a strategic merge patch",
		spec.Decides("PDBAPI-013"),
		func(ctx context.Context, c *spec.Case) {
			const changed = `{"selector":{"matchLabels":{"role":"y"}}}`
			for _, by := range patches() {
				budget := create(ctx, c, by.name, MinAvailable("1"), expressed())
				_ = c.TryPatchBudget(ctx, budget, by.kind, body(by.kind, budget, "spec", changed))
			}
		},
		func(j *spec.Checks) {
			for _, by := range patches() {
				want := "role=y"
				if by.kind == types.MergePatchType {
					// Objects are merged, as its standard says.
					want = "app=nobody,role=y,tier in (x)"
				}
				j.Decide("PDBAPI-013", Stored("the selector after a patch by "+by.name, want, updated(by.name), selectorOf))
			}
		}, budgets)
}

// mentioning selects by a label, by an expression, and by one with the synthetic key.
func mentioning(operator metav1.LabelSelectorOperator) BudgetEdit {
	synthetic := metav1.LabelSelectorRequirement{Key: syntheticKey, Operator: operator}
	if operator == metav1.LabelSelectorOpIn {
		synthetic.Values = []string{"x"}
	}
	return selector("with the synthetic key, "+string(operator), &metav1.LabelSelector{
		MatchLabels: nobody, MatchExpressions: []metav1.LabelSelectorRequirement{synthetic, inTier()},
	})
}

// expressed selects by a label and by an expression.
func expressed() BudgetEdit {
	return selector("of a label and an expression", &metav1.LabelSelector{MatchLabels: nobody, MatchExpressions: []metav1.LabelSelectorRequirement{inTier()}})
}

func inTier() metav1.LabelSelectorRequirement {
	return metav1.LabelSelectorRequirement{Key: "tier", Operator: metav1.LabelSelectorOpIn, Values: []string{"x"}}
}
