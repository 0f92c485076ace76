package scenario

import (
	"context"
	"fmt"
	"slices"

	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/state"
)

// BudgetEdit is one change to a PodDisruptionBudget.
type BudgetEdit = EditOf[policyv1.PodDisruptionBudget]

// MinAvailable sets minAvailable to a number or percentage ("2", "50%"), and takes maxUnavailable away.
func MinAvailable(value string) BudgetEdit {
	return BudgetEdit{"minAvailable " + value, func(budget *policyv1.PodDisruptionBudget) {
		limit := intstr.Parse(value)
		budget.Spec.MinAvailable, budget.Spec.MaxUnavailable = &limit, nil
	}}
}

// MaxDisrupted sets a budget's maxUnavailable to a number or percentage, and takes minAvailable away. MaxUnavailable is that of a DaemonSet.
func MaxDisrupted(value string) BudgetEdit {
	return BudgetEdit{"maxUnavailable " + value, func(budget *policyv1.PodDisruptionBudget) {
		limit := intstr.Parse(value)
		budget.Spec.MinAvailable, budget.Spec.MaxUnavailable = nil, &limit
	}}
}

// Selecting sets a budget's selector to the labels; without any it selects every pod of the namespace.
func Selecting(labels map[string]string) BudgetEdit {
	selector := &metav1.LabelSelector{MatchLabels: labels}
	return BudgetEdit{"selector " + metav1.FormatLabelSelector(selector), func(budget *policyv1.PodDisruptionBudget) {
		budget.Spec.Selector = selector.DeepCopy()
	}}
}

// NewBudget returns a budget in the scenario's namespace, not yet created. Without edits it has neither a limit nor a selector.
func (s *Scenario) NewBudget(name string, edits ...BudgetEdit) *policyv1.PodDisruptionBudget {
	budget := &policyv1.PodDisruptionBudget{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: s.namespace}}
	apply(edits)(budget)
	return budget
}

// TryCreateBudget sends a new budget and returns what the API server stored, or its refusal.
func (s *Scenario) TryCreateBudget(ctx context.Context, budget *policyv1.PodDisruptionBudget) (stored *policyv1.PodDisruptionBudget, err error) {
	s.tb.Helper()
	err = s.Do(ctx, onBudget(history.CreateBudget, budget), func(ctx context.Context) (err error) {
		stored, err = s.client.PolicyV1().PodDisruptionBudgets(budget.Namespace).Create(ctx, budget, metav1.CreateOptions{})
		return err
	})
	return stored, err
}

// CreateBudget is TryCreateBudget of a NewBudget that must be accepted.
func (s *Scenario) CreateBudget(ctx context.Context, name string, edits ...BudgetEdit) *policyv1.PodDisruptionBudget {
	s.tb.Helper()
	stored, err := s.TryCreateBudget(ctx, s.NewBudget(name, edits...))
	s.must(err, "create PodDisruptionBudget %s", name)
	return stored
}

// TryUpdateBudget changes the budget and returns what the API server stored, or its refusal. A conflict with another writer is tried again.
func (s *Scenario) TryUpdateBudget(ctx context.Context, budget *policyv1.PodDisruptionBudget, edits ...BudgetEdit) (*policyv1.PodDisruptionBudget, error) {
	s.tb.Helper()
	return s.writeBudget(ctx, history.UpdateBudget, budget, edits, s.client.PolicyV1().PodDisruptionBudgets(budget.Namespace).Update)
}

// UpdateBudget is TryUpdateBudget for what must be accepted.
func (s *Scenario) UpdateBudget(ctx context.Context, budget *policyv1.PodDisruptionBudget, edits ...BudgetEdit) *policyv1.PodDisruptionBudget {
	s.tb.Helper()
	stored, err := s.TryUpdateBudget(ctx, budget, edits...)
	s.must(err, "update PodDisruptionBudget %s", budget.Name)
	return stored
}

// WriteBudgetStatus changes the budget and sends it to the status subresource, as nobody but the disruption controller should. It returns when the recording
// shows the change.
func (s *Scenario) WriteBudgetStatus(ctx context.Context, budget *policyv1.PodDisruptionBudget, edits ...BudgetEdit) *policyv1.PodDisruptionBudget {
	s.tb.Helper()
	stored, err := s.writeBudget(ctx, history.WriteStatus, budget, edits, s.client.PolicyV1().PodDisruptionBudgets(budget.Namespace).UpdateStatus)
	s.must(err, "write the status of PodDisruptionBudget %s", budget.Name)
	s.Require(ctx, "the recording shows the change", state.When("PodDisruptionBudget "+budget.Name+" is as it was changed", func(cluster *history.Cluster) bool {
		return slices.ContainsFunc(cluster.Budgets(), func(now *policyv1.PodDisruptionBudget) bool { return now.UID == stored.UID && shows(now, stored) })
	}))
	return stored
}

func (s *Scenario) writeBudget(
	ctx context.Context, act history.Act, budget *policyv1.PodDisruptionBudget, edits []BudgetEdit, send sender[policyv1.PodDisruptionBudget],
) (*policyv1.PodDisruptionBudget, error) {
	return rewrite(ctx, s, edited(onBudget(act, budget), edits), s.client.PolicyV1().PodDisruptionBudgets(budget.Namespace), apply(edits), send)
}

// TryDeleteBudget deletes the budget, and returns the refusal.
func (s *Scenario) TryDeleteBudget(ctx context.Context, budget *policyv1.PodDisruptionBudget) error {
	s.tb.Helper()
	return s.Do(ctx, onBudget(history.DeleteBudget, budget), func(ctx context.Context) error {
		return s.client.PolicyV1().PodDisruptionBudgets(budget.Namespace).Delete(ctx, budget.Name, metav1.DeleteOptions{})
	})
}

// DeleteBudget is TryDeleteBudget for what must be accepted.
func (s *Scenario) DeleteBudget(ctx context.Context, budget *policyv1.PodDisruptionBudget) {
	s.tb.Helper()
	s.must(s.TryDeleteBudget(ctx, budget), "delete PodDisruptionBudget %s", budget.Name)
}

func onBudget(act history.Act, budget *policyv1.PodDisruptionBudget) history.Stimulus {
	return history.Stimulus{Act: act, Kind: history.KindPodDisruptionBudget, Namespace: budget.Namespace, Name: budget.Name, UID: budget.UID}
}

// BudgetStatus holds when the status of this generation of the budget, or of a later one, is as the predicate wants it.
func BudgetStatus(budget *policyv1.PodDisruptionBudget, text string, is func(policyv1.PodDisruptionBudgetStatus) bool) Condition {
	return Condition{Text: fmt.Sprintf("the status of PodDisruptionBudget %s: %s", budget.Name, text), Unmet: func(cluster *history.Cluster) string {
		for _, now := range cluster.Budgets() {
			switch status := now.Status; {
			case now.UID != budget.UID:
				continue
			case status.ObservedGeneration < budget.Generation:
				return fmt.Sprintf("it observes generation %d of %d", status.ObservedGeneration, budget.Generation)
			case !is(status):
				return "it says " + state.BudgetNumbers(status)
			}
			return ""
		}
		return "there is no such budget"
	}}
}

// Computed holds when the status of this generation of the budget, or of a later one, has the numbers that the pods make it have.
func Computed(budget *policyv1.PodDisruptionBudget) Condition {
	return Condition{Text: fmt.Sprintf("the status of PodDisruptionBudget %s is what the pods make it", budget.Name), Unmet: func(cluster *history.Cluster) string {
		for _, now := range cluster.Budgets() {
			if now.UID != budget.UID {
				continue
			}
			said, tallies := history.TallyOf(now.Status), cluster.Reckon(now).Tallies
			if now.Generation >= budget.Generation && now.Status.ObservedGeneration == now.Generation && slices.Contains(tallies, said) {
				return ""
			}
			return fmt.Sprintf("it says %s, and the pods make it %+v", state.BudgetNumbers(now.Status), tallies)
		}
		return "there is no such budget"
	}}
}

// Allows holds when the status of this generation of the budget, or of a later one, allows that many disruptions.
func Allows(budget *policyv1.PodDisruptionBudget, disruptions int32) Condition {
	return BudgetStatus(budget, fmt.Sprintf("disruptionsAllowed is %d", disruptions), func(status policyv1.PodDisruptionBudgetStatus) bool {
		return status.DisruptionsAllowed == disruptions
	})
}

// Policy sets a budget's policy for the eviction of pods that are not Ready.
func Policy(name string) BudgetEdit {
	return BudgetEdit{"policy " + name, func(budget *policyv1.PodDisruptionBudget) {
		policy := policyv1.UnhealthyPodEvictionPolicyType(name)
		budget.Spec.UnhealthyPodEvictionPolicy = &policy
	}}
}
