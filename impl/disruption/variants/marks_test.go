package variants_test

import (
	"context"
	"testing"

	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/rollcall-conformance/rollcall/impl/disruption/variants"
)

func world(t *testing.T, name string) (variants.Variant, client.Client, func() *policyv1.PodDisruptionBudget) {
	t.Helper()
	v, found := variants.Named(name)
	if !found {
		t.Fatalf("there is no variant %s", name)
	}
	budget := &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "budget", UID: "budget"},
		Status: policyv1.PodDisruptionBudgetStatus{
			DisruptionsAllowed: 1, DisruptedPods: map[string]metav1.Time{"gone": metav1.Unix(1, 0)},
			Conditions: []metav1.Condition{{Type: "Foreign", Status: metav1.ConditionTrue, Reason: "Kept", LastTransitionTime: metav1.Unix(1, 0)}},
		},
	}
	c := fake.NewClientBuilder().WithStatusSubresource(budget).WithObjects(budget).Build()
	return v, c, func() *policyv1.PodDisruptionBudget {
		is := &policyv1.PodDisruptionBudget{}
		if err := c.Get(t.Context(), client.ObjectKeyFromObject(budget), is); err != nil {
			t.Fatal(err)
		}
		return is
	}
}

func TestAppliedBudgetsAreAsTheyWereToBe(t *testing.T) {
	v, c, get := world(t, "budgets-by-apply")
	wanted := get()
	wanted.Status.DisruptionsAllowed, wanted.Status.DisruptedPods = 0, nil
	wanted.Status.Conditions = append(wanted.Status.Conditions, metav1.Condition{
		Type: policyv1.DisruptionAllowedCondition, Status: metav1.ConditionFalse, Reason: policyv1.InsufficientPodsReason, LastTransitionTime: metav1.Unix(2, 0)})
	if err := v.Writer(c).Status().Update(t.Context(), wanted.DeepCopy()); err != nil {
		t.Fatal(err)
	}
	if got := get().Status; got.DisruptionsAllowed != 0 || len(got.DisruptedPods) > 0 || len(got.Conditions) != 2 {
		t.Errorf("got %+v", got)
	}
	if err := v.Writer(c).Status().Update(t.Context(), wanted); !apierrors.IsConflict(err) {
		t.Errorf("a budget that has changed: got %v, want a conflict", err)
	}
}

func TestBudgetsAreLabelledByWhatTheyAllow(t *testing.T) {
	v, c, get := world(t, "labels-budgets")
	none := reconcile.Func(func(context.Context, reconcile.Request) (reconcile.Result, error) { return reconcile.Result{}, nil })
	pass := func() string {
		t.Helper()
		if _, err := v.Reconciler(none, c).Reconcile(t.Context(), reconcile.Request{NamespacedName: client.ObjectKey{Namespace: "ns", Name: "budget"}}); err != nil {
			t.Fatal(err)
		}
		return get().Labels["example.com/allows-disruptions"]
	}
	if got := pass(); got != "some" {
		t.Errorf("got %q", got)
	}
	budget := get()
	budget.Status.DisruptionsAllowed = 0
	if err := c.Status().Update(t.Context(), budget); err != nil {
		t.Fatal(err)
	}
	if got := pass(); got != "none" {
		t.Errorf("got %q", got)
	}
	if before := get().ResourceVersion; pass() != "none" || get().ResourceVersion != before {
		t.Error("a label is written again")
	}
}
