package variants

import (
	"encoding/json"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
	"github.com/rollcall-conformance/rollcall/impl/inplace"
)

// brokenHalfway are right as long as one process, and one object, sees through what was begun.
func brokenHalfway() []Variant {
	return []Variant{
		{Name: "forgets-patches-of-former-processes", Says: "Takes a patch that another process made for done when it patches the pod again.",
			Breaks: []string{"INPLACE-027"}, Planner: remember(recordFromOwnPatches)},
		{Name: "believes-patched-pods-that-it-adopts", Says: "Takes a patched pod for Ready by its condition from before where the patch is older than the DaemonSet.",
			Breaks: []string{"INPLACE-013"},
			Planner: seeing(func(state *plan.State, _ time.Time) {
				born := state.DaemonSet.CreationTimestamp.Time
				changePods(state, func(pod *corev1.Pod) bool {
					var record updateRecord
					return json.Unmarshal([]byte(pod.Annotations[inplace.Record]), &record) == nil && record.At.Time.Before(born)
				}, func(pod *corev1.Pod) { delete(pod.Annotations, inplace.Record) })
			})},
		{Name: "fills-nodes-that-join-while-it-goes", Says: "Creates a pod on a node that joins while the DaemonSet is being deleted.",
			Breaks: []string{"STATUS-015"}, Planner: fillJoined},
		{Name: "keeps-two-unavailable-pods-without-the-gate", Says: "Keeps both pods of a node, while the feature gate is off, of which none is available.",
			Breaks: []string{"GATE-007"},
			Planner: doing(func(actions *plan.Actions, state plan.State, now time.Time) {
				if !state.SurgeDisabled {
					return
				}
				for _, n := range nodes(state) {
					if len(n.olds) > 0 && len(n.news) > 0 && !available(state, slices.Concat(n.olds, n.news), now) {
						withoutDeletions(actions, func(d plan.PodDeletion) bool { return d.Node == n.name })
					}
				}
			})},
	}
}

// recordFromOwnPatches records updates of pods as if there had been no earlier ones, unless this process made them.
func recordFromOwnPatches(m *memory[map[string]bool]) Around {
	return doing(func(actions *plan.Actions, state plan.State, now time.Time) {
		own := m.of(state)
		if *own == nil {
			*own = map[string]bool{}
		}
		actions.UpdatePods = slices.Clone(actions.UpdatePods)
		for i := range actions.UpdatePods {
			update := &actions.UpdatePods[i]
			if before := update.Pod.Annotations[inplace.Record]; before != "" && !(*own)[before] {
				pod := update.Pod.DeepCopy()
				delete(pod.Annotations, inplace.Record)
				// What is made of a pod and names can be encoded.
				record, _ := inplace.RecordOf(pod, update.Images, now)
				update.Annotations = map[string]string{inplace.Record: record}
			}
			(*own)[update.Annotations[inplace.Record]] = true
		}
	})
}

// fillJoined creates pods of a DaemonSet that is being deleted, on nodes that were registered after its deletion, and does nothing else about it.
func fillJoined(next plan.Planner) plan.Planner {
	return func(state plan.State, now time.Time) plan.Actions {
		gone := state.DaemonSet.DeletionTimestamp
		if gone == nil {
			return next(state, now)
		}
		state.DaemonSet = state.DaemonSet.DeepCopy()
		state.DaemonSet.DeletionTimestamp = nil
		joined := map[string]bool{}
		for _, each := range state.Nodes {
			joined[each.Name] = each.CreationTimestamp.After(gone.Time)
		}
		actions := plan.Actions{CreatePods: next(state, now).CreatePods}
		withoutCreations(&actions, func(c plan.PodCreation) bool { return !joined[c.Node] })
		return actions
	}
}
