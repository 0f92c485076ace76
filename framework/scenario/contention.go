package scenario

import (
	"context"
	"fmt"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// TryConflictStatusWrites makes every write of the budget's status meet a conflict, whoever writes, until the scenario is over: a policy gives what is
// written a resourceVersion that is past. It returns when it does. It fails where the API server knows no such policies, before Kubernetes 1.36.
func (s *Scenario) TryConflictStatusWrites(ctx context.Context, budget *policyv1.PodDisruptionBudget) error {
	s.tb.Helper()
	m := mutation{
		name: "conflicts." + budget.Namespace, operation: admissionv1.Update,
		resource: admissionv1.Rule{APIGroups: []string{policyv1.GroupName}, APIVersions: []string{"v1"}, Resources: []string{"poddisruptionbudgets/status"}},
		of:       fmt.Sprintf("object.metadata.namespace == %q && object.metadata.name == %q", budget.Namespace, budget.Name),
		patch:    `[JSONPatch{op: "replace", path: "/metadata/resourceVersion", value: "1"}]`,
	}
	budgets := s.admin.PolicyV1().PodDisruptionBudgets(budget.Namespace)
	return s.mutate(ctx, onBudget(history.RefuseStatus, budget), m, func(ctx context.Context) (bool, error) {
		current, err := budgets.Get(ctx, budget.Name, metav1.GetOptions{})
		if err != nil {
			return false, err
		}
		_, err = budgets.UpdateStatus(ctx, current, metav1.UpdateOptions{DryRun: []string{metav1.DryRunAll}})
		if apierrors.IsConflict(err) {
			return true, nil
		}
		return false, err
	})
}
