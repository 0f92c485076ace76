package variants

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/impl/united/api"
	"github.com/rollcall-conformance/rollcall/impl/united/plan"
)

// brokenUnitedMeetings are right in every situation by itself. They go wrong where two meet, or where one comes a second time.
func brokenUnitedMeetings() []Variant {
	return []Variant{
		{Name: "united-patches-what-a-generation-once-had",
			Says:   "Makes the DaemonSets of subsets from the template that a target of that name had at the same generation, also where the target was created again.",
			Breaks: []string{"UNITED-033"}, United: patchWhatAGenerationHad},
		{Name: "united-keeps-the-words-of-a-condition-that-stays",
			Says:   "Leaves the message of a condition as it is while status and reason stay the same, so that nothing names what comes to it.",
			Breaks: []string{"UNITED-037", "UNITED-038"}, United: uniting(keepWords)},
		{Name: "united-freezes-the-nodes-of-a-bad-subset",
			Says:   "Leaves a node with a subset whose patch cannot be applied as long as it cannot, also where the subset does not select the node any more, or is not the first.",
			Breaks: []string{"UNITED-006", "UNITED-008", "UNITED-009", "UNITED-010"}, United: freezeNodesOfBadSubsets},
	}
}

// patchWhatAGenerationHad works out a template once for each generation of the target. A target that is created again begins to count anew.
func patchWhatAGenerationHad(next plan.Planner) plan.Planner {
	var mu sync.Mutex
	known := map[string]*corev1.PodTemplateSpec{}
	return func(state plan.State, now time.Time) plan.Actions {
		actions, target := next(state, now), targetOf(state)
		if target == nil || target.DeletionTimestamp != nil || state.United.DeletionTimestamp != nil {
			return actions
		}
		present := plan.Ungate(&target.Spec.Template, homes(state))
		key := fmt.Sprintf("%s %d", state.United.UID, target.Generation)
		mu.Lock()
		once, seen := known[key]
		if !seen {
			known[key] = present.DeepCopy()
		}
		mu.Unlock()
		if !seen || apiequality.Semantic.DeepEqual(once, present) {
			return actions
		}
		state.DaemonSets = slices.Clone(state.DaemonSets)
		for i, ds := range state.DaemonSets {
			if ds.Name == target.Name {
				ds = ds.DeepCopy()
				ds.Spec.Template = *once.DeepCopy()
				state.DaemonSets[i] = ds
			}
		}
		actions.Subsets = next(state, now).Subsets
		return actions
	}
}

// keepWords takes a condition for the same if it says the same for the same reason.
func keepWords(actions *plan.Actions, state plan.State) {
	if actions.Status == nil {
		return
	}
	status := actions.Status.DeepCopy()
	for i := range status.Conditions {
		is := &status.Conditions[i]
		before := meta.FindStatusCondition(state.United.Status.Conditions, is.Type)
		if before != nil && before.Status == is.Status && before.Reason == is.Reason {
			is.Message = before.Message
		}
	}
	actions.Status = status
	if apiequality.Semantic.DeepEqual(status, &state.United.Status) {
		actions.Status = nil
	}
}

// freezeNodesOfBadSubsets takes the words that the nodes of a bad subset keep their pods for all nodes that are with it. It plans moves as if the subset
// still came first for them.
func freezeNodesOfBadSubsets(next plan.Planner) plan.Planner {
	return func(state plan.State, now time.Time) plan.Actions {
		actions := next(state, now)
		if state.United.DeletionTimestamp != nil {
			return actions
		}
		status := &state.United.Status
		if actions.Status != nil {
			status = actions.Status
		}
		var frozen []api.Subset
		for _, subset := range state.United.Spec.Subsets {
			if names := nodesWith(state, subset.Name); len(names) > 0 && isBad(status, subset.Name) && madeAndStays(state, subset.Name) {
				frozen = append(frozen, api.Subset{Name: subset.Name, Selector: api.Selector{Names: names}, Patch: subset.Patch})
			}
		}
		if len(frozen) == 0 {
			return actions
		}
		state.United = state.United.DeepCopy()
		state.United.Spec.Subsets = slices.Concat(frozen, state.United.Spec.Subsets)
		actions.LabelNodes = next(state, now).LabelNodes
		return actions
	}
}

// nodesWith are the names of the nodes that are with the subset, and are not being handed over.
func nodesWith(state plan.State, subset string) []string {
	var names []string
	keys := homes(state)
	for _, node := range state.Nodes {
		if node.Labels[keys.Home] == subset && node.Labels[keys.Incoming] == "" {
			names = append(names, node.Name)
		}
	}
	return names
}

// isBad reports whether the status says that something is wrong with the subset.
func isBad(status *api.Status, subset string) bool {
	valid := meta.FindStatusCondition(status.Conditions, api.SubsetsValid)
	return valid != nil && valid.Status == metav1.ConditionFalse && strings.Contains("; "+valid.Message, "; subset "+subset+": ")
}

// madeAndStays reports whether the subset has its DaemonSet, which is not being deleted.
func madeAndStays(state plan.State, subset string) bool {
	return slices.ContainsFunc(state.DaemonSets, func(ds *appsv1.DaemonSet) bool {
		return ds.Name == plan.DaemonSetName(state.United.Name, subset) && metav1.IsControlledBy(ds, state.United) && ds.DeletionTimestamp == nil
	})
}
