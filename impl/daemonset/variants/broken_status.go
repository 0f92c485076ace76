package variants

import (
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// brokenStatuses report wrong numbers, or at the wrong time.
func brokenStatuses() []Variant {
	return []Variant{
		{Name: "unavailable-means-not-ready", Says: "Reports as unavailable only the nodes without a Ready pod.",
			Breaks: []string{"STATUS-007"},
			Planner: reporting(func(status *appsv1.DaemonSetStatus, _ plan.State, _ time.Time) {
				status.NumberUnavailable = status.DesiredNumberScheduled - status.NumberReady
			})},
		{Name: "counts-available-pods", Says: "Reports the number of available pods instead of the nodes that have one.",
			Breaks: []string{"STATUS-006"},
			Planner: reporting(func(status *appsv1.DaemonSetStatus, state plan.State, now time.Time) {
				status.NumberAvailable = 0
				for _, n := range nodes(state) {
					for _, pod := range append(n.olds, n.news...) {
						if n.eligible && plan.IsAvailable(pod, state.DaemonSet.Spec.MinReadySeconds, now) {
							status.NumberAvailable++
						}
					}
				}
				status.NumberUnavailable = max(0, status.DesiredNumberScheduled-status.NumberAvailable)
			})},
		{Name: "empty-nodes-count-as-updated", Says: "Reports a node without a pod as updated.",
			Breaks: []string{"STATUS-013"},
			Planner: reporting(func(status *appsv1.DaemonSetStatus, state plan.State, _ time.Time) {
				status.UpdatedNumberScheduled = 0
				for _, n := range nodes(state) {
					if n.eligible && len(n.olds) == 0 {
						status.UpdatedNumberScheduled++
					}
				}
			})},
		{Name: "reports-a-generation-too-early", Says: "Reports a generation as observed before it acted on it.",
			Breaks: []string{"STATUS-010"},
			Planner: reporting(func(status *appsv1.DaemonSetStatus, state plan.State, _ time.Time) {
				status.ObservedGeneration = state.DaemonSet.Generation + 1
			})},
		{Name: "reports-nodes-as-misscheduled", Says: "Reports one node too many as misscheduled while it has any pod.",
			Breaks: []string{"STATUS-003"},
			Planner: reporting(func(status *appsv1.DaemonSetStatus, _ plan.State, _ time.Time) {
				if status.CurrentNumberScheduled > 0 {
					status.NumberMisscheduled++
				}
			})},
		{Name: "misscheduled-only-goes-down", Says: "Does not count a node as misscheduled that becomes ineligible while it has a pod.",
			Breaks: []string{"STATUS-003"},
			Planner: reporting(func(status *appsv1.DaemonSetStatus, state plan.State, _ time.Time) {
				status.NumberMisscheduled = min(status.NumberMisscheduled, state.DaemonSet.Status.NumberMisscheduled)
			})},
		{Name: "desired-only-goes-up", Says: "Does not report that fewer nodes should run the pod than before.",
			Breaks: []string{"STATUS-001", "STATUS-014"},
			Planner: reporting(func(status *appsv1.DaemonSetStatus, state plan.State, _ time.Time) {
				status.DesiredNumberScheduled = max(status.DesiredNumberScheduled, state.DaemonSet.Status.DesiredNumberScheduled)
				status.NumberUnavailable = status.DesiredNumberScheduled - status.NumberAvailable
			})},
		{Name: "terminating-pods-are-reported-as-ready", Says: "Reports pods as ready and available that are terminating.",
			Breaks: []string{"STATUS-009"}, Planner: reportTerminating},
		{Name: "current-is-desired", Says: "Reports every node that should run the pod as one that does.",
			Breaks: []string{"STATUS-002"},
			Planner: reporting(func(status *appsv1.DaemonSetStatus, _ plan.State, _ time.Time) {
				status.CurrentNumberScheduled = status.DesiredNumberScheduled
			})},
		{Name: "reports-by-the-oldest-pod", Says: "Reports of each node what its oldest pod is, as kube-controller-manager does.",
			Breaks: []string{"STATUS-004", "STATUS-005", "STATUS-008"}, Planner: reporting(reportOldest)},
		{Name: "observes-the-end-of-surge-before-it-prunes",
			Says:   "Says that it has seen the generation in the pass that deletes an updated pod beside an old one, of which the numbers do not tell yet.",
			Breaks: []string{"STATUS-016"}, Planner: doing(observePruning)},
		{Name: "reports-every-pod-as-updated", Says: "Reports a node as updated whose pod is of an older template.",
			Breaks: []string{"STATUS-008", "STATUS-010", "STATUS-016", "KUBECTL-001"},
			Planner: reporting(func(status *appsv1.DaemonSetStatus, _ plan.State, _ time.Time) {
				status.UpdatedNumberScheduled = status.CurrentNumberScheduled
			})},
		// Whether kubectl sees the numbers, which are right some milliseconds later, is chance.
		{Name: "observes-a-generation-with-old-numbers", Says: "Reports a new generation as observed with the numbers of the one before.",
			Breaks: []string{"STATUS-010"},
			Planner: reporting(func(status *appsv1.DaemonSetStatus, state plan.State, _ time.Time) {
				if before := state.DaemonSet.Status; before.ObservedGeneration != 0 && before.ObservedGeneration != status.ObservedGeneration {
					observed := status.ObservedGeneration
					*status = *before.DeepCopy()
					status.ObservedGeneration = observed
				}
			})},
		{Name: "writes-equal-statuses", Says: "Writes the status in every pass, whatever is stored.",
			Breaks: []string{"STATUS-012"},
			Planner: doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
				if actions.Status == nil {
					actions.Status = state.DaemonSet.Status.DeepCopy()
				}
			})},
		{Name: "writes-every-status-when-it-starts", Says: "Writes the status of each DaemonSet in its first pass, whatever is stored.",
			Breaks: []string{"STATUS-012"},
			Planner: remember(func(m *memory[greeting]) Around {
				return doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
					if greeted := m.of(state); !greeted.done && actions.Status == nil {
						actions.Status = state.DaemonSet.Status.DeepCopy()
					}
					m.of(state).done = true
				})
			})},
		{Name: "writes-no-status-once-a-pod-was-refused", Says: "Writes no status from when it could not create a pod until it has created one.",
			Breaks: []string{"STATUS-011"}, Writer: withholdStatus},
		{Name: "cares-for-a-deleted-daemonset", Says: "Does not notice that a DaemonSet is being deleted.",
			Breaks: []string{"STATUS-015"},
			Planner: seeing(func(state *plan.State, _ time.Time) {
				state.DaemonSet = state.DaemonSet.DeepCopy()
				state.DaemonSet.DeletionTimestamp = nil
			})},
		{Name: "writes-for-ever", Says: "Writes a heartbeat into the status every second.",
			Breaks: []string{"SURGE-025"},
			Planner: doing(func(actions *plan.Actions, state plan.State, now time.Time) {
				if actions.Status == nil {
					actions.Status = state.DaemonSet.Status.DeepCopy()
				}
				actions.Status.Conditions = []appsv1.DaemonSetCondition{
					{Type: "Alive", Status: corev1.ConditionTrue, LastTransitionTime: metav1.NewTime(now.Truncate(time.Second))},
				}
				actions.Status = unlessWritten(state, actions.Status)
				comeBack(actions, time.Second)
			})},
		{Name: "lets-the-status-wait", Says: "Writes no status in its first 15 seconds.",
			Breaks: []string{"TAKEOVER-005"},
			Planner: sinceStart(func(began func(time.Time) time.Time) Around {
				return doing(func(actions *plan.Actions, _ plan.State, now time.Time) {
					if now.Sub(began(now)) < 15*time.Second {
						actions.Status = nil
						comeBack(actions, time.Second)
					}
				})
			})},
	}
}

// greeting is whether a pass has been made.
type greeting struct{ done bool }

// reportTerminating takes the status from a state in which nothing terminates.
func reportTerminating(next plan.Planner) plan.Planner {
	return func(state plan.State, now time.Time) plan.Actions {
		actions := next(state, now)
		observed := state.DaemonSet.Status.ObservedGeneration
		if actions.Status != nil {
			observed = actions.Status.ObservedGeneration
		}
		changePods(&state, func(pod *corev1.Pod) bool { return pod.DeletionTimestamp != nil }, func(pod *corev1.Pod) { pod.DeletionTimestamp = nil })
		wrong := next(state, now)
		if wrong.Status != nil {
			wrong.Status.ObservedGeneration = observed
			actions.Status = wrong.Status
		} else if actions.Status != nil && actions.Status.ObservedGeneration == state.DaemonSet.Status.ObservedGeneration {
			actions.Status = nil
		}
		return actions
	}
}

// observePruning has the status of a pass that deletes one of two pods of a node observe the generation.
func observePruning(actions *plan.Actions, state plan.State, _ time.Time) {
	if !prunes(*actions) {
		return
	}
	status := actions.Status
	if status == nil {
		status = state.DaemonSet.Status.DeepCopy()
	}
	status.ObservedGeneration = state.DaemonSet.Generation
	actions.Status = unlessWritten(state, status)
}

// prunes reports whether a pass deletes one of two pods of a node.
func prunes(actions plan.Actions) bool {
	return slices.ContainsFunc(actions.DeletePods, func(d plan.PodDeletion) bool { return d.Reason == plan.ReasonDuplicate })
}
