package variants

import (
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/impl/inplace"
	"github.com/rollcall-conformance/rollcall/impl/statefulset/plan"
)

// brokenPatches patch what is to be recreated, or the other way round, or in more than one write.
func brokenPatches() []Variant {
	return []Variant{
		{Name: "set-recreates-all", Says: "Deletes old pods of a StatefulSet, whatever its policy.", Breaks: []string{"INPLACE-031"},
			Planner: seeingSet(func(set *appsv1.StatefulSet) { delete(set.Annotations, inplace.Policy) })},
		{Name: "set-patches-unasked", Says: "Patches pods of a StatefulSet that has no policy.", Breaks: []string{"INPLACE-032"},
			Planner: seeingSet(func(set *appsv1.StatefulSet) {
				if set.Annotations == nil {
					set.Annotations = map[string]string{}
				}
				set.Annotations[inplace.Policy] = inplace.IfPossible
			})},
		{Name: "set-patches-all-that-differs", Says: "Patches the images of a StatefulSet's pods that differ from the template in more.", Breaks: []string{"INPLACE-032"},
			Planner: doing(patchInstead)},
		{Name: "set-patches-every-container-that-differs", Says: "Patches also a container of a StatefulSet's pod that admission gave another image, when the image of another container changes.",
			Breaks: []string{"INPLACE-016"},
			Planner: doing(func(actions *plan.Actions, state plan.State, now time.Time) {
				actions.UpdatePods = slices.Clone(actions.UpdatePods)
				for i, update := range actions.UpdatePods {
					actions.UpdatePods[i] = patchTo(state, update.Pod, update.Labels[plan.RevisionLabel], now)
				}
			})},
		{Name: "set-patches-pods-that-wait-for-a-node", Says: "Patches pods of a StatefulSet that are not scheduled.", Breaks: []string{"INPLACE-018"},
			Planner: doing(patchWaiting)},
		{Name: "set-patches-pods-of-lost-histories", Says: "Patches the images of a StatefulSet's pods whose history is gone, whatever else differs.", Breaks: []string{"INPLACE-032"},
			Planner: doing(patchUnknown)},
		{Name: "set-patches-images-alone", Says: "Gives pods of a StatefulSet new images and leaves them the label of the old ones.", Breaks: []string{"INPLACE-034"},
			Planner: doing(func(actions *plan.Actions, _ plan.State, _ time.Time) {
				for i := range actions.UpdatePods {
					actions.UpdatePods[i].Labels = nil
				}
			})},
		{Name: "set-patches-labels-first", Says: "Gives pods of a StatefulSet the label of new images before the images.", Breaks: []string{"INPLACE-034"},
			Planner: doing(func(actions *plan.Actions, _ plan.State, _ time.Time) {
				for i := range actions.UpdatePods {
					actions.UpdatePods[i].Images, actions.UpdatePods[i].Annotations = nil, nil
				}
			})},
	}
}

// patchInstead patches the images of old pods that are to be deleted, if there are any to patch.
func patchInstead(actions *plan.Actions, state plan.State, now time.Time) {
	actions.DeletePods = slices.DeleteFunc(slices.Clone(actions.DeletePods), func(pod *corev1.Pod) bool {
		if !inplace.Wanted(state.Set) || !inplace.Runs(pod) || len(inplace.Images(pod, nil, &state.Set.Spec.Template)) == 0 {
			return false
		}
		actions.UpdatePods = append(actions.UpdatePods, patchTo(state, pod, state.Set.Status.UpdateRevision, now))
		return true
	})
}

// patchWaiting patches the pods that are to be deleted, which wait for a node, where patches are asked for.
func patchWaiting(actions *plan.Actions, state plan.State, now time.Time) {
	actions.DeletePods = slices.DeleteFunc(slices.Clone(actions.DeletePods), func(pod *corev1.Pod) bool {
		if !inplace.Wanted(state.Set) || pod.Spec.NodeName != "" || len(inplace.Images(pod, nil, &state.Set.Spec.Template)) == 0 {
			return false
		}
		actions.UpdatePods = append(actions.UpdatePods, patchTo(state, pod, state.Set.Status.UpdateRevision, now))
		return true
	})
}

// patchUnknown patches the pods that are to be deleted, and of which no history tells what they were made of.
func patchUnknown(actions *plan.Actions, state plan.State, now time.Time) {
	actions.DeletePods = slices.DeleteFunc(slices.Clone(actions.DeletePods), func(pod *corev1.Pod) bool {
		known := slices.ContainsFunc(state.Revisions, func(r *appsv1.ControllerRevision) bool { return r.Name == pod.Labels[plan.RevisionLabel] })
		if known || !inplace.Wanted(state.Set) || !inplace.Runs(pod) {
			return false
		}
		actions.UpdatePods = append(actions.UpdatePods, patchTo(state, pod, state.Set.Status.UpdateRevision, now))
		return true
	})
}
