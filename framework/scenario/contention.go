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
	policy := conflictPolicy(budget)
	policies, bindings := s.client.AdmissionregistrationV1().MutatingAdmissionPolicies(), s.client.AdmissionregistrationV1().MutatingAdmissionPolicyBindings()
	s.held = append(s.held, func(ctx context.Context) error {
		admission := s.admin.AdmissionregistrationV1()
		if err := ignoreNotFound(admission.MutatingAdmissionPolicyBindings().Delete(ctx, policy.Name, metav1.DeleteOptions{})); err != nil {
			return err
		}
		return ignoreNotFound(admission.MutatingAdmissionPolicies().Delete(ctx, policy.Name, metav1.DeleteOptions{}))
	})
	return s.Do(ctx, onBudget(history.RefuseStatus, budget), func(ctx context.Context) error {
		if _, err := policies.Create(ctx, policy, metav1.CreateOptions{}); err != nil {
			return err
		}
		binding := &admissionv1.MutatingAdmissionPolicyBinding{
			ObjectMeta: metav1.ObjectMeta{Name: policy.Name}, Spec: admissionv1.MutatingAdmissionPolicyBindingSpec{PolicyName: policy.Name},
		}
		if _, err := bindings.Create(ctx, binding, metav1.CreateOptions{}); err != nil {
			return err
		}
		budgets := s.admin.PolicyV1().PodDisruptionBudgets(budget.Namespace)
		// The API server learns of the policy by a watch of its own.
		return s.poll(ctx, func(ctx context.Context) (bool, error) {
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
	})
}

func conflictPolicy(budget *policyv1.PodDisruptionBudget) *admissionv1.MutatingAdmissionPolicy {
	fail := admissionv1.Fail
	return &admissionv1.MutatingAdmissionPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: "conflicts." + budget.Namespace},
		Spec: admissionv1.MutatingAdmissionPolicySpec{
			FailurePolicy: &fail, ReinvocationPolicy: admissionv1.NeverReinvocationPolicy,
			MatchConstraints: &admissionv1.MatchResources{ResourceRules: []admissionv1.NamedRuleWithOperations{{RuleWithOperations: admissionv1.RuleWithOperations{
				Operations: []admissionv1.OperationType{admissionv1.Update},
				Rule:       admissionv1.Rule{APIGroups: []string{policyv1.GroupName}, APIVersions: []string{"v1"}, Resources: []string{"poddisruptionbudgets/status"}},
			}}}},
			MatchConditions: []admissionv1.MatchCondition{{
				Name: "is-the-budget", Expression: fmt.Sprintf("object.metadata.namespace == %q && object.metadata.name == %q", budget.Namespace, budget.Name),
			}},
			Mutations: []admissionv1.Mutation{{PatchType: admissionv1.PatchTypeJSONPatch, JSONPatch: &admissionv1.JSONPatch{
				Expression: `[JSONPatch{op: "replace", path: "/metadata/resourceVersion", value: "1"}]`,
			}}},
		},
	}
}
