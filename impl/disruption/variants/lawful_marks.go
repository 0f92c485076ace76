package variants

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	policyv1 "k8s.io/api/policy/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// lawfulMarks write on budgets by other means, or more.
func lawfulMarks() []Variant {
	return []Variant{
		{Name: "budgets-by-apply", Says: "Writes the status by server-side apply, and by an update after it what apply cannot take away.",
			Lawful: "The requirements are about what is stored. An entry of disruptedPods that goes in the second write alone is listed until the controller has seen the pod terminating (PDB-012); conditions of others stay (PDB-031).",
			Writer: func(c client.StatusClient) client.StatusClient { return otherwise{c, applyBudget} }},
		{Name: "labels-budgets", Says: "Labels every budget by whether it allows disruptions.",
			Lawful:     "PDB-024 and PDB-025 are about the status, which is written on change only. PDBAPI-006: a write to the object leaves the status alone, and the label changes only once the status has.",
			Reconciler: labelling},
	}
}

// applyBudget applies what is the controller's own: the numbers and its condition. What else the status has shows in the answer, and is written if it is to be another.
func applyBudget(ctx context.Context, w client.SubResourceWriter, budget *policyv1.PodDisruptionBudget) error {
	status := budget.Status.DeepCopy()
	status.DisruptedPods, status.Conditions = nil, nil
	if own := apimeta.FindStatusCondition(budget.Status.Conditions, policyv1.DisruptionAllowedCondition); own != nil {
		status.Conditions = []metav1.Condition{*own}
	}
	body, err := json.Marshal(map[string]any{
		"apiVersion": policyv1.SchemeGroupVersion.String(), "kind": "PodDisruptionBudget",
		"metadata": map[string]any{"name": budget.Name, "namespace": budget.Namespace, "uid": budget.UID, "resourceVersion": budget.ResourceVersion},
		"status":   status,
	})
	if err != nil {
		return fmt.Errorf("encode the status: %w", err)
	}
	applied := &policyv1.PodDisruptionBudget{ObjectMeta: metav1.ObjectMeta{Namespace: budget.Namespace, Name: budget.Name}}
	if err := w.Patch(ctx, applied, client.RawPatch(types.ApplyPatchType, body), client.FieldOwner("rollcall-variant"), client.ForceOwnership); err != nil {
		return err
	}
	if apiequality.Semantic.DeepEqual(inOrder(applied.Status), inOrder(budget.Status)) {
		return nil
	}
	applied.Status = budget.Status
	return w.Update(ctx, applied)
}

// inOrder returns the status with its conditions in the order of their types: it is no difference.
func inOrder(status policyv1.PodDisruptionBudgetStatus) policyv1.PodDisruptionBudgetStatus {
	status = *status.DeepCopy()
	slices.SortFunc(status.Conditions, func(a, b metav1.Condition) int { return cmp.Compare(a.Type, b.Type) })
	return status
}

const allows = "example.com/allows-disruptions"

// labelling labels the budget after every pass. It goes by what has been stored.
func labelling(inner reconcile.Reconciler, c client.Client) reconcile.Reconciler {
	return reconcile.Func(func(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
		result, err := inner.Reconcile(ctx, request)
		if err != nil {
			return result, err
		}
		return result, labelBudget(ctx, c, request)
	})
}

func labelBudget(ctx context.Context, c client.Client, request reconcile.Request) error {
	budget := &policyv1.PodDisruptionBudget{}
	if err := c.Get(ctx, request.NamespacedName, budget); err != nil {
		return client.IgnoreNotFound(err)
	}
	value := "none"
	if budget.Status.DisruptionsAllowed > 0 {
		value = "some"
	}
	if budget.DeletionTimestamp != nil || budget.Status.ObservedGeneration < budget.Generation || budget.Labels[allows] == value {
		return nil
	}
	body, err := json.Marshal(map[string]any{"metadata": map[string]any{"uid": budget.UID, "labels": map[string]string{allows: value}}})
	if err != nil {
		return fmt.Errorf("encode the label: %w", err)
	}
	err = c.Patch(ctx, budget, client.RawPatch(types.MergePatchType, body))
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		return nil
	}
	return err
}
