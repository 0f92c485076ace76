// Package pdbapi has the specs of the API of PodDisruptionBudget: what the API server accepts, rejects, defaults and stores.
package pdbapi

import (
	"context"
	"fmt"

	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// Specs registers the family.
func Specs() {
	conformance()
	conformanceOfDeletions()
	conformanceOfWrites()
	writes()
	limits()
	selectors()
	selected()
	former()
	changes()
	neither()
}

// budgets has a spec record PodDisruptionBudgets.
var budgets = spec.Kinds{history.KindPodDisruptionBudget}

// The requests below are sent for their answers, which the recording has for the checks to judge. So a refusal is no error here.

// create sends a new budget and returns what the API server stored; what was sent if it was not accepted.
func create(ctx context.Context, c *spec.Case, name string, edits ...BudgetEdit) *policyv1.PodDisruptionBudget {
	budget := c.NewBudget(name, edits...)
	if stored, err := c.TryCreateBudget(ctx, budget); err == nil {
		return stored
	}
	return budget
}

// update sends a changed budget.
func update(ctx context.Context, c *spec.Case, budget *policyv1.PodDisruptionBudget, edits ...BudgetEdit) {
	_, _ = c.TryUpdateBudget(ctx, budget, edits...)
}

// patch is a kind of patch that takes a JSON object with the changes.
type patch struct {
	name string
	kind types.PatchType
}

func patches() []patch {
	return []patch{{"merge", types.MergePatchType}, {"strategic", types.StrategicMergePatchType}, {"apply", types.ApplyPatchType}}
}

// body is a patch of that kind that sets a field of the budget, such as "spec", to this JSON.
func body(kind types.PatchType, budget *policyv1.PodDisruptionBudget, field, value string) string {
	if kind != types.ApplyPatchType {
		return fmt.Sprintf(`{%q:%s}`, field, value)
	}
	return fmt.Sprintf(`{"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"name":%q},%q:%s}`, budget.Name, field, value)
}

// set is an edit in words.
func set(says string, apply func(*policyv1.PodDisruptionBudget)) BudgetEdit {
	return BudgetEdit{Says: says, Apply: apply}
}

// selector sets the selector as it is given.
func selector(says string, selector *metav1.LabelSelector) BudgetEdit {
	return set("selector "+says, func(budget *policyv1.PodDisruptionBudget) { budget.Spec.Selector = selector })
}

// labelled gives the budget a label.
func labelled(key, value string) BudgetEdit {
	return set("label "+key+"="+value, func(budget *policyv1.PodDisruptionBudget) { metav1.SetMetaDataLabel(&budget.ObjectMeta, key, value) })
}

// Answers to what was asked of the budget of that name.
func created(name string) Event { return Answered(history.CreateBudget, name) }

func updated(name string) Event { return Answered(history.UpdateBudget, name) }

func statusWritten(name string) Event { return Answered(history.WriteStatus, name) }

func read(name string) Event { return Answered(history.ReadBudget, name) }

// What follows reads a stored budget.

func minAvailable(budget *policyv1.PodDisruptionBudget) string {
	return budget.Spec.MinAvailable.String()
}

func maxUnavailable(budget *policyv1.PodDisruptionBudget) string {
	return budget.Spec.MaxUnavailable.String()
}

func selectorOf(budget *policyv1.PodDisruptionBudget) string {
	return metav1.FormatLabelSelector(budget.Spec.Selector)
}
