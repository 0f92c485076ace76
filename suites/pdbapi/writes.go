package pdbapi

import (
	"context"
	"fmt"
	"net/http"

	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

const mergePatch = types.MergePatchType

// foreignType is a condition that no controller of Kubernetes writes, foreignJSON the condition in a patch.
const (
	foreignType = "rollcall.dev/Noted"
	foreignJSON = `{"type":"` + foreignType + `","status":"True","reason":"Noted","message":"by the harness","lastTransitionTime":"2026-01-01T00:00:00Z"}`
)

// foreignCondition writes the condition into a status.
func foreignCondition() BudgetEdit {
	return set("a condition of rollcall's", func(budget *policyv1.PodDisruptionBudget) {
		meta.SetStatusCondition(&budget.Status.Conditions, metav1.Condition{Type: foreignType, Status: metav1.ConditionTrue, Reason: "Noted", Message: "by the harness"})
	})
}

// foreign is the condition in a stored status.
func foreign(budget *policyv1.PodDisruptionBudget) string {
	if condition := meta.FindStatusCondition(budget.Status.Conditions, foreignType); condition != nil {
		return string(condition.Status)
	}
	return "none"
}

// settled creates a budget that selects no pod, and waits until its controller has computed it.
func settled(ctx context.Context, c *spec.Case, name string, edits ...BudgetEdit) *policyv1.PodDisruptionBudget {
	budget := c.CreateBudget(ctx, name, append(edits, Selecting(nobody))...)
	c.Require(ctx, "the budget is computed", Allows(budget, 0))
	return budget
}

// counters are those of a status.
func counters() []string {
	return []string{"disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"}
}

// writes are the specs of what a write may touch.
func writes() {
	spec.It("leaves the status alone when a budget is created or replaced",
		spec.Decides("PDBAPI-006"),
		func(ctx context.Context, c *spec.Case) {
			create(ctx, c, "created", MinAvailable("1"), Selecting(nobody), healthy(7))
			update(ctx, c, settled(ctx, c, "replaced", MinAvailable("1")), healthy(7), labelled("note", "x"))
			patched := settled(ctx, c, "patched", MinAvailable("1"))
			_ = c.TryPatchBudget(ctx, patched, mergePatch, `{"metadata":{"labels":{"note":"x"}},"status":{"currentHealthy":7}}`)
		},
		func(j *spec.Checks) {
			j.Decide("PDBAPI-006",
				Stored("currentHealthy of a budget that is created with 7", "0", created("created"), currentHealthy),
				Stored("currentHealthy after the budget is replaced with 7", "0", updated("replaced"), currentHealthy),
				Stored("currentHealthy after the budget is patched with 7", "0", updated("patched"), currentHealthy))
		}, budgets)

	spec.It("leaves the status alone when a budget is created by server-side apply, or changed by any kind of patch",
		spec.Decides("PDBAPI-006"),
		func(ctx context.Context, c *spec.Case) {
			_ = c.TryPatchBudget(ctx, c.NewBudget("applied"), types.ApplyPatchType,
				`{"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"name":"applied"},"spec":{"minAvailable":1,"selector":{"matchLabels":{"app":"nobody"}}},"status":`+healthyJSON+`}`)
			for _, by := range patches() {
				budget := settled(ctx, c, by.name, MinAvailable("1"))
				_ = c.TryPatchBudget(ctx, budget, by.kind, body(by.kind, budget, "status", healthyJSON))
			}
		},
		func(j *spec.Checks) {
			j.Decide("PDBAPI-006",
				Answers("creating a budget by server-side apply", updated("applied"), WithCode(http.StatusCreated)),
				Stored("currentHealthy of a budget that server-side apply creates with 7", "0", updated("applied"), currentHealthy))
			for _, by := range patches() {
				j.Decide("PDBAPI-006", Stored("currentHealthy after the budget is patched with 7 by "+by.name, "0", updated(by.name), currentHealthy))
			}
		}, budgets)

	spec.It("rejects negative counters in a status",
		spec.Decides("PDBAPI-007"),
		func(ctx context.Context, c *spec.Case) {
			for i, counter := range counters() {
				_ = c.TryPatchBudgetStatus(ctx, create(ctx, c, fmt.Sprintf("budget-%d", i), MinAvailable("1"), Selecting(nobody)), mergePatch,
					fmt.Sprintf(`{"status":{%q:-1}}`, counter))
			}
		},
		func(j *spec.Checks) {
			for i, counter := range counters() {
				j.Decide("PDBAPI-007", Rejected("a status with "+counter+" -1", counter, statusWritten(fmt.Sprintf("budget-%d", i))))
			}
		}, budgets)

	spec.It("replaces a budget only by its resourceVersion, and one that exists",
		spec.Decides("PDBAPI-008"),
		func(ctx context.Context, c *spec.Case) {
			unversioned := settled(ctx, c, "unversioned", MinAvailable("1")).DeepCopy()
			unversioned.ResourceVersion = ""
			_ = c.TryReplaceBudget(ctx, unversioned)
			stale := settled(ctx, c, "stale", MinAvailable("1"))
			update(ctx, c, stale, MinAvailable("2"))
			_ = c.TryReplaceBudget(ctx, stale)
			_ = c.TryReplaceBudget(ctx, c.NewBudget("absent", MinAvailable("1"), Selecting(nobody)))
			_ = c.TryReadBudget(ctx, c.NewBudget("absent"))
		},
		func(j *spec.Checks) {
			j.Decide("PDBAPI-008",
				Answers("replacing one without a resourceVersion", updated("unversioned"), WithCode(http.StatusUnprocessableEntity), WithMessage("resourceVersion")),
				Answers("replacing one by a resourceVersion that is past", Nth(2, updated("stale")), WithCode(http.StatusConflict)),
				// Which of the two is wrong with it is for the API server to choose.
				Answers("replacing one that does not exist", updated("absent"), WithCode(http.StatusNotFound, http.StatusUnprocessableEntity, http.StatusConflict)),
				Answers("reading the one that did not exist", read("absent"), WithCode(http.StatusNotFound)),
				Never(BudgetCreated("absent")))
		}, budgets)
}

// healthyJSON is the part of a status in a patch that healthy sets.
const healthyJSON = `{"currentHealthy":7}`

func healthy(pods int32) BudgetEdit {
	return set(fmt.Sprintf("currentHealthy %d", pods), func(budget *policyv1.PodDisruptionBudget) { budget.Status.CurrentHealthy = pods })
}

func currentHealthy(budget *policyv1.PodDisruptionBudget) string {
	return fmt.Sprint(budget.Status.CurrentHealthy)
}
