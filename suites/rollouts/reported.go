package rollouts

import (
	"context"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// Report follows what a DaemonSet says of rollouts that cannot go on, one after the other. What it takes for a report matchers.StallBetween takes for one, too.
type Report struct {
	daemonSet types.UID
	// words name the cause, beside those that pods show.
	words []string
	// before are the conditions from before the rollout.
	before []appsv1.DaemonSetCondition
	// intervals are the Events that were looked at.
	intervals []history.EventInterval
	// read is how many these are.
	read int
	// found are the conditions that report the stall.
	found []appsv1.DaemonSetCondition
}

// ReportOf is what the DaemonSet will say. The words name what will stall it, where no pod will show that.
func ReportOf(daemonSet *appsv1.DaemonSet, words ...string) *Report {
	return &Report{daemonSet: daemonSet.UID, words: words}
}

// Begin marks where a rollout begins that will stall.
func (r *Report) Begin(ctx context.Context, c *spec.Case, begins history.Mark) {
	// The mark comes first: an Event that comes now is one of the stall for the checks, and is not waited for.
	c.Mark(begins)
	c.Look(ctx, func(cluster *history.Cluster) {
		if now := cluster.DaemonSets[r.daemonSet]; now != nil {
			r.before = now.Status.Conditions
		}
		events := cluster.Reports[r.daemonSet]
		r.intervals = append(r.intervals, history.EventInterval{Events: slices.Clone(events[r.read:])})
		r.read = len(events)
	})
}

// Await waits until a condition and an Event report the stall. An implementation that does not claim RolloutConditions is not waited for.
func (r *Report) Await(ctx context.Context, c *spec.Case) {
	if !c.Claims(requirements.RolloutConditions) {
		return
	}
	c.AwaitAfter(ctx, judge.ReportWithin, state.When("a condition and an Event report the stall", func(cluster *history.Cluster) bool {
		now := cluster.DaemonSets[r.daemonSet]
		if now == nil {
			return false
		}
		words := slices.Clone(r.words)
		for _, pod := range cluster.Pods {
			if owner := cluster.OwnerOf(pod); owner != nil && owner.UID == r.daemonSet && cluster.IsUpdated(pod) {
				words = append(words, history.Hindrances(pod)...)
			}
		}
		r.found = history.StallConditions(r.before, now.Status.Conditions, words)
		if len(r.found) == 0 {
			return false
		}
		events := cluster.Reports[r.daemonSet]
		intervals := append(slices.Clip(r.intervals), history.EventInterval{Stalled: true, Events: slices.Clone(events[r.read:])})
		if len(history.StallEvents(intervals...)) == 0 {
			return false
		}
		r.intervals, r.read = intervals, len(events)
		return true
	}))
}

// AwaitTakenBack waits until a condition that reported the stall is gone or has another status, and reports whether one does. Without one there is nothing to
// wait for.
func (r *Report) AwaitTakenBack(ctx context.Context, c *spec.Case) bool {
	if len(r.found) == 0 {
		return true
	}
	return c.Await(ctx, state.When("the report of the stall is taken back", func(cluster *history.Cluster) bool {
		now := cluster.DaemonSets[r.daemonSet]
		return now != nil && len(history.StandingConditions(r.found, now.Status.Conditions)) < len(r.found)
	}))
}
