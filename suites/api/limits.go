package api

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// limits are the specs of maxSurge and maxUnavailable.
func limits() {
	spec.It("stores maxSurge as a number or a percentage",
		spec.Decides("API-001", "API-004"),
		func(ctx context.Context, c *spec.Case) {
			for i, value := range []string{"1", "7", "1%", "25%", "100%"} {
				stored, err := c.TryCreate(ctx, c.NewDaemonSet(fmt.Sprintf("surge-%d", i), strategyOf(value, "0")))
				if accepted(c, "API-001", "maxSurge "+value+" with maxUnavailable 0", err) {
					surge, _ := limitsOf(stored)
					equal(c, "API-001", "the stored maxSurge", value, surge)
				}
				accepted(c, "API-004", "maxUnavailable 0 with maxSurge "+value, err)
			}
			stored, err := c.TryCreate(ctx, c.NewDaemonSet("zero-percent", strategyOf("1", "0%")))
			if !accepted(c, "API-004", "maxUnavailable 0% with maxSurge 1", err) {
				return
			}
			stored, err = c.TryUpdate(ctx, stored, strategyOf("0", "1"))
			accepted(c, "API-004", "an update to maxSurge 0 and maxUnavailable 1", err)
			_, err = c.TryUpdate(ctx, stored, strategyOf("50%", "0"))
			accepted(c, "API-004", "an update to maxSurge 50% and maxUnavailable 0", err)
			_, err = c.TryCreate(ctx, c.NewDaemonSet("negative", strategyOf("-1", "0")))
			rejected(c, "API-001", "maxSurge -1", "maxSurge", err)
		})

	spec.It("defaults maxSurge to 0 and maxUnavailable to 1",
		spec.Decides("API-002", "API-003"),
		func(ctx context.Context, c *spec.Case) {
			for name, edits := range map[string][]scenario.Edit{
				"bare":            nil,
				"type-only":       {set("type RollingUpdate", func(d *appsv1.DaemonSet) { d.Spec.UpdateStrategy.Type = appsv1.RollingUpdateDaemonSetStrategyType })},
				"empty-block":     {strategyOf("", "")},
				"only-max-surge0": {strategyOf("0", "")},
			} {
				stored := c.Create(ctx, c.NewDaemonSet(name, edits...))
				surge, unavailable := limitsOf(stored)
				equal(c, "API-002", "maxSurge of "+name, "0", surge)
				equal(c, "API-003", "maxUnavailable of "+name, "1", unavailable)
			}
		})

	spec.It("rejects a strategy that allows neither surge nor unavailability",
		spec.Decides("API-005"),
		func(ctx context.Context, c *spec.Case) {
			healthy := c.Create(ctx, c.NewDaemonSet("healthy"))
			for i, zero := range []struct{ surge, unavailable string }{{"0", "0"}, {"0%", "0"}, {"0", "0%"}, {"0%", "0%"}, {"", "0"}, {"", "0%"}} {
				what := fmt.Sprintf("maxSurge %q with maxUnavailable %q", zero.surge, zero.unavailable)
				_, err := c.TryCreate(ctx, c.NewDaemonSet(fmt.Sprintf("zero-%d", i), strategyOf(zero.surge, zero.unavailable)))
				rejected(c, "API-005", "creating with "+what, "rollingUpdate", err)
				_, err = c.TryUpdate(ctx, healthy, strategyOf(zero.surge, zero.unavailable))
				rejected(c, "API-005", "updating to "+what, "rollingUpdate", err)
			}
		})

	spec.It("does not silently ignore one of two limits",
		spec.Decides("API-006", "API-007"),
		func(ctx context.Context, c *spec.Case) {
			_, both := c.TryCreate(ctx, c.NewDaemonSet("both", strategyOf("1", "2")))
			_, alone := c.TryCreate(ctx, c.NewDaemonSet("alone", strategyOf("1", "")))
			if both == nil || alone == nil {
				c.CannotDecide("the API server accepts maxSurge and maxUnavailable above zero together; no judge of both limits at once exists yet")
			}
			rejected(c, "API-006", "maxSurge 1 with maxUnavailable 2, unless both are honoured,", "rollingUpdate", both)
			rejected(c, "API-007", "maxSurge 1 with the default maxUnavailable, unless both are honoured,", "maxSurge", alone)
		})

	spec.It("rejects limits that are neither a non-negative number nor a percentage",
		spec.Decides("API-008", "API-009"),
		func(ctx context.Context, c *spec.Case) {
			values := []intstr.IntOrString{
				intstr.FromInt32(-1), intstr.FromString("-5%"), intstr.FromString("5"), intstr.FromString("abc"), intstr.FromString(""),
			}
			for i, value := range values {
				for _, field := range []string{"maxSurge", "maxUnavailable"} {
					_, err := c.TryCreate(ctx, c.NewDaemonSet(fmt.Sprintf("bad-%d", i), limit(field, value)))
					rejected(c, "API-008", fmt.Sprintf("%s %q", field, value.String()), field, err)
				}
			}
			for _, field := range []string{"maxSurge", "maxUnavailable"} {
				_, err := c.TryCreate(ctx, c.NewDaemonSet("over", limit(field, intstr.FromString("101%"))))
				rejected(c, "API-009", field+" 101%", field, err)
				_, err = c.TryCreate(ctx, c.NewDaemonSet("many-"+map[string]string{"maxSurge": "s", "maxUnavailable": "u"}[field], limit(field, intstr.FromInt32(5000))))
				accepted(c, "API-009", field+" 5000 on a cluster with fewer nodes", err)
			}
		})
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
