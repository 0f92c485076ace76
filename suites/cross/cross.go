// Package cross has the specs of daemon pods under PodDisruptionBudgets.
package cross

import (
	"context"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	policyv1 "k8s.io/api/policy/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// Specs registers the family.
func Specs() {
	evictions()
	rollouts()
	besideAnEviction()
}

// guard is the name of the budget.
const guard = "guard"

// recorded are the kinds that specs of budgets over DaemonSets record.
func recorded() spec.Kinds { return spec.Kinds{history.KindPodDisruptionBudget} }

// guarded makes a budget of the DaemonSet's pods with an integer minAvailable, and returns when it counts them.
func guarded(ctx context.Context, c *spec.Case, daemonSet *appsv1.DaemonSet, available int) *policyv1.PodDisruptionBudget {
	budget := c.CreateBudget(ctx, guard, MinAvailable(strconv.Itoa(available)), selecting(daemonSet))
	c.Require(ctx, "the budget counts the pods", Computed(budget))
	return budget
}

func selecting(daemonSet *appsv1.DaemonSet) BudgetEdit {
	return Selecting(daemonSet.Spec.Selector.MatchLabels)
}

// counted is a status that counts healthy pods as the predicate wants it.
func counted(text string, is func(healthy int32) bool) Event {
	return BudgetChanged(guard, text, func(_, after *policyv1.PodDisruptionBudget) bool { return is(after.Status.CurrentHealthy) })
}
