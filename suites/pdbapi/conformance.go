package pdbapi

import (
	"context"
	"net/http"

	policyv1 "k8s.io/api/policy/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// conformance are ten of the eleven tests that the document names (S3 L314-326), by their names there. The eleventh is of evictions. No pod is selected, so
// no controller has anything to compute beside the harness.
func conformance() {
	spec.It("create a PodDisruptionBudget", spec.Decides("PDBAPI-001"),
		func(ctx context.Context, c *spec.Case) {
			create(ctx, c, "budget", MinAvailable("1"), Selecting(nobody))
		},
		func(j *spec.Checks) {
			j.Decide("PDBAPI-001",
				Answers("creating a PodDisruptionBudget", created("budget"), WithCode(http.StatusCreated)),
				Stored("minAvailable", "1", created("budget"), minAvailable),
				Effected(BudgetCreated("budget"), created("budget")))
		}, budgets)

	spec.It("read the specified PodDisruptionBudget", spec.Decides("PDBAPI-001"),
		func(ctx context.Context, c *spec.Case) {
			_ = c.TryReadBudget(ctx, create(ctx, c, "budget", MinAvailable("1"), Selecting(nobody)))
			_ = c.TryReadBudget(ctx, c.NewBudget("absent"))
		},
		func(j *spec.Checks) {
			j.Decide("PDBAPI-001",
				Answers("reading it", read("budget"), WithCode(http.StatusOK)),
				AnswersSame("reading it", created("budget"), read("budget")),
				Answers("reading one that does not exist", read("absent"), WithCode(http.StatusNotFound)))
		}, budgets)

	spec.It("list or watch objects of kind PodDisruptionBudget", spec.Decides("PDBAPI-001", "PDBAPI-002"),
		func(ctx context.Context, c *spec.Case) {
			labels := mine(c)
			create(ctx, c, "first", MinAvailable("1"), Selecting(nobody), labels)
			create(ctx, c, "second", MaxDisrupted("1"), Selecting(nobody), labels)
			create(ctx, c, "unlabelled", MaxDisrupted("1"), Selecting(nobody))
			elsewhere := c.NewBudget("third", MaxDisrupted("1"), Selecting(nobody), labels)
			elsewhere.Namespace = c.Bystanders()
			_, _ = c.TryCreateBudget(ctx, elsewhere)
			_ = c.TryListBudgets(ctx, c.Namespace(), "")
			_ = c.TryListBudgets(ctx, "", mineOnly(c))
			c.Bind("label", mineOnly(c))
			c.Bind("namespaces", c.Namespace(), c.Bystanders())
		},
		func(j *spec.Checks) {
			namespaces := j.BoundAll("namespaces")
			here, there := namespaces[0]+"/", namespaces[len(namespaces)-1]+"/"
			j.Decide("PDBAPI-001",
				Answers("listing a namespace", Answered(history.ListBudgets, ""), WithCode(http.StatusOK), WithItems(here+"first", here+"second", here+"unlabelled")),
				Effected(BudgetCreated("first"), created("first")), Effected(BudgetCreated("second"), created("second")))
			j.Decide("PDBAPI-002", Answers("listing all namespaces by a label", Answered(history.ListBudgets, j.Bound("label")),
				WithCode(http.StatusOK), WithItems(here+"first", here+"second", there+"third")))
		}, budgets, spec.Bystanders{})
}

// conformanceOfDeletions are those of deletions.
func conformanceOfDeletions() {
	spec.It("delete a PodDisruptionBudget", spec.Decides("PDBAPI-001"),
		func(ctx context.Context, c *spec.Case) {
			budget := create(ctx, c, "budget", MinAvailable("1"), Selecting(nobody))
			create(ctx, c, "other", MinAvailable("1"), Selecting(nobody))
			_ = c.TryDeleteBudget(ctx, budget)
			_ = c.TryReadBudget(ctx, budget)
		},
		func(j *spec.Checks) {
			j.Decide("PDBAPI-001",
				Answers("deleting it", Answered(history.DeleteBudget, "budget"), WithCode(http.StatusOK)),
				Answers("reading it afterwards", read("budget"), WithCode(http.StatusNotFound)),
				Effected(BudgetGone("budget"), Answered(history.DeleteBudget, "budget")), Never(BudgetGone("other")))
		}, budgets)

	spec.It("delete collection of PodDisruptionBudget", spec.Decides("PDBAPI-001", "PDBAPI-002"),
		func(ctx context.Context, c *spec.Case) {
			leaving, staying := labelled("go", "yes"), labelled("go", "no")
			create(ctx, c, "first", MinAvailable("1"), Selecting(nobody), leaving)
			create(ctx, c, "second", MaxDisrupted("1"), Selecting(nobody), leaving)
			create(ctx, c, "stays", MinAvailable("1"), Selecting(nobody), staying)
			create(ctx, c, "unlabelled", MinAvailable("1"), Selecting(nobody))
			elsewhere := c.NewBudget("elsewhere", MinAvailable("1"), Selecting(nobody), leaving)
			elsewhere.Namespace = c.Bystanders()
			_, _ = c.TryCreateBudget(ctx, elsewhere)
			_ = c.TryDeleteBudgets(ctx, c.Namespace(), "go=yes")
			_ = c.TryListBudgets(ctx, c.Namespace(), "")
			c.Bind("namespace", c.Namespace())
		},
		func(j *spec.Checks) {
			here := j.Bound("namespace") + "/"
			j.Decide("PDBAPI-001", Answers("deleting a collection", Answered(history.DeleteCollection, "go=yes"), WithCode(http.StatusOK)))
			j.Decide("PDBAPI-002",
				Answers("listing what is left", Answered(history.ListBudgets, ""), WithCode(http.StatusOK), WithItems(here+"stays", here+"unlabelled")),
				Effected(BudgetGone("first"), Answered(history.DeleteCollection, "go=yes")), Effected(BudgetGone("second"), Answered(history.DeleteCollection, "go=yes")),
				Never(BudgetGone("stays")), Never(BudgetGone("unlabelled")), Never(BudgetGone("elsewhere")))
		}, budgets, spec.Bystanders{})
}

// conformanceOfWrites are those of writes, of the spec and of the status, and of what a status says.
func conformanceOfWrites() {
	spec.It("replace the specified PodDisruptionBudget", spec.Decides("PDBAPI-001"),
		func(ctx context.Context, c *spec.Case) {
			update(ctx, c, create(ctx, c, "budget", MinAvailable("1"), Selecting(nobody)), MinAvailable("2"))
		},
		func(j *spec.Checks) {
			j.Decide("PDBAPI-001",
				Answers("replacing it", updated("budget"), WithCode(http.StatusOK)),
				Stored("minAvailable", "2", updated("budget"), minAvailable),
				AnswersSame("replacing it", created("budget"), updated("budget")))
		}, budgets)

	spec.It("partially update the specified PodDisruptionBudget", spec.Decides("PDBAPI-001"),
		func(ctx context.Context, c *spec.Case) {
			for _, by := range patches() {
				budget := create(ctx, c, by.name, MinAvailable("1"), Selecting(nobody))
				_ = c.TryPatchBudget(ctx, budget, by.kind, body(by.kind, budget, "spec", `{"minAvailable":3}`))
			}
		},
		func(j *spec.Checks) {
			for _, by := range patches() {
				j.Decide("PDBAPI-001",
					Answers("patching it by "+by.name, updated(by.name), WithCode(http.StatusOK)),
					Stored("minAvailable", "3", updated(by.name), minAvailable),
					Stored("the selector", "app=nobody", updated(by.name), selectorOf))
			}
		}, budgets)

	status := func(text string, write func(context.Context, *spec.Case, *policyv1.PodDisruptionBudget)) {
		spec.It(text, spec.Decides("PDBAPI-001", "PDBAPI-006"),
			func(ctx context.Context, c *spec.Case) {
				budget := settled(ctx, c, "budget", MinAvailable("1"))
				write(ctx, c, budget)
				_ = c.TryReadBudget(ctx, budget, "status")
			},
			func(j *spec.Checks) {
				for _, id := range spec.Decides("PDBAPI-001", "PDBAPI-006") {
					j.Decide(id,
						Answers("writing the status", statusWritten("budget"), WithCode(http.StatusOK)),
						Stored("the condition that was written", "True", statusWritten("budget"), foreign),
						Stored("minAvailable after a status write", "1", statusWritten("budget"), minAvailable),
						AnswersSame("reading the status", created("budget"), read("budget")))
				}
			}, budgets)
	}
	status("replace status of the specified PodDisruptionBudget", func(ctx context.Context, c *spec.Case, budget *policyv1.PodDisruptionBudget) {
		_ = c.TryWriteBudgetStatus(ctx, budget, foreignCondition(), MinAvailable("9"))
	})
	status("partially update status of the specified PodDisruptionBudget", func(ctx context.Context, c *spec.Case, budget *policyv1.PodDisruptionBudget) {
		// The spec beside it is not for the status subresource to change.
		_ = c.TryPatchBudgetStatus(ctx, budget, mergePatch, `{"spec":{"minAvailable":9},"status":{"conditions":[`+foreignJSON+`]}}`)
	})

	spec.It("read status of the specified PodDisruptionBudget", spec.Decides("PDBAPI-001", "PDBAPI-006"),
		func(ctx context.Context, c *spec.Case) {
			_ = c.TryReadBudget(ctx, settled(ctx, c, "budget", MinAvailable("1")), "status")
		},
		func(j *spec.Checks) {
			for _, id := range spec.Decides("PDBAPI-001", "PDBAPI-006") {
				j.Decide(id,
					Answers("reading the status", read("budget"), WithCode(http.StatusOK)),
					AnswersSame("reading the status", created("budget"), read("budget")))
			}
		}, budgets)
}

// nobody are labels that no pod has.
var nobody = map[string]string{"app": "nobody"}

// mine is a label that no other scenario's budgets have, mineOnly the selector of it.
func mine(c *spec.Case) BudgetEdit { return labelled("rollcall.dev/of", c.Namespace()) }

func mineOnly(c *spec.Case) string { return "rollcall.dev/of=" + c.Namespace() }
