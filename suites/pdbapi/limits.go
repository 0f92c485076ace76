package pdbapi

import (
	"context"
	"fmt"

	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// limits are the specs of the values that the fields of a spec may have.
func limits() {
	spec.It("rejects a budget with both limits, on creation and later",
		spec.Decides("PDBAPI-004"),
		func(ctx context.Context, c *spec.Case) {
			create(ctx, c, "both", Selecting(nobody), limit("minAvailable", intstr.FromInt32(1)), limit("maxUnavailable", intstr.FromInt32(1)))
			one := create(ctx, c, "one", Selecting(nobody), MinAvailable("1"))
			update(ctx, c, one, limit("maxUnavailable", intstr.FromInt32(1)))
			_ = c.TryPatchBudget(ctx, one, mergePatch, `{"spec":{"maxUnavailable":"50%"}}`)
		},
		func(j *spec.Checks) {
			j.Given(Accepted("a budget with one limit", created("one")))
			j.Decide("PDBAPI-004",
				Rejected("a budget with both limits", "spec", created("both")),
				Rejected("adding the other limit", "spec", updated("one")))
		}, budgets)

	fields := []struct {
		field, name string
		read        func(*policyv1.PodDisruptionBudget) string
	}{{"minAvailable", "min", minAvailable}, {"maxUnavailable", "max", maxUnavailable}}
	right := []intstr.IntOrString{
		intstr.FromInt32(0), intstr.FromInt32(1), intstr.FromInt32(5000), intstr.FromString("0%"), intstr.FromString("1%"), intstr.FromString("100%"),
	}
	wrong := []intstr.IntOrString{
		intstr.FromInt32(-1), intstr.FromString("-1%"), intstr.FromString("101%"), intstr.FromString("5"), intstr.FromString("abc"), intstr.FromString(""),
	}
	spec.It("takes non-negative numbers and percentages up to 100% as limits, and nothing else",
		spec.Decides("PDBAPI-005"),
		func(ctx context.Context, c *spec.Case) {
			for _, of := range fields {
				for i, value := range right {
					create(ctx, c, fmt.Sprintf("right-%s-%d", of.name, i), Selecting(nobody), limit(of.field, value))
				}
				for i, value := range wrong {
					create(ctx, c, fmt.Sprintf("wrong-%s-%d", of.name, i), Selecting(nobody), limit(of.field, value))
					later := create(ctx, c, fmt.Sprintf("later-%s-%d", of.name, i), Selecting(nobody), limit(of.field, intstr.FromInt32(1)))
					update(ctx, c, later, limit(of.field, value))
				}
			}
		},
		func(j *spec.Checks) {
			for _, of := range fields {
				for i, value := range right {
					j.Decide("PDBAPI-005", Stored("the stored "+of.field, value.String(), created(fmt.Sprintf("right-%s-%d", of.name, i)), of.read))
				}
				for i, value := range wrong {
					j.Decide("PDBAPI-005",
						Rejected(fmt.Sprintf("%s %q", of.field, value.String()), of.field, created(fmt.Sprintf("wrong-%s-%d", of.name, i))),
						Rejected(fmt.Sprintf("a change of %s to %q", of.field, value.String()), of.field, updated(fmt.Sprintf("later-%s-%d", of.name, i))))
				}
			}
		}, budgets)

	policies := []string{"IfHealthyBudget", "AlwaysAllow"}
	spec.It("accepts the eviction policies IfHealthyBudget and AlwaysAllow, and no other",
		spec.Decides("PDBAPI-014"),
		func(ctx context.Context, c *spec.Case) {
			for i, name := range policies {
				create(ctx, c, fmt.Sprintf("known-%d", i), Selecting(nobody), MinAvailable("1"), Policy(name))
			}
			create(ctx, c, "unknown", Selecting(nobody), MinAvailable("1"), Policy("Never"))
			changed := create(ctx, c, "changed", Selecting(nobody), MinAvailable("1"))
			update(ctx, c, changed, Policy("AlwaysAllow"))
			update(ctx, c, changed, Policy("ifhealthybudget"))
		},
		func(j *spec.Checks) {
			for i, name := range policies {
				j.Decide("PDBAPI-014", Stored("the stored policy", name, created(fmt.Sprintf("known-%d", i)), policyOf))
			}
			j.Decide("PDBAPI-014",
				Rejected("the policy Never", "unhealthyPodEvictionPolicy", created("unknown")),
				Stored("the changed policy", "AlwaysAllow", First(updated("changed")), policyOf),
				Rejected("the policy ifhealthybudget", "unhealthyPodEvictionPolicy", Nth(2, updated("changed"))))
		}, budgets)
}

// limit sets one limit and leaves the other.
func limit(field string, value intstr.IntOrString) BudgetEdit {
	return set(fmt.Sprintf("%s %q", field, value.String()), func(budget *policyv1.PodDisruptionBudget) {
		if field == "minAvailable" {
			budget.Spec.MinAvailable = &value
		} else {
			budget.Spec.MaxUnavailable = &value
		}
	})
}

// policyOf is the stored policy for pods that are not Ready, "none" where there is none.
func policyOf(budget *policyv1.PodDisruptionBudget) string {
	if budget.Spec.UnhealthyPodEvictionPolicy == nil {
		return "none"
	}
	return string(*budget.Spec.UnhealthyPodEvictionPolicy)
}
