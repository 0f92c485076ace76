package variants

import (
	"context"
	"encoding/json"
	"fmt"

	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// lawfulWrites store the same by other requests.
func lawfulWrites() []Variant {
	return []Variant{
		{Name: "budgets-meet-conflicts", Says: "Writes every status with a resourceVersion that nobody has first, which is refused.",
			Lawful: "A conflict is what any controller meets whose cache is behind.",
			Writer: func(c client.StatusClient) client.StatusClient {
				return otherwise{c, func(ctx context.Context, w client.SubResourceWriter, budget *policyv1.PodDisruptionBudget) error {
					refused := budget.DeepCopy()
					refused.ResourceVersion = "1"
					if err := w.Update(ctx, refused); !apierrors.IsConflict(err) {
						return fmt.Errorf("a status that nobody has seen was not refused: %w", err)
					}
					return w.Update(ctx, budget)
				}}
			}},
		{Name: "budgets-by-patch", Says: "Writes the status by JSON patches that test the resourceVersion.",
			Lawful: "The requirements are about what is stored, not about the verb that stores it.",
			Writer: func(c client.StatusClient) client.StatusClient {
				return otherwise{c, func(ctx context.Context, w client.SubResourceWriter, budget *policyv1.PodDisruptionBudget) error {
					patch, err := json.Marshal([]map[string]any{
						{"op": "test", "path": "/metadata/resourceVersion", "value": budget.ResourceVersion},
						{"op": "add", "path": "/status", "value": budget.Status},
					})
					if err != nil {
						return fmt.Errorf("encode the patch: %w", err)
					}
					err = w.Patch(ctx, budget.DeepCopy(), client.RawPatch(types.JSONPatchType, patch))
					if apierrors.IsInvalid(err) {
						return apierrors.NewConflict(policyv1.Resource("poddisruptionbudgets"), budget.Name, err)
					}
					return err
				}}
			}},
	}
}

// otherwise writes the status of budgets in another way.
type otherwise struct {
	client.StatusClient
	write func(context.Context, client.SubResourceWriter, *policyv1.PodDisruptionBudget) error
}

// Status implements client.StatusClient.
func (o otherwise) Status() client.SubResourceWriter {
	return otherwiseWriter{o.StatusClient.Status(), o.write}
}

type otherwiseWriter struct {
	client.SubResourceWriter
	write func(context.Context, client.SubResourceWriter, *policyv1.PodDisruptionBudget) error
}

// Update implements client.SubResourceWriter.
func (w otherwiseWriter) Update(ctx context.Context, object client.Object, options ...client.SubResourceUpdateOption) error {
	if budget, isBudget := object.(*policyv1.PodDisruptionBudget); isBudget {
		return w.write(ctx, w.SubResourceWriter, budget)
	}
	return w.SubResourceWriter.Update(ctx, object, options...)
}
