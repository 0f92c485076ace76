// Package api has the specs of the DaemonSet API itself: what the API server accepts, rejects, defaults and counts.
package api

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	"github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// Specs registers the family.
func Specs() {
	limits()
	strategy()
	counters()
	identity()
	whole()
	admitted()
}

// strategyOf sets the rollingUpdate block as given; an empty value leaves its field out.
func strategyOf(maxSurge, maxUnavailable string) scenario.Edit {
	return scenario.Edit{
		Says: fmt.Sprintf("maxSurge %q, maxUnavailable %q", maxSurge, maxUnavailable),
		Apply: func(d *appsv1.DaemonSet) {
			d.Spec.UpdateStrategy = appsv1.DaemonSetUpdateStrategy{
				Type:          appsv1.RollingUpdateDaemonSetStrategyType,
				RollingUpdate: &appsv1.RollingUpdateDaemonSet{MaxSurge: parse(maxSurge), MaxUnavailable: parse(maxUnavailable)},
			}
		},
	}
}

func parse(value string) *intstr.IntOrString {
	if value == "" {
		return nil
	}
	parsed := intstr.Parse(value)
	return &parsed
}

// set is an edit in words.
func set(says string, apply func(*appsv1.DaemonSet)) scenario.Edit {
	return scenario.Edit{Says: says, Apply: apply}
}

// The requests below are sent for their answers, which the recording has for the checks to judge. So a refusal is no error here.

// create sends a new DaemonSet and returns what the API server stored; nil if it was not accepted.
func create(ctx context.Context, c *spec.Case, name string, edits ...scenario.Edit) *appsv1.DaemonSet {
	stored, err := c.TryCreate(ctx, c.NewDaemonSet(name, edits...))
	if err != nil {
		return nil
	}
	return stored
}

// update sends a changed DaemonSet; not one that was not accepted in the first place.
func update(ctx context.Context, c *spec.Case, daemonSet *appsv1.DaemonSet, edits ...scenario.Edit) {
	if daemonSet != nil {
		_, _ = c.TryUpdate(ctx, daemonSet, edits...)
	}
}

// updateStatus sends a changed DaemonSet to the status subresource.
func updateStatus(ctx context.Context, c *spec.Case, daemonSet *appsv1.DaemonSet, edits ...scenario.Edit) {
	_, _ = c.TryUpdateStatus(ctx, daemonSet, edits...)
}

// created is the answer to the creation of the DaemonSet of that name, updated those to its updates.
func created(name string) Event { return Answered(history.CreateDaemonSet, name) }

func updated(name string) Event { return Answered(history.UpdateDaemonSet, name) }

func statusWritten(name string) Event { return Answered(history.WriteStatus, name) }

// What follows reads a stored DaemonSet.

func maxSurge(d *appsv1.DaemonSet) string {
	return limitOf(d, func(r *appsv1.RollingUpdateDaemonSet) *intstr.IntOrString { return r.MaxSurge })
}

func maxUnavailable(d *appsv1.DaemonSet) string {
	return limitOf(d, func(r *appsv1.RollingUpdateDaemonSet) *intstr.IntOrString { return r.MaxUnavailable })
}

// limitOf returns a stored limit in words, "none" for one that is not there.
func limitOf(d *appsv1.DaemonSet, limit func(*appsv1.RollingUpdateDaemonSet) *intstr.IntOrString) string {
	block := d.Spec.UpdateStrategy.RollingUpdate
	if block == nil || limit(block) == nil {
		return "none"
	}
	return limit(block).String()
}

func strategyType(d *appsv1.DaemonSet) string { return string(d.Spec.UpdateStrategy.Type) }

func minReadySeconds(d *appsv1.DaemonSet) string { return fmt.Sprint(d.Spec.MinReadySeconds) }

func revisionHistoryLimit(d *appsv1.DaemonSet) string {
	if d.Spec.RevisionHistoryLimit == nil {
		return "none"
	}
	return fmt.Sprint(*d.Spec.RevisionHistoryLimit)
}

func numberReady(d *appsv1.DaemonSet) string { return fmt.Sprint(d.Status.NumberReady) }

// collisionCount is zero where it is absent.
func collisionCount(d *appsv1.DaemonSet) string {
	return fmt.Sprint(ptr.Deref(d.Status.CollisionCount, 0))
}

func templateGeneration(d *appsv1.DaemonSet) string {
	return d.Annotations[appsv1.DeprecatedTemplateGeneration]
}
