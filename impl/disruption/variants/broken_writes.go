package variants

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/rollcall-conformance/rollcall/impl/disruption/plan"
)

// brokenWrites write otherwise.
func brokenWrites() []Variant {
	return []Variant{
		{Name: "writes-again-what-is-there", Says: "Writes the status, with a new time of the condition, whenever it looks.", Breaks: []string{"PDB-024"},
			Planner: reporting(func(status *policyv1.PodDisruptionBudgetStatus, state plan.State, now time.Time) {
				// Not for its own writes, which would not end.
				for i := range status.Conditions {
					if at := &status.Conditions[i].LastTransitionTime; now.Sub(at.Time) > 2*time.Second {
						*at = metav1.NewTime(now).Rfc3339Copy()
					}
				}
			})},
		{Name: "writes-every-three-seconds", Says: "Looks every three seconds, and writes then.", Breaks: []string{"PDB-025"},
			Planner: func(next plan.Planner) plan.Planner {
				return doing(func(actions *plan.Actions, state plan.State, now time.Time) {
					comeBack(actions, 3*time.Second)
					if actions.Status == nil && len(state.Budget.Status.Conditions) > 0 && now.Sub(state.Budget.Status.Conditions[0].LastTransitionTime.Time) > 3*time.Second {
						actions.Status = state.Budget.Status.DeepCopy()
						actions.Status.Conditions[0].LastTransitionTime = metav1.NewTime(now).Rfc3339Copy()
					}
				})(next)
			}},
		{Name: "writes-over-evictions", Says: "Writes the status without regard to what others have written meanwhile, and half a second after it looked.",
			Breaks: []string{"PDB-012"},
			Writer: func(c client.StatusClient) client.StatusClient { return regardless{c} }},
		{Name: "writes-again-over-a-conflict", Says: "Writes the status that a conflict kept it from writing again, as it is, over what there is by then.",
			Breaks: []string{"PDB-012", "EVICT-015"},
			Writer: func(c client.StatusClient) client.StatusClient {
				return otherwise{c, func(ctx context.Context, w client.SubResourceWriter, budget *policyv1.PodDisruptionBudget) error {
					// What is sent is overwritten by the answer.
					err := w.Update(ctx, budget.DeepCopy())
					if !apierrors.IsConflict(err) {
						return err
					}
					patch, err := json.Marshal([]map[string]any{{"op": "add", "path": "/status", "value": budget.Status}})
					if err != nil {
						return fmt.Errorf("encode the patch: %w", err)
					}
					return w.Patch(ctx, budget.DeepCopy(), client.RawPatch(types.JSONPatchType, patch))
				}}
			}},
		{Name: "takes-a-conflict-for-one-over-the-version", Says: "Writes the numbers that a conflict kept it from writing as those of the generation that there is by then.",
			Breaks: []string{"PDB-011"},
			Writer: func(c client.StatusClient) client.StatusClient {
				return otherwise{c, func(ctx context.Context, w client.SubResourceWriter, budget *policyv1.PodDisruptionBudget) error {
					err := w.Update(ctx, budget.DeepCopy())
					if !apierrors.IsConflict(err) {
						return err
					}
					// A patch of nothing is answered with what there is.
					latest := budget.DeepCopy()
					if err := w.Patch(ctx, latest, client.RawPatch(types.MergePatchType, []byte("{}"))); err != nil {
						return err
					}
					listed := latest.Status.DisruptedPods
					latest.Status = *budget.Status.DeepCopy()
					latest.Status.DisruptedPods, latest.Status.ObservedGeneration = listed, latest.Generation
					if condition := allowed(&latest.Status); condition != nil {
						condition.ObservedGeneration = latest.Generation
					}
					return w.Update(ctx, latest)
				}}
			}},
	}
}

// regardless writes over whatever there is.
type regardless struct{ client.StatusClient }

func (r regardless) Status() client.SubResourceWriter {
	return regardlessWriter{r.StatusClient.Status()}
}

type regardlessWriter struct{ client.SubResourceWriter }

func (w regardlessWriter) Update(ctx context.Context, object client.Object, options ...client.SubResourceUpdateOption) error {
	budget, isBudget := object.(*policyv1.PodDisruptionBudget)
	if !isBudget {
		return w.SubResourceWriter.Update(ctx, object, options...)
	}
	select {
	case <-time.After(500 * time.Millisecond):
	case <-ctx.Done():
		return ctx.Err()
	}
	// All of the map is replaced by a patch that takes it away first.
	for _, status := range []any{map[string]any{"disruptedPods": nil}, budget.Status} {
		body, err := json.Marshal(map[string]any{"status": status})
		if err != nil {
			return fmt.Errorf("encode the status: %w", err)
		}
		if err := w.Patch(ctx, budget.DeepCopy(), client.RawPatch(types.MergePatchType, body)); err != nil {
			return err
		}
	}
	return nil
}
