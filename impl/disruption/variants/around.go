package variants

import (
	"maps"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/rollcall-conformance/rollcall/impl/disruption/plan"
)

// seeing is the planner shown another state than there is. What the state points to is shared: change must copy what it changes.
func seeing(change func(state *plan.State, now time.Time)) Around {
	return func(next plan.Planner) plan.Planner {
		return func(state plan.State, now time.Time) plan.Actions {
			change(&state, now)
			return next(state, now)
		}
	}
}

// doing is the planner whose answer is changed.
func doing(change func(actions *plan.Actions, state plan.State, now time.Time)) Around {
	return func(next plan.Planner) plan.Planner {
		return func(state plan.State, now time.Time) plan.Actions {
			actions := next(state, now)
			change(&actions, state, now)
			return actions
		}
	}
}

// reporting is the planner whose status is changed. It is written only if it is not the one that the budget has.
func reporting(change func(status *policyv1.PodDisruptionBudgetStatus, state plan.State, now time.Time)) Around {
	return doing(func(actions *plan.Actions, state plan.State, now time.Time) {
		status := actions.Status
		if status == nil {
			status = state.Budget.Status.DeepCopy()
		}
		change(status, state, now)
		actions.Status = nil
		if !apiequality.Semantic.DeepEqual(*status, state.Budget.Status) {
			actions.Status = status
		}
	})
}

// counting is the planner whose numbers are changed; what is allowed and the condition follow from them. A budget that cannot be computed stays one.
func counting(change func(status *policyv1.PodDisruptionBudgetStatus, state plan.State)) Around {
	return reporting(func(status *policyv1.PodDisruptionBudgetStatus, state plan.State, now time.Time) {
		if failed(status) {
			return
		}
		change(status, state)
		status.DisruptionsAllowed = 0
		if status.ExpectedPods > 0 {
			status.DisruptionsAllowed = max(0, status.CurrentHealthy-status.DesiredHealthy)
		}
		agree(status, now)
	})
}

// agree sets the condition by what is allowed.
func agree(status *policyv1.PodDisruptionBudgetStatus, now time.Time) {
	condition := metav1.Condition{
		Type: policyv1.DisruptionAllowedCondition, Status: metav1.ConditionFalse, Reason: policyv1.InsufficientPodsReason,
		ObservedGeneration: status.ObservedGeneration, LastTransitionTime: metav1.NewTime(now).Rfc3339Copy(),
	}
	if status.DisruptionsAllowed > 0 {
		condition.Status, condition.Reason = metav1.ConditionTrue, policyv1.SufficientPodsReason
	}
	apimeta.SetStatusCondition(&status.Conditions, condition)
}

func failed(status *policyv1.PodDisruptionBudgetStatus) bool {
	condition := apimeta.FindStatusCondition(status.Conditions, policyv1.DisruptionAllowedCondition)
	return condition != nil && condition.Reason == policyv1.SyncFailedReason
}

// changePods replaces the pods that which selects by changed copies.
func changePods(state *plan.State, which func(*corev1.Pod) bool, change func(*corev1.Pod)) {
	state.Pods = slices.Clone(state.Pods)
	for i, pod := range state.Pods {
		if which(pod) {
			state.Pods[i] = pod.DeepCopy()
			change(state.Pods[i])
		}
	}
}

// withoutPods hides pods.
func withoutPods(state *plan.State, hidden func(*corev1.Pod) bool) {
	state.Pods = slices.DeleteFunc(slices.Clone(state.Pods), hidden)
}

// changeBudget shows a changed copy of the budget.
func changeBudget(state *plan.State, change func(*policyv1.PodDisruptionBudget)) {
	state.Budget = state.Budget.DeepCopy()
	change(state.Budget)
}

// changeControllers shows other controllers.
func changeControllers(state *plan.State, change func(reference types.UID, controller plan.Controller) plan.Controller) {
	state.Controllers = maps.Clone(state.Controllers)
	for uid, controller := range state.Controllers {
		state.Controllers[uid] = change(uid, controller)
	}
}

// selected are the pods that the budget selects.
func selected(state plan.State) []*corev1.Pod {
	// A selector that is not valid selects none.
	pods, _ := plan.Selected(state.Budget, state.Pods)
	return pods
}

// unmanaged reports whether the pod has no controller.
func unmanaged(pod *corev1.Pod) bool { return metav1.GetControllerOfNoCopy(pod) == nil }

// percentage returns the value as a share of a hundred, if it is one.
func percentage(value *intstr.IntOrString) (int32, bool) {
	if value == nil || value.Type != intstr.String {
		return 0, false
	}
	share, err := intstr.GetScaledValueFromIntOrPercent(value, 100, true)
	return int32(share), err == nil
}

// comeBack asks for another pass after wait at the latest.
func comeBack(actions *plan.Actions, wait time.Duration) {
	if actions.RequeueAfter == 0 || wait < actions.RequeueAfter {
		actions.RequeueAfter = wait
	}
}

// memory is what a planner remembers of each budget. Budgets are planned for at once, each by one caller at a time.
type memory[T any] struct {
	mu  sync.Mutex
	all map[types.UID]*T
}

// of returns what there is about the budget of state, the zero value at first.
func (m *memory[T]) of(state plan.State) *T {
	m.mu.Lock()
	defer m.mu.Unlock()
	uid := state.Budget.UID
	if m.all[uid] == nil {
		m.all[uid] = new(T)
	}
	return m.all[uid]
}

// remember gives the planner a memory that begins with its process.
func remember[T any](with func(m *memory[T]) Around) Around {
	return func(next plan.Planner) plan.Planner { return with(&memory[T]{all: map[types.UID]*T{}})(next) }
}

// sinceStart gives the planner the time of the first pass of its process.
func sinceStart(with func(began func(now time.Time) time.Time) Around) Around {
	return func(next plan.Planner) plan.Planner {
		var once sync.Once
		var at time.Time
		return with(func(now time.Time) time.Time {
			once.Do(func() { at = now })
			return at
		})(next)
	}
}

// hasEnded reports whether the pod's phase is one that it never leaves.
func hasEnded(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodFailed || pod.Status.Phase == corev1.PodSucceeded
}
