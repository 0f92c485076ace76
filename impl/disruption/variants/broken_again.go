package variants

import (
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/rollcall-conformance/rollcall/impl/disruption/plan"
)

// brokenAgain identify objects by their names, and so confuse one that is created again with the former one.
func brokenAgain() []Variant {
	return []Variant{
		{Name: "knows-statuses-by-name", Says: "Writes no status of a new budget that is the one which it wrote last for a budget of that name.", Breaks: []string{"PDB-011"},
			Planner: statusesByName},
		{Name: "resets-a-target-once", Says: "Resets the condition DisruptionTarget once for each name of a pod.", Breaks: []string{"PDB-034"}, Reset: resetOnce()},
		{Name: "waits-for-other-budgets", Says: "Computes no budget while another one of the namespace cannot be computed.", Breaks: []string{"PDB-026"}, Planner: waitForOthers},
	}
}

func statusesByName(next plan.Planner) plan.Planner {
	var mu sync.Mutex
	written := map[types.NamespacedName]*policyv1.PodDisruptionBudgetStatus{}
	return doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
		if actions.Status == nil {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		// But for the time of its transition.
		status := actions.Status.DeepCopy()
		for i := range status.Conditions {
			status.Conditions[i].LastTransitionTime.Reset()
		}
		name := client.ObjectKeyFromObject(state.Budget)
		if state.Budget.Status.ObservedGeneration == 0 && apiequality.Semantic.DeepEqual(written[name], status) {
			actions.Status, actions.Events = nil, nil
		}
		written[name] = status
	})(next)
}

func resetOnce() plan.Resetter {
	var mu sync.Mutex
	done := map[types.NamespacedName]bool{}
	return func(pod *corev1.Pod, now time.Time) plan.TargetActions {
		actions := plan.Reset(pod, now)
		if actions.Pod == nil {
			return actions
		}
		mu.Lock()
		defer mu.Unlock()
		name := client.ObjectKeyFromObject(pod)
		if done[name] {
			return plan.TargetActions{}
		}
		done[name] = true
		return actions
	}
}

func waitForOthers(next plan.Planner) plan.Planner {
	var mu sync.Mutex
	failing := map[string]types.UID{}
	return doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
		mu.Lock()
		defer mu.Unlock()
		status := actions.Status
		if status == nil {
			status = &state.Budget.Status
		}
		namespace, uid := state.Budget.Namespace, state.Budget.UID
		switch other, held := failing[namespace]; {
		case failed(status):
			failing[namespace] = uid
		case held && other == uid:
			delete(failing, namespace)
		case held:
			*actions = plan.Actions{RequeueAfter: time.Minute}
		}
	})(next)
}
