// Package status has the specs of the numbers in a DaemonSet's status: what they count, when they follow, and when nobody writes them. Most promises are standing
// rules; the scenarios bring about what the numbers have to show, and wait until they do.
package status

import (
	"context"
	"fmt"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// Specs registers the family.
func Specs() {
	nodes()
	pods()
	generations()
	refused()
	rollout()
	limitsBack()
	surgeTakenAway()
	deleted()
	equal()
	overwritten()
}

// settling is how long a status may take, beside the patience with everything: see the decision about STATUS-001.
const settling = 2 * spec.Prompt

// number is one of the status, as it should be.
type number struct {
	name string
	of   func(appsv1.DaemonSetStatus) int32
	want int32
}

func desired(want int32) number {
	return number{"desiredNumberScheduled", func(s appsv1.DaemonSetStatus) int32 { return s.DesiredNumberScheduled }, want}
}

func current(want int32) number {
	return number{"currentNumberScheduled", func(s appsv1.DaemonSetStatus) int32 { return s.CurrentNumberScheduled }, want}
}

func misscheduled(want int32) number {
	return number{"numberMisscheduled", func(s appsv1.DaemonSetStatus) int32 { return s.NumberMisscheduled }, want}
}

func ready(want int32) number {
	return number{"numberReady", func(s appsv1.DaemonSetStatus) int32 { return s.NumberReady }, want}
}

func available(want int32) number {
	return number{"numberAvailable", func(s appsv1.DaemonSetStatus) int32 { return s.NumberAvailable }, want}
}

func updated(want int32) number {
	return number{"updatedNumberScheduled", func(s appsv1.DaemonSetStatus) int32 { return s.UpdatedNumberScheduled }, want}
}

// says holds while the DaemonSet's status has these numbers.
func says(daemonSet *appsv1.DaemonSet, numbers ...number) Condition {
	var wanted []string
	for _, n := range numbers {
		wanted = append(wanted, fmt.Sprintf("%s %d", n.name, n.want))
	}
	return Condition{Text: "the status says " + strings.Join(wanted, ", "), Unmet: func(cluster *history.Cluster) string {
		now := cluster.DaemonSets[daemonSet.UID]
		if now == nil {
			return "the DaemonSet is gone"
		}
		var wrong []string
		for _, n := range numbers {
			if got := n.of(now.Status); got != n.want {
				wrong = append(wrong, fmt.Sprintf("%s is %d, want %d", n.name, got, n.want))
			}
		}
		return strings.Join(wrong, ", ")
	}}
}

// awaitStatus waits until the status has these numbers. Whether it must is for the judges.
func awaitStatus(ctx context.Context, c *spec.Case, daemonSet *appsv1.DaemonSet, numbers ...number) {
	c.AwaitAfter(ctx, settling, says(daemonSet, numbers...))
}

// graceful is the grace period of the template's pods.
func graceful(daemonSet *appsv1.DaemonSet) time.Duration {
	return time.Duration(*daemonSet.Spec.Template.Spec.TerminationGracePeriodSeconds) * time.Second
}

// updatedNodes counts the nodes with an updated pod.
func updatedNodes(ctx context.Context, c *spec.Case, daemonSet *appsv1.DaemonSet) int {
	nodes := map[string]bool{}
	c.Look(ctx, func(cluster *history.Cluster) {
		for _, pod := range cluster.UpdatedPods(daemonSet) {
			nodes[history.NodeOf(pod)] = true
		}
	})
	return len(nodes)
}

// terminatingOld holds when an old pod of the DaemonSet terminates.
func terminatingOld(daemonSet *appsv1.DaemonSet) Condition {
	return state.When("an old pod terminates", func(cluster *history.Cluster) bool {
		for _, node := range cluster.NodesOf(daemonSet.UID) {
			for _, pod := range cluster.PodsOn(daemonSet.UID, node) {
				if pod.DeletionTimestamp != nil && !cluster.IsUpdated(pod) {
					return true
				}
			}
		}
		return false
	})
}
