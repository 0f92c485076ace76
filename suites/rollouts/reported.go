package rollouts

import (
	"context"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
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
	// before is what it had said before the rollout, causeless what it had said when the cause was not yet known.
	before, causeless statements
	// intervals are the Events of before, in rollouts that stalled and between them.
	intervals []history.EventInterval
	// found are the conditions that report the stall.
	found []appsv1.DaemonSetCondition
}

// statements are what a DaemonSet had said by some time: its conditions then, and the number of Events about it.
type statements struct {
	conditions []appsv1.DaemonSetCondition
	events     int
}

// ReportOf is what the DaemonSet will say. The words name what will stall it, where no pod will show that.
func ReportOf(daemonSet *appsv1.DaemonSet, words ...string) *Report {
	return &Report{daemonSet: daemonSet.UID, words: words}
}

// Begin marks where a rollout begins that will stall.
func (r *Report) Begin(ctx context.Context, c *spec.Case, begins history.Mark) {
	// The mark comes first: an Event that comes now is one of the stall for the checks, and is not waited for.
	c.Mark(begins)
	c.Look(ctx, r.begin)
}

func (r *Report) begin(cluster *history.Cluster) {
	if now := cluster.DaemonSets[r.daemonSet]; now != nil {
		r.before.conditions = now.Status.Conditions
	}
	events := cluster.Reports[r.daemonSet]
	r.intervals = append(r.intervals, history.EventInterval{Events: slices.Clone(events[r.before.events:])})
	r.before.events = len(events)
	r.causeless = r.before
}

// Await waits until a condition and an Event report the stall. An implementation that does not claim RolloutConditions is not waited for.
func (r *Report) Await(ctx context.Context, c *spec.Case) {
	if !c.Claims(requirements.RolloutConditions) {
		return
	}
	if c.AwaitAfter(ctx, judge.ReportWithin, state.When("a condition and an Event report the stall", r.isReported)) {
		// Of two that are written together one comes first.
		c.Await(ctx, r.saysTheSame(judge.Lag))
	}
}

// saysTheSame holds when the DaemonSet's conditions have been the same for the duration.
func (r *Report) saysTheSame(duration time.Duration) state.Condition {
	var said []appsv1.DaemonSetCondition
	var since time.Time
	return state.When("the conditions have been the same for "+duration.String(), func(cluster *history.Cluster) bool {
		now := cluster.DaemonSets[r.daemonSet]
		if now == nil {
			return true
		}
		if since.IsZero() || len(now.Status.Conditions) != len(said) || len(history.OtherConditions(said, now.Status.Conditions)) > 0 {
			said, since = now.Status.Conditions, cluster.Time
		}
		return cluster.Time.Sub(since) >= duration
	})
}

// isReported reports whether a condition and an Event report the stall. What names no more than a node may be about the rollout and not about the stall, if it
// came before the cause was known: something else is waited for then, though the checks make no difference.
func (r *Report) isReported(cluster *history.Cluster) bool {
	now := cluster.DaemonSets[r.daemonSet]
	if now == nil {
		return false
	}
	events := cluster.Reports[r.daemonSet]
	words, nodes := r.causes(cluster)
	if len(words)+len(nodes) == 0 {
		r.causeless = statements{now.Status.Conditions, len(events)}
		return false
	}
	found := history.StallConditions(r.before.conditions, now.Status.Conditions, slices.Concat(words, nodes))
	if len(history.StallConditions(nil, found, words)) == 0 && len(history.OtherConditions(r.causeless.conditions, found)) == 0 {
		return false
	}
	intervals := append(slices.Clip(r.intervals), history.EventInterval{Stalled: true, Events: slices.Clone(events[r.before.events:])})
	isAboutIt := func(event *corev1.Event) bool {
		names := func(word string) bool { return strings.Contains(event.Reason+" "+event.Message, word) }
		return slices.Contains(events[r.causeless.events:], event) || slices.ContainsFunc(words, names)
	}
	if !slices.ContainsFunc(history.StallEvents(intervals...), isAboutIt) {
		return false
	}
	r.found, r.intervals, r.before.events = found, intervals, len(events)
	return true
}

// causes are the words that name what updated pods are hindered by, or that the scenario gave, and the nodes of these pods.
func (r *Report) causes(cluster *history.Cluster) (words, nodes []string) {
	words = slices.Clone(r.words)
	for _, pod := range cluster.Pods {
		if owner := cluster.OwnerOf(pod); owner == nil || owner.UID != r.daemonSet || !cluster.IsUpdated(pod) {
			continue
		}
		node := history.NodeOf(pod)
		for _, word := range history.Hindrances(pod) {
			if word == node {
				nodes = append(nodes, word)
			} else {
				words = append(words, word)
			}
		}
	}
	return words, nodes
}

// AwaitTakenBack waits until a condition that reported the stall is gone or has another status, and reports whether one does. Without one there is nothing to
// wait for.
func (r *Report) AwaitTakenBack(ctx context.Context, c *spec.Case) bool {
	if len(r.found) == 0 {
		return true
	}
	return c.Await(ctx, state.When("the report of the stall is taken back", func(cluster *history.Cluster) bool {
		now := cluster.DaemonSets[r.daemonSet]
		if now == nil {
			return false
		}
		_, whole := history.LeftConditions(r.found, now.Status.Conditions)
		return !whole
	}))
}
