package variants

import (
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/impl/disruption/plan"
)

// lawfulReports say the same otherwise.
func lawfulReports() []Variant {
	const (
		words       = "Messages are for people: the requirements name the reason alone."
		onItsWayOut = "PDB-001 does not say whether a pod on its way out is a selected one."
	)
	return []Variant{
		{Name: "says-how-many-are-missing", Says: "Says in the condition's message how many pods are healthy and how many are desired.", Lawful: words,
			Planner: reporting(func(status *policyv1.PodDisruptionBudgetStatus, _ plan.State, _ time.Time) {
				if !failed(status) {
					apimeta.FindStatusCondition(status.Conditions, policyv1.DisruptionAllowedCondition).Message =
						fmt.Sprintf("%d of %d pods are healthy", status.CurrentHealthy, status.DesiredHealthy)
				}
			})},
		{Name: "counts-in-a-condition-of-its-own", Says: "Says in another condition, which nobody else writes, how many pods are healthy.",
			Lawful: "PDB-031 is about the conditions of others.",
			Planner: reporting(func(status *policyv1.PodDisruptionBudgetStatus, _ plan.State, now time.Time) {
				apimeta.SetStatusCondition(&status.Conditions, metav1.Condition{
					Type: "example.org/Counted", Status: metav1.ConditionTrue, Reason: "Counted", Message: fmt.Sprintf("%d pods are healthy", status.CurrentHealthy),
					ObservedGeneration: status.ObservedGeneration, LastTransitionTime: metav1.NewTime(now).Rfc3339Copy(),
				})
			})},
		{Name: "own-condition-first", Says: "Puts its own condition before those of others.", Lawful: "Conditions are told apart by their types.",
			Planner: reporting(func(status *policyv1.PodDisruptionBudgetStatus, _ plan.State, _ time.Time) {
				own := *apimeta.FindStatusCondition(status.Conditions, policyv1.DisruptionAllowedCondition)
				apimeta.RemoveStatusCondition(&status.Conditions, own.Type)
				status.Conditions = append([]metav1.Condition{own}, status.Conditions...)
			})},
		{Name: "expects-live-pods-only", Says: "Leaves pods that are terminating or have ended out of expectedPods, of an integer minAvailable.",
			Lawful: onItsWayOut,
			Planner: counting(func(status *policyv1.PodDisruptionBudgetStatus, state plan.State) {
				if plan.NeedsScale(state.Budget) {
					return
				}
				for _, pod := range selected(state) {
					if pod.DeletionTimestamp != nil || hasEnded(pod) {
						status.ExpectedPods--
					}
				}
			})},
		{Name: "expects-no-pods-that-have-ended", Says: "Leaves pods that have ended out of expectedPods, of an integer minAvailable, and none that terminates.", Lawful: onItsWayOut,
			Planner: counting(func(status *policyv1.PodDisruptionBudgetStatus, state plan.State) {
				if plan.NeedsScale(state.Budget) {
					return
				}
				for _, pod := range selected(state) {
					if hasEnded(pod) {
						status.ExpectedPods--
					}
				}
			})},
		{Name: "fails-for-pods-that-have-ended", Says: "Takes pods that have ended for ones whose controller has no scale, too, where a budget needs that.",
			Lawful:  "PDB-020 and PDB-022 do not say whether a pod on its way out is a selected one.",
			Planner: seeing(func(state *plan.State, _ time.Time) { reviveEnded(state) })},
		{Name: "fails-with-the-generation-before", Says: "Leaves observedGeneration while a budget cannot be computed, as Kubernetes does.",
			Lawful: "What is written is still of the generation that it claims to be of, and the API server refuses every eviction by it.",
			Planner: reporting(func(status *policyv1.PodDisruptionBudgetStatus, state plan.State, _ time.Time) {
				if observed := state.Budget.Status.ObservedGeneration; failed(status) && observed > 0 {
					status.ObservedGeneration, allowed(status).ObservedGeneration = observed, observed
				}
			})},
		{Name: "tells-with-every-write", Says: "Records the event of a failure with every status that it writes while the failure goes on.",
			Lawful: "PDB-035 asks for a bounded rate; what is the same is one event with a count.",
			Planner: doing(func(actions *plan.Actions, _ plan.State, _ time.Time) {
				if actions.Status != nil && failed(actions.Status) && len(actions.Events) == 0 {
					message := apimeta.FindStatusCondition(actions.Status.Conditions, policyv1.DisruptionAllowedCondition).Message
					actions.Events = []plan.Event{{Type: corev1.EventTypeWarning, Reason: plan.EventCalculateExpectedPodCountFailed, Message: message}}
				}
			})},
		{Name: "resets-targets-with-a-reason", Says: "Gives the condition DisruptionTarget a reason when it resets it.", Lawful: "PDB-034 asks for its status.",
			Reset: func(pod *corev1.Pod, now time.Time) plan.TargetActions {
				actions := plan.Reset(pod, now)
				if actions.Pod != nil {
					for i := range actions.Pod.Status.Conditions {
						if c := &actions.Pod.Status.Conditions[i]; c.Type == corev1.DisruptionTarget {
							c.Reason, c.Message = "NotDeleted", "the pod was to be disrupted and is still there"
						}
					}
				}
				return actions
			}},
	}
}

// reviveEnded shows pods that have ended as running ones that are not Ready, to a budget that needs a scale.
func reviveEnded(state *plan.State) {
	if !plan.NeedsScale(state.Budget) {
		return
	}
	state.Pods = slices.Clone(state.Pods)
	for i, pod := range state.Pods {
		if !hasEnded(pod) {
			continue
		}
		pod = pod.DeepCopy()
		pod.Status.Phase = corev1.PodRunning
		for c := range pod.Status.Conditions {
			if condition := &pod.Status.Conditions[c]; condition.Type == corev1.PodReady {
				condition.Status = corev1.ConditionFalse
			}
		}
		state.Pods[i] = pod
	}
}
