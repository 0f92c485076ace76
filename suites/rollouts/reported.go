package rollouts

import (
	"context"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// ReportWithin is how long after its cause is known a stall has to be reported.
const ReportWithin = 20 * time.Second

// Report follows what a DaemonSet says of a rollout that cannot go on.
type Report struct {
	daemonSet types.UID
	// before are the conditions, and events the reasons of Events, from before the rollout.
	before []appsv1.DaemonSetCondition
	events map[string]bool
	// told is how many Events were there before the rollout.
	told int
	// words name the cause, beside those that pods show.
	words []string
	// found are the conditions that report the stall.
	found []appsv1.DaemonSetCondition
}

// BeforeStall begins to follow the DaemonSet, whose rollout has not begun. The words name what will stall it, where no pod will show that.
func BeforeStall(ctx context.Context, c *spec.Case, daemonSet *appsv1.DaemonSet, words ...string) *Report {
	r := &Report{daemonSet: daemonSet.UID, events: map[string]bool{}, words: words}
	c.Look(ctx, func(cluster *history.Cluster) {
		if now := cluster.DaemonSets[daemonSet.UID]; now != nil {
			r.before = now.Status.Conditions
		}
		for _, event := range cluster.Reports[daemonSet.UID] {
			r.events[event.Reason] = true
		}
		r.told = len(cluster.Reports[daemonSet.UID])
	})
	return r
}

// BeforeNext begins to follow the DaemonSet into another stall, whose rollout has not begun either. It may be told of by the same reason.
func (r *Report) BeforeNext(ctx context.Context, c *spec.Case) *Report {
	next := *r
	c.Look(ctx, func(cluster *history.Cluster) { next.told = len(cluster.Reports[r.daemonSet]) })
	return &next
}

// Await waits until a condition and an Event report the stall. An implementation that does not claim RolloutConditions is not waited for.
func (r *Report) Await(ctx context.Context, c *spec.Case) {
	if !c.Claims(requirements.RolloutConditions) {
		return
	}
	c.AwaitAfter(ctx, ReportWithin, state.When("a condition and an Event report the stall", func(cluster *history.Cluster) bool {
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
		for _, event := range cluster.Reports[r.daemonSet][r.told:] {
			if history.StallEvent(event, r.events) {
				return true
			}
		}
		return false
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
