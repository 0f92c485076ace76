package variants

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
	"github.com/rollcall-conformance/rollcall/impl/inplace"
)

// brokenPatchTurns update in place by what was, or by a part of what is.
func brokenPatchTurns() []Variant {
	return []Variant{
		{Name: "keeps-the-policy-of-the-update", Says: "Goes by the pod update policy that was in force when the template was changed.", Breaks: []string{"INPLACE-002"},
			Planner: remember(func(m *memory[map[string]string]) Around {
				return seeing(func(state *plan.State, _ time.Time) {
					known, ds := m.of(*state), state.DaemonSet
					if *known == nil {
						*known = map[string]string{}
					}
					hash, now := plan.TemplateHash(&ds.Spec.Template, ds.Status.CollisionCount), ds.Annotations[inplace.Policy]
					if first, met := (*known)[hash]; !met {
						(*known)[hash] = now
					} else if first != now {
						setPolicy(state, first)
					}
				})
			})},
		{Name: "adds-tolerations-in-place", Says: "Patches the images of pods that are to get tolerations as well.", Breaks: []string{"INPLACE-008"},
			Planner: patchInstead(func(state plan.State, d plan.PodDeletion) bool {
				from := storedTemplateOf(state, d.Pod)
				if from == nil || !inplace.Runs(d.Pod) || apiequality.Semantic.DeepEqual(from.Spec.Tolerations, state.DaemonSet.Spec.Template.Spec.Tolerations) {
					return false
				}
				from = from.DeepCopy()
				from.Spec.Tolerations = state.DaemonSet.Spec.Template.Spec.Tolerations
				return inplace.OnlyImagesDiffer(from, &state.DaemonSet.Spec.Template)
			})},
		{Name: "patches-pods-of-lost-histories", Says: "Patches the images of pods whose history is gone, whatever else differs.", Breaks: []string{"INPLACE-008"},
			Planner: patchInstead(func(state plan.State, d plan.PodDeletion) bool {
				return storedTemplateOf(state, d.Pod) == nil && inplace.Runs(d.Pod)
			})},
		{Name: "decides-once-what-can-be-patched", Says: "Goes by what it first decided for the pods of a revision, whether they can be patched, for every later template.",
			Breaks: []string{"INPLACE-003"}, Planner: remember(decideOnce)},
		{Name: "spends-the-limit-twice", Says: "Spends maxUnavailable on the pods that it patches, and once more on those that it recreates.", Breaks: []string{"INPLACE-012"},
			Planner: doing(spendTwice)},
		{Name: "min-ready-seconds-from-the-first-restart", Says: "Counts minReadySeconds of a patched pod from the first of the containers that were restarted.",
			Breaks: []string{"INPLACE-024"},
			Planner: seeing(func(state *plan.State, _ time.Time) {
				changePods(state, func(pod *corev1.Pod) bool { return pod.Annotations[inplace.Record] != "" }, startedAtOnce)
			})},
	}
}

// decideOnce patches or deletes the pods of a revision as the first of them.
func decideOnce(m *memory[map[string]bool]) Around {
	return doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
		if !inPlace(state) || !rolling(state) || maySurge(state) {
			return
		}
		known := m.of(state)
		if *known == nil {
			*known = map[string]bool{}
		}
		patched := func(pod *corev1.Pod, now bool) bool {
			hash := pod.Labels[plan.HashLabel]
			if _, met := (*known)[hash]; !met {
				(*known)[hash] = now
			}
			return (*known)[hash]
		}
		var updates []plan.PodUpdate
		var deletions []plan.PodDeletion
		for _, update := range actions.UpdatePods {
			if patched(update.Pod, true) {
				updates = append(updates, update)
			} else {
				deletions = append(deletions, plan.PodDeletion{Pod: update.Pod, Node: update.Node, Reason: update.Reason})
			}
		}
		for _, deletion := range actions.DeletePods {
			due := deletion.Reason == plan.ReasonOutdated || deletion.Reason == plan.ReasonOldUnavailable
			if due && inplace.Runs(deletion.Pod) && patched(deletion.Pod, false) {
				updates = append(updates, updateInPlace(state, deletion.Pod, deletion.Reason))
			} else {
				deletions = append(deletions, deletion)
			}
		}
		actions.UpdatePods, actions.DeletePods = updates, deletions
	})
}

// spendTwice adds a deletion to a pass that patches pods, and a patch to one that deletes them.
func spendTwice(actions *plan.Actions, state plan.State, _ time.Time) {
	if !inPlace(state) || !rolling(state) || maySurge(state) {
		return
	}
	patches := slices.ContainsFunc(actions.UpdatePods, updatedFor(plan.ReasonOutdated))
	deletes := slices.ContainsFunc(actions.DeletePods, deletedFor(plan.ReasonOutdated))
	if patches == deletes {
		return
	}
	for _, on := range nodes(state) {
		if !on.eligible || len(on.olds) != 1 || len(on.news) > 0 || !plan.IsReady(on.olds[0]) {
			continue
		}
		old := on.olds[0]
		from := storedTemplateOf(state, old)
		switch can := inplace.Runs(old) && inplace.OnlyImagesDiffer(from, &state.DaemonSet.Spec.Template); {
		case can && deletes:
			actions.UpdatePods = append(slices.Clone(actions.UpdatePods), updateInPlace(state, old, plan.ReasonOutdated))
			return
		case !can && patches:
			actions.DeletePods = append(slices.Clone(actions.DeletePods), plan.PodDeletion{Pod: old, Node: on.name, Reason: plan.ReasonOutdated})
			return
		}
	}
}

// startedAtOnce shows the running containers of a pod that were restarted since its Ready condition changed as started with the first of them.
func startedAtOnce(pod *corev1.Pod) {
	condition := ready(pod)
	if condition == nil {
		return
	}
	var first *metav1.Time
	restarted := func(status *corev1.ContainerStatus) bool {
		return status.State.Running != nil && status.RestartCount > 0 && status.State.Running.StartedAt.After(condition.LastTransitionTime.Time)
	}
	for i := range pod.Status.ContainerStatuses {
		if status := &pod.Status.ContainerStatuses[i]; restarted(status) && (first == nil || status.State.Running.StartedAt.Before(first)) {
			first = status.State.Running.StartedAt.DeepCopy()
		}
	}
	for i := range pod.Status.ContainerStatuses {
		if status := &pod.Status.ContainerStatuses[i]; restarted(status) {
			status.State.Running.StartedAt = *first
		}
	}
}
