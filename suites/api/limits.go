package api

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	"github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// limits are the specs of maxSurge and maxUnavailable.
func limits() {
	surges := []string{"1", "7", "1%", "25%", "100%"}
	spec.It("stores maxSurge as a number or a percentage",
		spec.Decides("API-001", "API-004"),
		func(ctx context.Context, c *spec.Case) {
			for i, value := range surges {
				create(ctx, c, fmt.Sprintf("surge-%d", i), strategyOf(value, "0"))
			}
			zeroPercent := create(ctx, c, "zero-percent", strategyOf("1", "0%"))
			update(ctx, c, zeroPercent, strategyOf("0", "1"))
			update(ctx, c, zeroPercent, strategyOf("50%", "0"))
			create(ctx, c, "negative", strategyOf("-1", "0"))
		},
		func(j *spec.Checks) {
			for i, value := range surges {
				name := fmt.Sprintf("surge-%d", i)
				j.Decide("API-001", Stored("the stored maxSurge", value, created(name), maxSurge))
				j.Decide("API-004", Accepted("maxUnavailable 0 with maxSurge "+value, created(name)))
			}
			j.Decide("API-001", Rejected("maxSurge -1", "maxSurge", created("negative")))
			j.Decide("API-004",
				Accepted("maxUnavailable 0% with maxSurge 1", created("zero-percent")),
				Accepted("an update to maxSurge 50% and maxUnavailable 0", Nth(2, updated("zero-percent"))))
		}, spec.AppsV1{}, spec.MainPath{})

	defaults := []struct {
		name  string
		edits []scenario.Edit
	}{
		{"bare", nil},
		{"type-only", []scenario.Edit{strategyTyped("RollingUpdate")}},
		{"empty-block", []scenario.Edit{strategyOf("", "")}},
		{"only-max-surge0", []scenario.Edit{strategyOf("0", "")}},
	}
	spec.It("defaults maxSurge to 0 and maxUnavailable to 1",
		spec.Decides("API-002", "API-003"),
		func(ctx context.Context, c *spec.Case) {
			for _, given := range defaults {
				create(ctx, c, given.name, given.edits...)
			}
		},
		func(j *spec.Checks) {
			for _, given := range defaults {
				j.Decide("API-002", Stored("maxSurge of "+given.name, "0", created(given.name), maxSurge))
				j.Decide("API-003", Stored("maxUnavailable of "+given.name, "1", created(given.name), maxUnavailable))
			}
		}, spec.AppsV1{})

	zeros := []struct{ surge, unavailable string }{{"0", "0"}, {"0%", "0"}, {"0", "0%"}, {"0%", "0%"}, {"", "0"}, {"", "0%"}}
	spec.It("rejects a strategy that allows neither surge nor unavailability",
		spec.Decides("API-005"),
		func(ctx context.Context, c *spec.Case) {
			healthy := c.Create(ctx, c.NewDaemonSet("healthy"))
			for i, zero := range zeros {
				create(ctx, c, fmt.Sprintf("zero-%d", i), strategyOf(zero.surge, zero.unavailable))
				update(ctx, c, healthy, strategyOf(zero.surge, zero.unavailable))
			}
		},
		func(j *spec.Checks) {
			for i, zero := range zeros {
				what := fmt.Sprintf("maxSurge %q with maxUnavailable %q", zero.surge, zero.unavailable)
				j.Decide("API-005",
					Rejected("creating with "+what, "rollingUpdate", created(fmt.Sprintf("zero-%d", i))),
					Rejected("updating to "+what, "rollingUpdate", Nth(i+1, updated("healthy"))))
			}
		}, spec.AppsV1{})

	const given, completed = "maxSurge 1, maxUnavailable 2", "maxSurge 1, maxUnavailable 1"
	spec.It("does not silently ignore one of two limits",
		spec.Decides("API-006", "API-007"),
		func(ctx context.Context, c *spec.Case) {
			both := create(ctx, c, "both", strategyOf("1", "2"))
			alone := create(ctx, c, "alone", strategyOf("1", ""))
			if both != nil && bothLimits(both) == given || alone != nil && bothLimits(alone) == completed {
				c.CannotDecide("the API server stores maxSurge and maxUnavailable above zero together; no judge of both limits at once exists yet")
			}
		},
		func(j *spec.Checks) {
			const what = "maxSurge 1 with maxUnavailable 2"
			j.Decide("API-006", OneOf(Refused(what, created("both")), Stored(what, given, created("both"), bothLimits)))
			const without = "maxSurge 1 with the default maxUnavailable"
			j.Decide("API-007", OneOf(Rejected(without, "maxSurge", created("alone")), Stored("maxSurge of "+without, "1", created("alone"), maxSurge)))
		}, spec.AppsV1{})

	fields := []struct{ field, name string }{{"maxSurge", "surge"}, {"maxUnavailable", "unavailable"}}
	wrong := []intstr.IntOrString{
		intstr.FromInt32(-1), intstr.FromString("-5%"), intstr.FromString("5"), intstr.FromString("abc"), intstr.FromString(""),
	}
	spec.It("rejects limits that are neither a non-negative number nor a percentage",
		spec.Decides("API-008", "API-009"),
		func(ctx context.Context, c *spec.Case) {
			for _, of := range fields {
				for i, value := range wrong {
					create(ctx, c, fmt.Sprintf("wrong-%s-%d", of.name, i), limit(of.field, value))
				}
				create(ctx, c, "over-"+of.name, limit(of.field, intstr.FromString("101%")))
				create(ctx, c, "many-"+of.name, limit(of.field, intstr.FromInt32(5000)))
			}
		},
		func(j *spec.Checks) {
			for _, of := range fields {
				for i, value := range wrong {
					what := fmt.Sprintf("%s %q", of.field, value.String())
					j.Decide("API-008", Rejected(what, of.field, created(fmt.Sprintf("wrong-%s-%d", of.name, i))))
				}
				j.Decide("API-009",
					Rejected(of.field+" 101%", of.field, created("over-"+of.name)),
					Accepted(of.field+" 5000 on a cluster with fewer nodes", created("many-"+of.name)))
			}
		}, spec.AppsV1{})
}

// bothLimits are the stored limits in words.
func bothLimits(d *appsv1.DaemonSet) string {
	return "maxSurge " + maxSurge(d) + ", maxUnavailable " + maxUnavailable(d)
}

// limit sets one limit to the value and the other to zero, so that only the value can be at fault.
func limit(field string, value intstr.IntOrString) scenario.Edit {
	return set(fmt.Sprintf("%s %q", field, value.String()), func(d *appsv1.DaemonSet) {
		zero := intstr.FromInt32(0)
		block := &appsv1.RollingUpdateDaemonSet{MaxSurge: &zero, MaxUnavailable: &zero}
		if field == "maxSurge" {
			block.MaxSurge = &value
		} else {
			block.MaxUnavailable = &value
		}
		d.Spec.UpdateStrategy = appsv1.DaemonSetUpdateStrategy{Type: appsv1.RollingUpdateDaemonSetStrategyType, RollingUpdate: block}
	})
}
