package variants

import (
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
	"github.com/rollcall-conformance/rollcall/impl/inplace"
)

// brokenSequences update in place rightly once, and where nothing else goes on.
func brokenSequences() []Variant {
	return []Variant{
		{Name: "patches-what-it-patched-before", Says: "Patches a pod that was updated in place before, whatever changes.", Breaks: []string{"INPLACE-004"},
			Planner: patchInstead(func(_ plan.State, d plan.PodDeletion) bool {
				due := d.Reason == plan.ReasonOutdated || d.Reason == plan.ReasonOldUnavailable
				return due && d.Pod.Annotations[inplace.Record] != "" && inplace.Runs(d.Pod)
			})},
		{Name: "recreates-on-cordoned-nodes", Says: "Recreates pods that it is asked to update in place on nodes that are cordoned.", Breaks: []string{"INPLACE-003"},
			Planner: deleteInstead(func(state plan.State, update plan.PodUpdate) bool {
				return slices.ContainsFunc(state.Nodes, func(node *corev1.Node) bool { return node.Name == update.Node && node.Spec.Unschedulable })
			})},
		{Name: "believes-pods-under-on-delete", Says: "Takes patched pods for Ready by their condition from before once the strategy is OnDelete.", Breaks: []string{"INPLACE-013"},
			Planner: seeing(func(state *plan.State, _ time.Time) {
				if !rolling(*state) {
					changeRecords(state, forget)
				}
			})},
		{Name: "deletes-what-is-refused-again-and-again", Says: "Deletes a pod that the API server has refused to patch five times.", Breaks: []string{"INPLACE-029"},
			Planner: remember(func(m *memory[map[types.UID]int]) Around {
				return deleteInstead(func(state plan.State, update plan.PodUpdate) bool {
					refused := m.of(state)
					if *refused == nil {
						*refused = map[types.UID]int{}
					}
					if _, refused := state.RefusedUpdates[update.Node]; !refused {
						return false
					}
					(*refused)[update.Pod.UID]++
					return (*refused)[update.Pod.UID] > 4
				})
			})},
		{Name: "remembers-one-update-before", Says: "Takes a container that comes late for one of the patches before the last two for that of the latest.", Breaks: []string{"INPLACE-027"},
			Planner: records(func(_ *corev1.Pod, record *updateRecord) bool {
				changeContainers(record, func(_ string, is *updateInstance) {
					if last := len(is.Skipped) - 1; last > 0 {
						is.Skipped = is.Skipped[last:]
					}
				})
				return true
			})},
		{Name: "records-updates-of-ready-pods-alone", Says: "Notes nothing of the containers of a pod that is not Ready when it is patched.", Breaks: []string{"INPLACE-013"},
			Planner: doing(func(actions *plan.Actions, _ plan.State, _ time.Time) {
				for i, update := range actions.UpdatePods {
					if !plan.IsReady(update.Pod) && update.Pod.Annotations[inplace.Record] == "" {
						actions.UpdatePods[i].Annotations = map[string]string{}
					}
				}
			})},
		{Name: "takes-sidecars-for-containers", Says: "Keeps pods whose sidecars (restartable init containers) are to have other images.", Breaks: []string{"INPLACE-005"},
			Planner: patchInstead(func(state plan.State, d plan.PodDeletion) bool {
				from := storedTemplateOf(state, d.Pod)
				if from == nil || !inplace.Runs(d.Pod) || inplace.OnlyImagesDiffer(from, &state.DaemonSet.Spec.Template) {
					return false
				}
				from = from.DeepCopy()
				for i := range from.Spec.InitContainers {
					is, wanted := &from.Spec.InitContainers[i], state.DaemonSet.Spec.Template.Spec.InitContainers
					if i < len(wanted) && is.RestartPolicy != nil && *is.RestartPolicy == corev1.ContainerRestartPolicyAlways {
						is.Image = wanted[i].Image
					}
				}
				return inplace.OnlyImagesDiffer(from, &state.DaemonSet.Spec.Template)
			})},
		{Name: "patches-restarts-away", Says: "Copies a changed template annotation, which asks for a restart, into the pods, and restarts none.", Breaks: []string{"INPLACE-004"},
			Planner: patchInstead(func(state plan.State, d plan.PodDeletion) bool {
				from := storedTemplateOf(state, d.Pod)
				if from == nil || !inplace.Runs(d.Pod) {
					return false
				}
				from = from.DeepCopy()
				from.Annotations = state.DaemonSet.Spec.Template.Annotations
				return inplace.OnlyImagesDiffer(from, &state.DaemonSet.Spec.Template)
			})},
	}
}

// storedTemplateOf is the template that the pod is of; nil if that is not known.
func storedTemplateOf(state plan.State, pod *corev1.Pod) *corev1.PodTemplateSpec {
	revision := slices.IndexFunc(state.Revisions, func(r *appsv1.ControllerRevision) bool {
		return r.Labels[plan.HashLabel] == pod.Labels[plan.HashLabel]
	})
	if revision < 0 {
		return nil
	}
	return plan.StoredTemplate(state.Revisions[revision])
}
