package variants

import (
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
	"github.com/rollcall-conformance/rollcall/impl/inplace"
)

// brokenPolicies update in place, or recreate, where they should not.
func brokenPolicies() []Variant {
	always := func(plan.State) bool { return true }
	return []Variant{
		{Name: "recreates-despite-the-policy", Says: "Recreates pods that it is asked to update in place.", Breaks: []string{"INPLACE-003"}, Planner: recreating(always)},
		{Name: "updates-in-place-unasked", Says: "Updates pods in place without being asked to.", Breaks: []string{"INPLACE-002"},
			Planner: seeing(func(state *plan.State, _ time.Time) {
				if rolling(*state) {
					setPolicy(state, inplace.IfPossible)
				}
			})},
		{Name: "updates-in-place-with-on-delete", Says: "Updates pods in place with the strategy OnDelete.", Breaks: []string{"INPLACE-011"}, Planner: inPlaceOnDelete},
		{Name: "updates-in-place-with-max-surge", Says: "Updates pods in place, one at a time, where maxUnavailable is zero.", Breaks: []string{"INPLACE-020"},
			Planner: seeingSpec(func(spec *appsv1.DaemonSetSpec, state plan.State, _ time.Time) {
				if inPlace(state) && maySurge(state) {
					none, one := intstr.FromInt32(0), intstr.FromInt32(1)
					spec.UpdateStrategy.RollingUpdate = &appsv1.RollingUpdateDaemonSet{MaxSurge: &none, MaxUnavailable: &one}
				}
			})},
		{Name: "patches-whatever-changed", Says: "Patches images although more than images differs.",
			Breaks: []string{"INPLACE-004", "INPLACE-006", "INPLACE-007", "INPLACE-008"},
			Planner: patchInstead(func(state plan.State, d plan.PodDeletion) bool {
				return (d.Reason == plan.ReasonOutdated || d.Reason == plan.ReasonOldUnavailable) && !initImagesDiffer(state, d.Pod)
			})},
		{Name: "takes-init-containers-for-containers", Says: "Keeps pods whose init containers are to have other images.", Breaks: []string{"INPLACE-005"},
			Planner: patchInstead(func(state plan.State, d plan.PodDeletion) bool { return initImagesDiffer(state, d.Pod) })},
		{Name: "updates-one-container-in-place", Says: "Recreates pods of which more than one container is to have another image.", Breaks: []string{"INPLACE-009"},
			Planner: deleteInstead(func(_ plan.State, update plan.PodUpdate) bool { return len(update.Images) > 1 })},
		{Name: "rolls-back-by-recreation", Says: "Recreates pods for a template that there was before.", Breaks: []string{"INPLACE-015"},
			Planner: recreating(func(state plan.State) bool {
				name := plan.RevisionName(state.DaemonSet)
				current := slices.IndexFunc(state.Revisions, func(r *appsv1.ControllerRevision) bool { return r.Name == name })
				return current >= 0 && slices.ContainsFunc(state.Revisions, func(r *appsv1.ControllerRevision) bool {
					return state.Revisions[current].CreationTimestamp.Before(&r.CreationTimestamp)
				})
			})},
		{Name: "recreates-broken-pods", Says: "Recreates pods that are not Ready instead of giving them the image that repairs them.", Breaks: []string{"INPLACE-019"},
			Planner: deleteInstead(func(_ plan.State, update plan.PodUpdate) bool { return update.Reason == plan.ReasonOldUnavailable })},
		{Name: "patches-pods-that-do-not-run", Says: "Patches pods that failed or wait for a node.", Breaks: []string{"INPLACE-021"},
			Planner: patchInstead(func(state plan.State, d plan.PodDeletion) bool {
				ended := d.Pod.Status.Phase == corev1.PodFailed || d.Pod.Status.Phase == corev1.PodSucceeded
				return (ended || d.Pod.Spec.NodeName == "") && !updated(state)(d.Pod)
			})},
		{Name: "compares-the-last-two-templates", Says: "Patches a pod of an older revision where the last update changed nothing but images.", Breaks: []string{"INPLACE-008"},
			Planner: patchInstead(func(state plan.State, d plan.PodDeletion) bool {
				before := revisionBefore(state)
				return before != nil && (d.Reason == plan.ReasonOutdated || d.Reason == plan.ReasonOldUnavailable) && inplace.Runs(d.Pod) &&
					inplace.OnlyImagesDiffer(plan.StoredTemplate(before), &state.DaemonSet.Spec.Template)
			})},
		{Name: "deletes-beside-updates-in-place", Says: "Leaves pods that it has patched out of what is unavailable when it deletes others.", Breaks: []string{"INPLACE-012"},
			Planner: deletesBeside},
		{Name: "updates-one-more-in-place", Says: "Updates one pod more in place than maxUnavailable.", Breaks: []string{"INPLACE-012"},
			Planner: limiting(maxUnavailable, func(value *intstr.IntOrString, state plan.State, _ time.Time) int {
				n := scaled(value, eligibleNodes(state), true)
				if inPlace(state) {
					n++
				}
				return n
			})},
	}
}

func initImagesDiffer(state plan.State, pod *corev1.Pod) bool {
	return slices.ContainsFunc(state.DaemonSet.Spec.Template.Spec.InitContainers, func(wanted corev1.Container) bool {
		return slices.ContainsFunc(pod.Spec.InitContainers, func(is corev1.Container) bool { return is.Name == wanted.Name && is.Image != wanted.Image })
	})
}

// revisionBefore is the revision with the largest number below that of the template in force; nil if there is none.
func revisionBefore(state plan.State) *appsv1.ControllerRevision {
	name := plan.RevisionName(state.DaemonSet)
	var current, before *appsv1.ControllerRevision
	for _, revision := range state.Revisions {
		if revision.Name == name {
			current = revision
		}
	}
	for _, revision := range state.Revisions {
		if current != nil && revision.Revision < current.Revision && (before == nil || revision.Revision > before.Revision) {
			before = revision
		}
	}
	return before
}

// deletesBeside adds the deletions that are due if the pods that were patched were available.
func deletesBeside(next plan.Planner) plan.Planner {
	return func(state plan.State, now time.Time) plan.Actions {
		actions := next(state, now)
		if actions.Err != nil || !inPlace(state) || state.AwaitingOwnWrites {
			return actions
		}
		patched := func(pod *corev1.Pod) bool {
			believed, _ := inplace.Believe(pod, now)
			return pod.DeletionTimestamp == nil && pod.Annotations[inplace.Record] != "" && !plan.IsReady(believed)
		}
		changePods(&state, patched, func(pod *corev1.Pod) {
			delete(pod.Annotations, inplace.Record)
			setReady(pod, now.Add(-time.Hour))
		})
		for _, deletion := range next(state, now).DeletePods {
			if deletion.Reason == plan.ReasonOutdated {
				remove(&actions, deletion.Pod, deletion.Reason)
			}
		}
		return actions
	}
}

// inPlaceOnDelete takes what would be updated in place with a rolling update.
func inPlaceOnDelete(next plan.Planner) plan.Planner {
	return func(state plan.State, now time.Time) plan.Actions {
		actions := next(state, now)
		if actions.Err != nil || rolling(state) || !inPlace(state) {
			return actions
		}
		ds := state.DaemonSet.DeepCopy()
		ds.Spec.UpdateStrategy = appsv1.DaemonSetUpdateStrategy{Type: appsv1.RollingUpdateDaemonSetStrategyType}
		state.DaemonSet = ds
		actions.UpdatePods = next(state, now).UpdatePods
		return actions
	}
}

// brokenPatches write updates in place wrongly, or what is refused.
func brokenPatches() []Variant {
	isRefused := func(state plan.State, update plan.PodUpdate) bool {
		_, refused := state.RefusedUpdates[update.Node]
		return refused
	}
	return []Variant{
		{Name: "patches-images-alone", Says: "Gives pods new images and leaves them the label of the old ones.", Breaks: []string{"INPLACE-028"},
			Planner: changeUpdates(func(_ plan.State, update *plan.PodUpdate) { update.Labels = map[string]string{} })},
		{Name: "patches-labels-away", Says: "Gives pods new images and takes the label of the old ones away.", Breaks: []string{"INPLACE-028"},
			Planner: changeUpdates(func(_ plan.State, update *plan.PodUpdate) { update.Labels = nil })},
		{Name: "patches-labels-first", Says: "Gives pods the label of new images before the images.", Breaks: []string{"INPLACE-028"},
			Planner: changeUpdates(func(_ plan.State, update *plan.PodUpdate) { update.Images, update.Annotations = nil, nil })},
		{Name: "deletes-what-is-refused", Says: "Deletes pods that the API server refuses to patch.", Breaks: []string{"INPLACE-029"}, Planner: deleteInstead(isRefused)},
		{Name: "gives-up-what-is-refused", Says: "Does not try again what the API server refused once.", Breaks: []string{"INPLACE-029"},
			Planner: doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
				actions.UpdatePods = slices.DeleteFunc(slices.Clone(actions.UpdatePods), func(update plan.PodUpdate) bool { return isRefused(state, update) })
			})},
		{Name: "no-condition-about-refusals", Says: "Has no condition for updates in place that the API server refuses.", Breaks: []string{"INPLACE-022"},
			Planner: seeing(func(state *plan.State, _ time.Time) { state.RefusedUpdates = nil })},
		{Name: "keeps-the-condition-about-refusals", Says: "Goes on saying that the API server refuses updates in place, once it has.", Breaks: []string{"INPLACE-022"},
			Planner: reporting(func(status *appsv1.DaemonSetStatus, state plan.State, _ time.Time) {
				stored := state.DaemonSet.Status.Conditions
				if slices.ContainsFunc(stored, func(c appsv1.DaemonSetCondition) bool { return c.Reason == plan.StalledUpdateRefused }) {
					status.Conditions = plan.WithStalled(status.Conditions, stored)
				}
			})},
	}
}
