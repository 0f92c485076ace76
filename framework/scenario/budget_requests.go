package scenario

import (
	"context"

	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// The requests below are sent for the API server's answer, which the recording has: they return its refusal instead of ending the spec.

// TryReplaceBudget sends the budget as it is, in the place of the stored one.
func (s *Scenario) TryReplaceBudget(ctx context.Context, budget *policyv1.PodDisruptionBudget) error {
	s.tb.Helper()
	return s.Do(ctx, onBudget(history.UpdateBudget, budget), func(ctx context.Context) error {
		_, err := s.client.PolicyV1().PodDisruptionBudgets(budget.Namespace).Update(ctx, budget, metav1.UpdateOptions{})
		return err
	})
}

// TryPatchBudget sends a patch of that kind to the budget. Server-side apply takes fields from whoever has them.
func (s *Scenario) TryPatchBudget(ctx context.Context, budget *policyv1.PodDisruptionBudget, kind types.PatchType, body string) error {
	s.tb.Helper()
	return s.patchBudget(ctx, history.UpdateBudget, budget, kind, body)
}

// TryPatchBudgetStatus sends a patch of that kind to the status subresource of the budget.
func (s *Scenario) TryPatchBudgetStatus(ctx context.Context, budget *policyv1.PodDisruptionBudget, kind types.PatchType, body string) error {
	s.tb.Helper()
	return s.patchBudget(ctx, history.WriteStatus, budget, kind, body, "status")
}

func (s *Scenario) patchBudget(
	ctx context.Context, act history.Act, budget *policyv1.PodDisruptionBudget, kind types.PatchType, body string, subresources ...string,
) error {
	options := metav1.PatchOptions{}
	if kind == types.ApplyPatchType {
		force := true
		options.FieldManager, options.Force = "rollcall", &force
	}
	stimulus := onBudget(act, budget)
	stimulus.Detail = string(kind)
	return s.Do(ctx, stimulus, func(ctx context.Context) error {
		_, err := s.client.PolicyV1().PodDisruptionBudgets(budget.Namespace).Patch(ctx, budget.Name, kind, []byte(body), options, subresources...)
		return err
	})
}

// TryWriteBudgetStatus is WriteBudgetStatus for what may be refused.
func (s *Scenario) TryWriteBudgetStatus(ctx context.Context, budget *policyv1.PodDisruptionBudget, edits ...BudgetEdit) error {
	s.tb.Helper()
	_, err := s.writeBudget(ctx, history.WriteStatus, budget, edits, s.client.PolicyV1().PodDisruptionBudgets(budget.Namespace).UpdateStatus)
	return err
}

// TryReadBudget reads the budget, or a subresource of it.
func (s *Scenario) TryReadBudget(ctx context.Context, budget *policyv1.PodDisruptionBudget, subresources ...string) error {
	s.tb.Helper()
	return s.Do(ctx, onBudget(history.ReadBudget, budget), func(ctx context.Context) error {
		return s.client.PolicyV1().RESTClient().Get().
			Namespace(budget.Namespace).Resource("poddisruptionbudgets").Name(budget.Name).SubResource(subresources...).Do(ctx).Error()
	})
}

// TryListBudgets lists the budgets of a namespace, of all if it is empty, that have the label.
func (s *Scenario) TryListBudgets(ctx context.Context, namespace, label string) error {
	s.tb.Helper()
	return s.Do(ctx, onBudgets(history.ListBudgets, namespace, label), func(ctx context.Context) error {
		_, err := s.client.PolicyV1().PodDisruptionBudgets(namespace).List(ctx, metav1.ListOptions{LabelSelector: label})
		return err
	})
}

// TryDeleteBudgets deletes the budgets of a namespace that have the label, as a collection.
func (s *Scenario) TryDeleteBudgets(ctx context.Context, namespace, label string) error {
	s.tb.Helper()
	return s.Do(ctx, onBudgets(history.DeleteCollection, namespace, label), func(ctx context.Context) error {
		return s.client.PolicyV1().PodDisruptionBudgets(namespace).DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: label})
	})
}

// onBudgets is an act on the budgets of a namespace that have the label; the label is the name by which its answer is found.
func onBudgets(act history.Act, namespace, label string) history.Stimulus {
	return history.Stimulus{Act: act, Kind: history.KindPodDisruptionBudget, Namespace: namespace, Name: label}
}
