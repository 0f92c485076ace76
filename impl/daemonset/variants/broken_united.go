package variants

import (
	"maps"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/rollcall-conformance/rollcall/impl/united/api"
	"github.com/rollcall-conformance/rollcall/impl/united/plan"
)

// brokenUnited give nodes of UnitedDaemonSets to the wrong member, or in the wrong way.
func brokenUnited() []Variant {
	without := func(is func(api.Subset) bool) aroundUnited {
		return seeingUnited(func(united *api.UnitedDaemonSet) { united.Spec.Subsets = slices.DeleteFunc(united.Spec.Subsets, is) })
	}
	return []Variant{
		{Name: "united-ignores-names", Says: "Makes nothing of subsets that select nodes by name.", Breaks: []string{"UNITED-005", "UNITED-025"},
			United: without(func(subset api.Subset) bool { return len(subset.Selector.Names) > 0 })},
		{Name: "united-ignores-labels", Says: "Makes nothing of subsets that select nodes by labels.", Breaks: []string{"UNITED-006", "UNITED-015"},
			United: without(func(subset api.Subset) bool { return len(subset.Selector.Names) == 0 })},
		{Name: "united-last-subset-wins", Says: "Gives a node to the last subset that selects it.", Breaks: []string{"UNITED-009", "UNITED-018"},
			United: seeingUnited(func(united *api.UnitedDaemonSet) { slices.Reverse(united.Spec.Subsets) })},
		{Name: "united-gives-away-once", Says: "Leaves a node with the subset that it was given to first.", Breaks: []string{"UNITED-010", "UNITED-021"},
			United: uniting(func(actions *plan.Actions, state plan.State) {
				actions.LabelNodes = slices.DeleteFunc(actions.LabelNodes, func(labels plan.NodeLabels) bool {
					home := labels.Node.Labels[homes(state).Home]
					return home != "" && home != plan.Original && state.United.DeletionTimestamp == nil
				})
			})},
		{Name: "united-empties-nodes", Says: "Takes nodes from the target, and gives them to no subset.", Breaks: []string{"UNITED-005", "UNITED-022"},
			United: uniting(func(actions *plan.Actions, state plan.State) {
				actions.LabelNodes = slices.DeleteFunc(actions.LabelNodes, func(labels plan.NodeLabels) bool {
					to := labels.Labels[homes(state).Home]
					return to != nil && *to != plan.Original
				})
			})},
		{Name: "united-moves-all-at-once", Says: "Moves all nodes at once.", Breaks: []string{"UNITED-027", "UNITED-028"},
			United: movingAs(withStrategy("0", "100%"))},
		{Name: "united-moves-beside", Says: "Gives a node to its new member before the pod of the other is gone.", Breaks: []string{"UNITED-029"},
			United: movingAs(func(state *plan.State) {
				state.Pods = slices.DeleteFunc(slices.Clone(state.Pods), func(pod *corev1.Pod) bool { return pod.DeletionTimestamp != nil })
			})},
		{Name: "united-moves-without-surge", Says: "Moves a node by deleting first where the target surges.", Breaks: []string{"UNITED-027", "UNITED-030"},
			United: movingAs(withStrategy("0", "1"))},
		{Name: "united-moves-with-surge", Says: "Has a node that changes hands run a pod of either member for a while, also where the target does not surge.",
			Breaks: []string{"CROSS-006"}, United: movingAs(withStrategy("1", "0"))},
		{Name: "united-moves-for-nothing", Says: "Moves nodes to a subset whose patch changes nothing.", Breaks: []string{"UNITED-031"},
			United: seeingUnited(func(united *api.UnitedDaemonSet) {
				for i := range united.Spec.Subsets {
					if patch := &united.Spec.Subsets[i].Patch; patch.Template == nil {
						patch.Template = raw(`{"metadata":{"annotations":{"example.org/of-a-subset":"true"}}}`)
					}
				}
			})},
		{Name: "united-goes-by-the-target", Says: "Has every new node run the pod of the target first.", Breaks: []string{"UNITED-040"},
			United: func(next plan.Planner) plan.Planner {
				met := sets.New[types.UID]()
				return uniting(func(actions *plan.Actions, state plan.State) {
					home, original := homes(state).Home, plan.Original
					for _, node := range state.Nodes {
						if node.Labels[home] != "" {
							met.Insert(node.UID)
						}
					}
					actions.LabelNodes = slices.DeleteFunc(actions.LabelNodes, func(labels plan.NodeLabels) bool {
						return labels.Node.Labels[home] == original && unready(state, labels.Node.Name)
					})
					for i, labels := range actions.LabelNodes {
						if !met.Has(labels.Node.UID) && labels.Labels[home] != nil {
							actions.LabelNodes[i].Labels = map[string]*string{home: &original}
						}
					}
				})(next)
			}},
		{Name: "united-shares-a-target", Says: "Does not ask whether another UnitedDaemonSet has the target.", Breaks: []string{"UNITED-036"},
			United: func(next plan.Planner) plan.Planner {
				return blind(next, func(state *plan.State) { state.Others = nil })
			}},
		{Name: "united-takes-orphans-along", Says: "Deletes the DaemonSets of subsets although they are to be orphaned.", Breaks: []string{"UNITED-041"},
			United: uniting(func(actions *plan.Actions, state plan.State) {
				if state.United.DeletionTimestamp == nil || !actions.DropFinalizer {
					return
				}
				actions.Delete = slices.DeleteFunc(slices.Clone(state.DaemonSets), func(ds *appsv1.DaemonSet) bool { return ds.Labels[plan.SubsetLabel] == "" })
			})},
	}
}

// brokenUnitedObjects write the wrong objects for UnitedDaemonSets, or none.
func brokenUnitedObjects() []Variant {
	return []Variant{
		{Name: "united-restarts-for-its-affinity", Says: "Gives the target its affinity without suspending its rollouts.", Breaks: []string{"UNITED-013", "UNITED-034"},
			United: uniting(func(actions *plan.Actions, state plan.State) {
				actions.RelabelPods = nil
				if target := actions.UpdateTarget; target != nil && target.Annotations[plan.StrategyAnnotation] != "" {
					for _, ds := range state.DaemonSets {
						if ds.Name == target.Name {
							target.Annotations, target.Spec.UpdateStrategy = ds.Annotations, ds.Spec.UpdateStrategy
						}
					}
				}
			})},
		{Name: "united-keeps-the-strategy", Says: "Never gives the target its update strategy back.", Breaks: []string{"UNITED-014", "UNITED-032"},
			United: uniting(func(actions *plan.Actions, _ plan.State) {
				if target := actions.UpdateTarget; target != nil && target.Annotations[plan.StrategyAnnotation] == "" {
					actions.UpdateTarget = nil
				}
			})},
		{Name: "united-writes-subsets-once", Says: "Never changes the DaemonSet of a subset.", Breaks: []string{"UNITED-033", "UNITED-041"},
			United: uniting(func(actions *plan.Actions, _ plan.State) {
				actions.Subsets = slices.DeleteFunc(actions.Subsets, func(write plan.SubsetWrite) bool { return write.DaemonSet.ResourceVersion != "" })
			})},
		{Name: "united-leaves-edited-labels", Says: "Puts the spec of a subset's DaemonSet back, and not its labels.", Breaks: []string{"UNITED-041"},
			United: uniting(func(actions *plan.Actions, state plan.State) {
				actions.Subsets = slices.DeleteFunc(actions.Subsets, func(write plan.SubsetWrite) bool {
					return slices.ContainsFunc(state.DaemonSets, func(ds *appsv1.DaemonSet) bool {
						return ds.UID == write.DaemonSet.UID && apiequality.Semantic.DeepEqual(ds.Spec, write.DaemonSet.Spec) && !maps.Equal(ds.Labels, write.DaemonSet.Labels)
					})
				})
			})},
		{Name: "united-keeps-subsets", Says: "Never deletes the DaemonSet of a subset.", Breaks: []string{"UNITED-019", "UNITED-021"},
			United: uniting(func(actions *plan.Actions, _ plan.State) { actions.Delete = nil })},
		{Name: "united-gives-nothing-back", Says: "Lets a deleted UnitedDaemonSet go at once.", Breaks: []string{"UNITED-020", "UNITED-028"},
			United: uniting(func(actions *plan.Actions, state plan.State) {
				if state.United.DeletionTimestamp != nil {
					*actions = plan.Actions{DropFinalizer: slices.Contains(state.United.Finalizers, plan.Finalizer)}
				}
			})},
		{Name: "united-leaves-labels", Says: "Leaves its labels on the nodes when it goes.", Breaks: []string{"UNITED-020"},
			United: func(next plan.Planner) plan.Planner {
				return func(state plan.State, now time.Time) plan.Actions {
					actions := next(state, now)
					moves := func(labels plan.NodeLabels) bool {
						return len(labels.Labels) != 2 || labels.Labels[homes(state).Home] != nil
					}
					if state.United.DeletionTimestamp == nil || slices.ContainsFunc(actions.LabelNodes, moves) {
						return actions
					}
					// What is left of them to take away is as if it had been.
					return blind(next, func(state *plan.State) {
						state.Nodes = slices.Clone(state.Nodes)
						for _, labels := range actions.LabelNodes {
							node := labels.Node.DeepCopy()
							for key := range labels.Labels {
								delete(node.Labels, key)
							}
							state.Nodes[slices.Index(state.Nodes, labels.Node)] = node
						}
					})(state, now)
				}
			}},
		{Name: "united-replaces-lists", Says: "Loses the environment of containers in the DaemonSets of subsets.", Breaks: []string{"UNITED-007"},
			United: writing(func(ds *appsv1.DaemonSet, target bool) {
				for i := range ds.Spec.Template.Spec.Containers {
					if !target {
						ds.Spec.Template.Spec.Containers[i].Env = nil
					}
				}
			})},
		{Name: "united-runs-subsets-anywhere", Says: "Gives the DaemonSets of subsets no node affinity.", Breaks: []string{"UNITED-008"},
			United: writing(func(ds *appsv1.DaemonSet, target bool) {
				if !target {
					ds.Spec.Template.Spec.Affinity = nil
				}
			})},
		{Name: "united-leaves-the-target-anywhere", Says: "Gives the target no node affinity.", Breaks: []string{"UNITED-012"},
			United: writing(func(ds *appsv1.DaemonSet, target bool) {
				if target {
					ds.Spec.Template.Spec.Affinity = nil
				}
			})},
		{Name: "united-shares-selectors", Says: "Gives the DaemonSets of subsets the target's selector.", Breaks: []string{"UNITED-039"},
			United: writing(func(ds *appsv1.DaemonSet, target bool) {
				if !target {
					delete(ds.Spec.Selector.MatchLabels, plan.DaemonSetLabel)
				}
			})},
		{Name: "united-changes-the-target", Says: "Changes more of the target than affinity and strategy.", Breaks: []string{"UNITED-023"},
			United: writing(func(ds *appsv1.DaemonSet, target bool) {
				if limit := int32(3); target {
					ds.Spec.RevisionHistoryLimit = &limit
				}
			})},
		{Name: "united-observes-nothing", Says: "Reports no observed generation.", Breaks: []string{"UNITED-017"},
			United: uniting(func(actions *plan.Actions, _ plan.State) {
				if actions.Status != nil {
					actions.Status.ObservedGeneration = 0
				}
			})},
		{Name: "united-hides-overlaps", Says: "Does not say which nodes several subsets select.", Breaks: []string{"UNITED-037"}, United: withoutCondition(api.Overlapping)},
		{Name: "united-hides-bad-patches", Says: "Does not say that a patch cannot be applied.", Breaks: []string{"UNITED-038"}, United: withoutCondition(api.SubsetsValid)},
		{Name: "united-hides-missing-targets", Says: "Does not say that there is no target.", Breaks: []string{"UNITED-024"}, United: withoutCondition(api.Effective)},
	}
}

// lawfulUnited do with UnitedDaemonSets otherwise what is left open.
func lawfulUnited() []Variant {
	const open = "no requirement says how fast, in which order, or by which writes"
	return []Variant{
		{Name: "united-one-node-a-pass", Says: "Changes the labels of one node in a pass.", Lawful: open,
			United: uniting(func(actions *plan.Actions, _ plan.State) {
				if len(actions.LabelNodes) > 1 {
					actions.LabelNodes, actions.DropFinalizer = actions.LabelNodes[:1], false
				}
			})},
		{Name: "united-last-node-first", Says: "Moves the last nodes first.", Lawful: open,
			United: movingAs(func(state *plan.State) {
				state.Nodes = slices.Clone(state.Nodes)
				slices.Reverse(state.Nodes)
			})},
		{Name: "united-restores-when-settled", Says: "Gives the strategy back only when no node is to be moved.", Lawful: open,
			United: uniting(func(actions *plan.Actions, _ plan.State) {
				if target := actions.UpdateTarget; target != nil && target.Annotations[plan.StrategyAnnotation] == "" && len(actions.LabelNodes) > 0 {
					actions.UpdateTarget = nil
				}
			})},
		{Name: "united-one-subset-a-pass", Says: "Writes the DaemonSet of one subset in a pass.", Lawful: open,
			United: uniting(func(actions *plan.Actions, _ plan.State) {
				if len(actions.Subsets) > 1 {
					actions.Subsets, actions.Status, actions.DropFinalizer, actions.Again = actions.Subsets[:1], nil, false, 100*time.Millisecond
				}
			})},
		{Name: "united-generation-last", Says: "Reports everything else first, and in a write of its own that the generation has been observed.", Lawful: open,
			United: uniting(func(actions *plan.Actions, state plan.State) {
				if actions.Status == nil {
					return
				}
				first := *actions.Status
				first.ObservedGeneration = state.United.Status.ObservedGeneration
				if !apiequality.Semantic.DeepEqual(first, state.United.Status) {
					actions.Status, actions.Again = &first, 100*time.Millisecond
				}
			})},
		{Name: "united-reports-last", Says: "Writes the status only when there is nothing else to do.", Lawful: open,
			United: uniting(func(actions *plan.Actions, _ plan.State) {
				if len(actions.LabelNodes)+len(actions.Subsets)+len(actions.RelabelPods)+len(actions.Delete) > 0 || actions.UpdateTarget != nil {
					actions.Status = nil
				}
			})},
		{Name: "united-one-kind-a-pass", Says: "Labels nodes only when nothing else is to be written.", Lawful: open,
			United: uniting(func(actions *plan.Actions, _ plan.State) {
				if len(actions.Subsets)+len(actions.RelabelPods)+len(actions.Delete) > 0 || actions.UpdateTarget != nil {
					actions.LabelNodes = nil
				}
			})},
	}
}
