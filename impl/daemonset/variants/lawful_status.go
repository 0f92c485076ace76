package variants

import (
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// lawfulStatuses write the status at other times. All stay within the five seconds that a reaction may take.
func lawfulStatuses() []Variant {
	const within = "The status follows within the time that a reaction may take; no requirement asks for a status write in the pass that changes something."
	return []Variant{
		{Name: "status-in-batches", Says: "Writes the status every four seconds at most, and then once what has changed since.",
			Lawful: within, Planner: remember(batchStatus)},
		{Name: "status-four-seconds-after-the-rollout", Says: "Writes the status that says that a rollout is done four seconds after it is.",
			Lawful: within, Planner: remember(func(m *memory[holding]) Around {
				return holdStatus(m, 4*time.Second, func(status *appsv1.DaemonSetStatus) bool {
					return status.UpdatedNumberScheduled == status.DesiredNumberScheduled && status.NumberAvailable == status.DesiredNumberScheduled
				})
			})},
		{Name: "status-a-second-late", Says: "Writes a status once it has been due for a second.",
			Lawful: within, Planner: remember(func(m *memory[holding]) Around {
				return holdStatus(m, time.Second, func(*appsv1.DaemonSetStatus) bool { return true })
			})},
		{Name: "status-only-of-settled-passes", Says: "Writes no status while it waits to see its own writes.",
			Lawful: within,
			Planner: doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
				if state.AwaitingOwnWrites {
					actions.Status = nil
				}
			})},
		{Name: "stalls-by-not-progressing", Says: "Reports a stalled rollout by a condition Progressing that is False, as Deployments do, and by an event of another reason.",
			Lawful: "COND-001 and COND-002 name neither type nor reason.", Planner: notProgressing},
		{Name: "generation-after-the-numbers", Says: "Reports the numbers first, and in a write of its own that the generation has been observed.",
			Lawful: "STATUS-010 forbids to report a generation with numbers of another one, not to report it later.",
			Planner: doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
				if actions.Status == nil {
					return
				}
				numbers := actions.Status.DeepCopy()
				numbers.ObservedGeneration = state.DaemonSet.Status.ObservedGeneration
				if first := unlessWritten(state, numbers); first != nil && actions.Status.ObservedGeneration != first.ObservedGeneration {
					actions.Status = first
					comeBack(actions, 100*time.Millisecond)
				}
			})},
		{Name: "generation-before-the-history", Says: "Reports that a generation has been observed before it writes or renumbers the history of its template.",
			Lawful:  "STATUS-010 asks for numbers of the generation's spec, and HISTORY-010 for the history promptly.",
			Planner: doing(observeFirst)},
	}
}

// observeFirst does nothing about a new generation that needs a history but report it, and the rest in the next pass.
func observeFirst(actions *plan.Actions, state plan.State, _ time.Time) {
	ds := state.DaemonSet
	if ds.Status.ObservedGeneration == ds.Generation || actions.CreateRevision == nil && len(actions.UpdateRevisions) == 0 {
		return
	}
	status := ds.Status.DeepCopy()
	if actions.Status != nil {
		status = actions.Status.DeepCopy()
	}
	status.ObservedGeneration = ds.Generation
	*actions = plan.Actions{Status: status, RolloutInProgress: actions.RolloutInProgress}
	comeBack(actions, 100*time.Millisecond)
}

// notProgressing speaks to the planner of the condition Stalled, and to the API server of its opposite, which is of another type.
func notProgressing(next plan.Planner) plan.Planner {
	const kind appsv1.DaemonSetConditionType = "Progressing"
	turn := func(conditions []appsv1.DaemonSetCondition, from, to appsv1.DaemonSetConditionType) {
		opposite := map[corev1.ConditionStatus]corev1.ConditionStatus{corev1.ConditionTrue: corev1.ConditionFalse, corev1.ConditionFalse: corev1.ConditionTrue}
		for i := range conditions {
			if condition := &conditions[i]; condition.Type == from {
				condition.Type, condition.Status = to, opposite[condition.Status]
			}
		}
	}
	return func(state plan.State, now time.Time) plan.Actions {
		state.DaemonSet = state.DaemonSet.DeepCopy()
		turn(state.DaemonSet.Status.Conditions, kind, plan.ConditionStalled)
		actions := next(state, now)
		if actions.Status != nil {
			turn(actions.Status.Conditions, plan.ConditionStalled, kind)
		}
		for i := range actions.Events {
			actions.Events[i].Reason = strings.Replace(actions.Events[i].Reason, "RolloutStalled", "ProgressDeadlineExceeded", 1)
		}
		return actions
	}
}

// written is when the last status was.
type written struct{ at time.Time }

func batchStatus(m *memory[written]) Around {
	return doing(func(actions *plan.Actions, state plan.State, now time.Time) {
		last := m.of(state)
		if actions.Status == nil {
			return
		}
		if wait := last.at.Add(4 * time.Second).Sub(now); wait > 0 {
			actions.Status = nil
			comeBack(actions, wait)
			return
		}
		last.at = now
	})
}

func holdStatus(m *memory[holding], delay time.Duration, which func(*appsv1.DaemonSetStatus) bool) Around {
	return doing(func(actions *plan.Actions, state plan.State, now time.Time) {
		h := m.of(state)
		if actions.Status == nil || !which(actions.Status) {
			h.only(nil)
			return
		}
		if h.held("status", delay, now, actions) {
			actions.Status = nil
		}
	})
}
