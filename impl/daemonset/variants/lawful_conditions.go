package variants

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
	"github.com/rollcall-conformance/rollcall/impl/inplace"
)

// lawfulConditions say in conditions what the requirements leave open, or say it otherwise.
func lawfulConditions() []Variant {
	const more = "A status may have more conditions than are asked for."
	return []Variant{
		{Name: "hopes-for-progress-before-it-reports", Says: "Has a condition Progressing name what a rollout waits for, which turns from True to False, with an event, after five seconds.",
			Lawful: "COND-001 and COND-002 name neither type nor reason and give a report 20 seconds, and by COND-003 what was False turns True.", Planner: hopeForProgress(5 * time.Second)},
		{Name: "takes-a-report-back-after-ten-seconds", Says: "Leaves a stall in its condition for ten seconds after the rollout has gone on.",
			Lawful: "COND-003 gives it 15 seconds.", Planner: remember(func(m *memory[time.Time]) Around { return takeBackLater(m, 10*time.Second) })},
		{Name: "names-its-nodes-in-a-condition", Says: "Keeps a condition that names all nodes that should run the pod.", Lawful: more, Planner: reporting(nameNodes)},
		{Name: "keeps-the-last-stall-in-a-condition", Says: "Keeps a second condition that says what the last stall was, also once the rollout has gone on.",
			Lawful: "COND-003: of several conditions that came with the stall one has to change.", Planner: reporting(keepLastStall)},
		{Name: "names-pods-it-updates-in-place-in-a-condition", Says: "Has a condition that is True while pods that were updated in place are not Ready, and names them.",
			Lawful: more, Planner: reporting(namePatched)},
	}
}

// setCondition writes the condition, with the time of now if its status is another one.
func setCondition(status *appsv1.DaemonSetStatus, condition appsv1.DaemonSetCondition, now time.Time) {
	condition.LastTransitionTime = metav1.NewTime(now).Rfc3339Copy()
	at := slices.IndexFunc(status.Conditions, func(other appsv1.DaemonSetCondition) bool { return other.Type == condition.Type })
	if at < 0 {
		status.Conditions = append(status.Conditions, condition)
		return
	}
	if status.Conditions[at].Status == condition.Status {
		condition.LastTransitionTime = status.Conditions[at].LastTransitionTime
	}
	status.Conditions[at] = condition
}

// conditionOf returns the condition of that type, or nil.
func conditionOf(status *appsv1.DaemonSetStatus, kind appsv1.DaemonSetConditionType) *appsv1.DaemonSetCondition {
	for i := range status.Conditions {
		if status.Conditions[i].Type == kind {
			return &status.Conditions[i]
		}
	}
	return nil
}

// hopeForProgress has the planner know its condition Stalled, and writes another one. While it hopes the reason says so: it is True without having been True for long.
func hopeForProgress(hope time.Duration) Around {
	const kind, hoping = appsv1.DaemonSetConditionType("Progressing"), "WaitsFor"
	known := func(status *appsv1.DaemonSetStatus) {
		condition := conditionOf(status, kind)
		if condition == nil {
			return
		}
		reason, hopes := strings.CutPrefix(condition.Reason, hoping)
		condition.Type, condition.Reason = plan.ConditionStalled, reason
		if hopes || condition.Status == corev1.ConditionFalse {
			condition.Status = corev1.ConditionTrue
		} else {
			condition.Status = corev1.ConditionFalse
		}
	}
	return func(next plan.Planner) plan.Planner {
		return func(state plan.State, now time.Time) plan.Actions {
			seen := state
			seen.DaemonSet = state.DaemonSet.DeepCopy()
			known(&seen.DaemonSet.Status)
			actions := next(seen, now)
			if actions.Err != nil {
				return actions
			}
			status := cmp.Or(actions.Status, &seen.DaemonSet.Status).DeepCopy()
			stalled := conditionOf(status, plan.ConditionStalled)
			if stalled == nil {
				return actions
			}
			before := conditionOf(&state.DaemonSet.Status, kind)
			hoped := before != nil && strings.HasPrefix(before.Reason, hoping)
			said := *stalled
			said.Type = kind
			switch left := hope; {
			case stalled.Status != corev1.ConditionTrue:
				said.Status = corev1.ConditionTrue
			case before != nil && before.Status == corev1.ConditionFalse:
				said.Status = corev1.ConditionFalse
			case hoped && now.Sub(before.LastTransitionTime.Time) >= hope:
				said.Status, said.LastTransitionTime = corev1.ConditionFalse, metav1.NewTime(now).Rfc3339Copy()
				actions.Events = append(actions.Events, plan.Event{Type: corev1.EventTypeWarning, Reason: "ProgressDeadlineExceeded", Message: said.Message})
			default:
				said.Status, said.Reason = corev1.ConditionTrue, hoping+said.Reason
				if hoped {
					left = hope - now.Sub(before.LastTransitionTime.Time)
				}
				comeBack(&actions, left)
			}
			*stalled = said
			actions.Events = slices.DeleteFunc(slices.Clone(actions.Events), func(event plan.Event) bool { return event.Reason == plan.EventRolloutStalled })
			actions.Status = unlessWritten(state, status)
			return actions
		}
	}
}

func nameNodes(status *appsv1.DaemonSetStatus, state plan.State, now time.Time) {
	var names []string
	for _, n := range nodes(state) {
		if n.eligible {
			names = append(names, n.name)
		}
	}
	slices.Sort(names)
	setCondition(status, appsv1.DaemonSetCondition{Type: "Placed", Status: corev1.ConditionTrue, Reason: "AsAsked", Message: "to run on " + strings.Join(names, ", ")}, now)
}

func keepLastStall(status *appsv1.DaemonSetStatus, _ plan.State, now time.Time) {
	if stalled := conditionOf(status, plan.ConditionStalled); stalled != nil && stalled.Status == corev1.ConditionTrue {
		setCondition(status, appsv1.DaemonSetCondition{Type: "HasStalled", Status: corev1.ConditionTrue, Reason: stalled.Reason, Message: stalled.Message}, now)
	}
}

func namePatched(status *appsv1.DaemonSetStatus, state plan.State, now time.Time) {
	var names []string
	for _, pod := range state.Pods {
		if pod.Annotations[inplace.Record] != "" && pod.DeletionTimestamp == nil && !isDone(pod, now) {
			names = append(names, fmt.Sprintf("pod %s on node %s", pod.Name, plan.TargetNode(pod)))
		}
	}
	slices.Sort(names)
	condition := appsv1.DaemonSetCondition{Type: "UpdatesInPlace", Status: corev1.ConditionFalse, Reason: "None"}
	if len(names) > 0 {
		condition.Status, condition.Reason, condition.Message = corev1.ConditionTrue, "Restarting", strings.Join(names, ", ")
	} else if conditionOf(status, condition.Type) == nil {
		return
	}
	setCondition(status, condition, now)
}

// takeBackLater keeps the condition of a stall for a while since it first could be taken back.
func takeBackLater(m *memory[time.Time], delay time.Duration) Around {
	return doing(func(actions *plan.Actions, state plan.State, now time.Time) {
		over, stored := m.of(state), conditionOf(&state.DaemonSet.Status, plan.ConditionStalled)
		if stored == nil || stored.Status != corev1.ConditionTrue || actions.Status == nil || conditionOf(actions.Status, plan.ConditionStalled).Status == corev1.ConditionTrue {
			*over = time.Time{}
			return
		}
		if over.IsZero() {
			*over = now
		}
		left := delay - now.Sub(*over)
		if left <= 0 {
			return
		}
		status := actions.Status.DeepCopy()
		*conditionOf(status, plan.ConditionStalled) = *stored
		actions.Events = slices.DeleteFunc(slices.Clone(actions.Events), func(event plan.Event) bool { return event.Reason == plan.EventRolloutResumed })
		actions.Status = unlessWritten(state, status)
		comeBack(actions, left)
	})
}
