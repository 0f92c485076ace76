package variants

import (
	"encoding/json"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/impl/inplace"
	"github.com/rollcall-conformance/rollcall/impl/statefulset/plan"
)

// brokenCoincidences are right as long as one thing happens at a time: it takes two to show them.
func brokenCoincidences() []Variant {
	return []Variant{
		{Name: "set-believes-patched-pods-below-the-partition", Says: "Takes a patched pod of a StatefulSet for as Ready as its condition says once the partition is above it.",
			Breaks: []string{"INPLACE-033"}, Planner: seeing(forgetBelowPartition)},
		{Name: "set-waits-for-no-repair", Says: "Updates the next pod of a StatefulSet at once after it has patched again one whose container did not start.",
			Breaks: []string{"INPLACE-033"}, Planner: waitForNoRepair},
	}
}

// forgetBelowPartition takes the record of their update from pods that no update concerns.
func forgetBelowPartition(state *plan.State) {
	least := partition(state.Set)
	state.Pods = slices.Clone(state.Pods)
	for i, pod := range state.Pods {
		if _, patched := pod.Annotations[inplace.Record]; patched && ordinalOf(pod) < least {
			state.Pods[i] = pod.DeepCopy()
			delete(state.Pods[i].Annotations, inplace.Record)
		}
	}
}

// waitForNoRepair decides about updates as if pods that are being repaired were available: they were not before, either.
func waitForNoRepair(next plan.Planner) plan.Planner {
	return func(state plan.State, now time.Time) plan.Actions {
		actions := next(state, now)
		if actions.Err != nil || actions.CreateRevision != nil || actions.RenumberRevision != nil {
			return actions
		}
		state.Pods = slices.Clone(state.Pods)
		for i, pod := range state.Pods {
			if pod.Labels[plan.RevisionLabel] == state.Set.Status.UpdateRevision && inRepair(pod) {
				state.Pods[i] = pod.DeepCopy()
				delete(state.Pods[i].Annotations, inplace.Record)
				makeReady(state.Pods[i], now.Add(-24*time.Hour))
			}
		}
		actions.UpdatePods = next(state, now).UpdatePods
		return actions
	}
}

// inRepair reports whether the pod was patched again before a container came to what an earlier patch asked for, and that container does not run.
func inRepair(pod *corev1.Pod) bool {
	var record struct {
		Containers map[string]struct {
			Skipped []string `json:"skipped"`
		} `json:"containers"`
	}
	if json.Unmarshal([]byte(pod.Annotations[inplace.Record]), &record) != nil {
		return false
	}
	return slices.ContainsFunc(pod.Status.ContainerStatuses, func(status corev1.ContainerStatus) bool {
		return len(record.Containers[status.Name].Skipped) > 0 && status.State.Running == nil
	})
}
