package variants

import (
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// brokenCounts count the wrong nodes.
func brokenCounts() []Variant {
	return []Variant{
		{Name: "a-drain-pauses-the-rollout", Says: "Creates no surge pod while a cordoned node has no available pod.",
			Breaks: []string{"SURGE-013"},
			Planner: doing(func(actions *plan.Actions, state plan.State, now time.Time) {
				drained := func(n *node) bool { return n.object.Spec.Unschedulable && n.unavailable(state, now) }
				if slices.ContainsFunc(nodes(state), drained) {
					withoutCreations(actions, createdFor(plan.ReasonSurge))
				}
			})},
		{Name: "nodes-that-are-not-ready-are-not-desired", Says: "Reports no node that is not Ready.",
			Breaks: []string{"STATUS-001"},
			Planner: func(next plan.Planner) plan.Planner {
				return func(state plan.State, now time.Time) plan.Actions {
					actions := next(state, now)
					state.Nodes = slices.DeleteFunc(slices.Clone(state.Nodes), func(n *corev1.Node) bool { return !nodeReady(n) })
					actions.Status = next(state, now).Status
					return actions
				}
			}},
		{Name: "misscheduled-pods-have-to-be-ready", Says: "Reports a node as misscheduled only while its pod is Ready.",
			Breaks:  []string{"STATUS-003"},
			Planner: misscheduledIf(plan.IsReady)},
		{Name: "misscheduled-pods-have-to-be-scheduled", Says: "Does not report a node as misscheduled while the scheduler has bound no pod to it.",
			Breaks:  []string{"STATUS-003"},
			Planner: misscheduledIf(func(pod *corev1.Pod) bool { return pod.Spec.NodeName != "" })},
		{Name: "deleted-nodes-stay-misscheduled", Says: "Reports a node as misscheduled that was when it was deleted, for as long as a pod is bound to it.",
			Breaks:  []string{"STATUS-014"},
			Planner: remember(stayMisscheduled)},
		{Name: "current-pods-have-to-be-scheduled", Says: "Does not report a node as one with a pod while the scheduler has bound none to it.",
			Breaks: []string{"STATUS-002"},
			Planner: reporting(func(status *appsv1.DaemonSetStatus, state plan.State, _ time.Time) {
				status.CurrentNumberScheduled = 0
				for _, n := range nodes(state) {
					bound := func(pod *corev1.Pod) bool { return pod.Spec.NodeName != "" }
					if n.eligible && slices.ContainsFunc(slices.Concat(n.olds, n.news, n.leaving), bound) {
						status.CurrentNumberScheduled++
					}
				}
			})},
		{Name: "percentage-of-the-nodes-that-keep-pods", Says: "Takes percentages of all nodes that may keep a pod, including those that get none.",
			Breaks: []string{"SURGE-004", "ROLLING-004"}, Planner: both(ofKeepers(maxSurge), ofKeepers(maxUnavailable))},
		{Name: "pending-old-pods-go-last", Says: "Deletes no Pending old pod while there are available old ones.",
			Breaks: []string{"ROLLING-006"},
			Planner: doing(func(actions *plan.Actions, state plan.State, now time.Time) {
				others := func(n *node) bool { return available(state, n.olds, now) }
				if !maySurge(state) && slices.ContainsFunc(nodes(state), others) {
					withoutDeletions(actions, func(d plan.PodDeletion) bool {
						return d.Reason == plan.ReasonOldUnavailable && d.Pod.Status.Phase == corev1.PodPending
					})
				}
			})},
		{Name: "a-stall-ends-with-its-pods-alone", Says: "Reports a stall as over only when an updated pod that was not available during it is.",
			Breaks: []string{"COND-003"}, Planner: remember(keepStall)},
	}
}

// ofKeepers takes a percentage of the nodes whose pods may stay.
func ofKeepers(which limit) Around {
	return limiting(which, func(value *intstr.IntOrString, state plan.State, _ time.Time) int {
		keepers := 0
		for _, node := range state.Nodes {
			if _, keeps := plan.Eligibility(state.DaemonSet, node); keeps {
				keepers++
			}
		}
		return scaled(value, keepers, true)
	})
}

// stalledNodes are those whose updated pod was not available when the stall was reported.
type stalledNodes map[string]bool

func keepStall(m *memory[stalledNodes]) Around {
	return doing(func(actions *plan.Actions, state plan.State, now time.Time) {
		stalled, isStall := m.of(state), func(c appsv1.DaemonSetCondition) bool {
			return c.Type == plan.ConditionStalled && c.Status == corev1.ConditionTrue
		}
		stored := slices.IndexFunc(state.DaemonSet.Status.Conditions, isStall)
		if actions.Status == nil {
			return
		}
		if slices.ContainsFunc(actions.Status.Conditions, isStall) {
			if stored < 0 || *stalled == nil {
				*stalled = stalledNodes{}
			}
			for _, n := range nodes(state) {
				if n.eligible && len(n.news) > 0 && !available(state, n.news, now) {
					(*stalled)[n.name] = true
				}
			}
			return
		}
		over := func(n *node) bool { return (*stalled)[n.name] && available(state, n.news, now) }
		if stored >= 0 && !slices.ContainsFunc(nodes(state), over) {
			actions.Status.Conditions = state.DaemonSet.Status.Conditions
			actions.Status = unlessWritten(state, actions.Status)
		}
	})
}

// misscheduledIf reports a node as misscheduled that has a pod which counts.
func misscheduledIf(counts func(*corev1.Pod) bool) Around {
	return reporting(func(status *appsv1.DaemonSetStatus, state plan.State, _ time.Time) {
		status.NumberMisscheduled = int32(howMany(nodes(state), func(n *node) bool {
			return !n.eligible && slices.ContainsFunc(slices.Concat(n.olds, n.news), counts)
		}))
	})
}

// stayMisscheduled remembers the nodes that were not eligible last.
func stayMisscheduled(m *memory[sets.Set[string]]) Around {
	return reporting(func(status *appsv1.DaemonSetStatus, state plan.State, _ time.Time) {
		closed, bound := *m.of(state), sets.New[string]()
		for _, pod := range state.Pods {
			if metav1.IsControlledBy(pod, state.DaemonSet) {
				bound.Insert(pod.Spec.NodeName)
			}
		}
		if closed == nil {
			closed = sets.New[string]()
			*m.of(state) = closed
		}
		for _, n := range nodes(state) {
			closed.Delete(n.name)
			if !n.eligible {
				closed.Insert(n.name)
			}
		}
		status.NumberMisscheduled = int32(closed.Intersection(bound).Len())
	})
}
