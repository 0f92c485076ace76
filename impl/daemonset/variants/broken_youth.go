package variants

import (
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// brokenYouths treat pods wrongly that are Ready for less than minReadySeconds.
func brokenYouths() []Variant {
	return []Variant{
		{Name: "the-status-keeps-the-first-min-ready-seconds", Says: "Reports availability by the minReadySeconds that were in force when the template was changed.",
			Breaks: []string{"STATUS-005"}, Planner: remember(reportByFirst)},
		{Name: "young-old-pods-cost-nothing", Says: "Does not hold an old pod against maxUnavailable that is Ready for less than minReadySeconds.",
			Breaks: []string{"ROLLING-002"},
			Planner: lenient(maxUnavailable, func(n *node, state plan.State, now time.Time) bool {
				return n.unavailable(state, now) && len(n.olds) > 0 && plan.IsReady(n.olds[0])
			})},
		{Name: "young-updated-pods-take-no-slot", Says: "Does not hold an updated pod against maxSurge that is Ready for less than minReadySeconds.",
			Breaks: []string{"SURGE-002"},
			Planner: lenient(maxSurge, func(n *node, state plan.State, now time.Time) bool {
				return n.surges(state, now) && plan.IsReady(n.news[0])
			})},
		{Name: "without-surge-keeps-the-younger-ready-pod",
			Says:   "Keeps the updated one of two pods that are Ready when surge is switched off, although it is not available yet.",
			Breaks: []string{"SURGE-021"},
			Planner: doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
				if maySurge(state) || state.AwaitingOwnWrites {
					return
				}
				swapDuplicates(actions, state, plan.ReasonDuplicate, func(deleted, kept *corev1.Pod) bool {
					return plan.IsReady(deleted) && kept.CreationTimestamp.Before(&deleted.CreationTimestamp)
				})
			})},
		{Name: "after-a-restart-ready-is-available", Says: "Takes a pod for available as soon as it is Ready if it was created before the process began.",
			Breaks: []string{"SURGE-006"},
			Planner: aware(func(before starting) Around {
				return deciding(func(state *plan.State, now time.Time) {
					changePods(state, func(pod *corev1.Pod) bool { return plan.IsReady(pod) && before(pod, now) }, func(pod *corev1.Pod) {
						setReady(pod, now.Add(-time.Hour))
					})
				})
			})},
	}
}

// swapDuplicates deletes of a pair the pod that would be kept, if so says of the two.
func swapDuplicates(actions *plan.Actions, state plan.State, reason plan.Reason, so func(deleted, kept *corev1.Pod) bool) {
	for _, n := range nodes(state) {
		if len(n.olds) != 1 || len(n.news) != 1 {
			continue
		}
		for i, d := range actions.DeletePods {
			deleted, kept := n.olds[0], n.news[0]
			if d.Pod.UID == kept.UID {
				deleted, kept = kept, deleted
			}
			if d.Pod.UID == deleted.UID && d.Reason == reason && so(deleted, kept) {
				actions.DeletePods[i].Pod = kept
			}
		}
	}
}

// firstMinReady is the minReadySeconds of a template when it was new.
type firstMinReady struct {
	rollout rolloutSeen
	seconds int32
}

func reportByFirst(m *memory[firstMinReady]) Around {
	return doing(func(actions *plan.Actions, state plan.State, now time.Time) {
		first := m.of(state)
		if before := first.rollout.generation; first.rollout.of(state).generation != before {
			first.seconds = state.DaemonSet.Spec.MinReadySeconds
		}
		status := actions.Status
		if status == nil {
			status = state.DaemonSet.Status.DeepCopy()
		}
		status.NumberAvailable = 0
		for _, n := range nodes(state) {
			is := false
			for _, pod := range append(n.olds, n.news...) {
				is = is || plan.IsAvailable(pod, first.seconds, now)
				if at, known := plan.AvailableAt(pod, first.seconds); known {
					comeBack(actions, at.Sub(now))
				}
			}
			status.NumberAvailable += count(n.eligible && is)
		}
		status.NumberUnavailable = status.DesiredNumberScheduled - status.NumberAvailable
		actions.Status = unlessWritten(state, status)
	})
}
