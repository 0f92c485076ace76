package variants

import (
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	daemons "github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
	"github.com/rollcall-conformance/rollcall/impl/united/api"
	"github.com/rollcall-conformance/rollcall/impl/united/plan"
)

// brokenUnitedSlips are right as long as whatever was begun comes to its end.
func brokenUnitedSlips() []Variant {
	return []Variant{
		{Name: "united-leaves-an-empty-node-affinity", Says: "Leaves an empty node affinity in the target that has an affinity to pods.",
			Breaks: []string{"UNITED-034"},
			United: uniting(func(actions *plan.Actions, state plan.State) {
				if actions.UpdateTarget == nil || state.United.DeletionTimestamp == nil {
					return
				}
				if affinity := actions.UpdateTarget.Spec.Template.Spec.Affinity; affinity != nil && affinity.NodeAffinity == nil {
					affinity.NodeAffinity = &corev1.NodeAffinity{}
				}
			})},
		{Name: "united-ends-a-move-that-was-taken-back", Says: "With maxSurge, ends every move that it has begun, also one that is not wanted any more.",
			Breaks: []string{"UNITED-022"}, United: endMoves},
		{Name: "united-writes-after-a-rollout", Says: "Brings a change to the DaemonSet of a subset when its last rollout is over.",
			Breaks: []string{"UNITED-033"},
			United: uniting(func(actions *plan.Actions, state plan.State) {
				actions.Subsets = slices.DeleteFunc(slices.Clone(actions.Subsets), func(write plan.SubsetWrite) bool {
					return slices.ContainsFunc(state.DaemonSets, func(ds *appsv1.DaemonSet) bool { return ds.Name == write.DaemonSet.Name && rollsOut(ds) })
				})
			})},
		{Name: "united-takes-the-hostname-for-the-name", Says: "Selects nodes by name as those with the label kubernetes.io/hostname.",
			Breaks: []string{"UNITED-005"},
			United: seeingUnited(func(united *api.UnitedDaemonSet) {
				for i := range united.Spec.Subsets {
					if selector := &united.Spec.Subsets[i].Selector; len(selector.Names) > 0 {
						*selector = api.Selector{MatchExpressions: []corev1.NodeSelectorRequirement{
							{Key: corev1.LabelHostname, Operator: corev1.NodeSelectorOpIn, Values: selector.Names},
						}}
					}
				}
			})},
		{Name: "united-leaves-nodes-that-repel-the-target", Says: "Gives no subset a node that repels the target's pods, also where its patch tolerates that.",
			Breaks: []string{"UNITED-007"}, United: func(next plan.Planner) plan.Planner { return blind(next, withoutRepelling) }},
		{Name: "united-replaces-the-node-affinity", Says: "Writes its own node affinity in place of the target's, and does not ask for both.",
			Breaks: []string{"UNITED-035"}, United: func(next plan.Planner) plan.Planner { return blind(next, withoutNodeAffinity) }},
	}
}

// withoutNodeAffinity shows a target that asks for no nodes but those of its family.
func withoutNodeAffinity(state *plan.State) {
	keys := homes(*state)
	state.DaemonSets = slices.Clone(state.DaemonSets)
	for i, ds := range state.DaemonSets {
		if ds.Name != state.United.Spec.TargetRef.Name || ds.Spec.Template.Spec.Affinity == nil {
			continue
		}
		template := plan.Ungate(&ds.Spec.Template, keys)
		gated := template != &ds.Spec.Template
		template = template.DeepCopy()
		if affinity := template.Spec.Affinity; affinity != nil {
			affinity.NodeAffinity = nil
		}
		if gated {
			template = plan.Gate(template, keys, plan.Original)
		}
		state.DaemonSets[i] = ds.DeepCopy()
		state.DaemonSets[i].Spec.Template = *template
	}
}

// endMoves keeps the incoming member of a node that it has, and makes it the node's when its pod is available.
func endMoves(next plan.Planner) plan.Planner {
	return func(state plan.State, now time.Time) plan.Actions {
		actions := next(state, now)
		keys := homes(state)
		var all []plan.NodeLabels
		for _, labels := range actions.LabelNodes {
			incoming := labels.Node.Labels[keys.Incoming]
			member := subsetNamed(state, incoming)
			_, home := labels.Labels[keys.Home]
			if to, about := labels.Labels[keys.Incoming]; member == nil || !about || to != nil || home {
				all = append(all, labels)
				continue
			}
			if slices.ContainsFunc(state.Pods, func(pod *corev1.Pod) bool {
				return metav1.IsControlledBy(pod, member) && daemons.TargetNode(pod) == labels.Node.Name && daemons.IsAvailable(pod, member.Spec.MinReadySeconds, now)
			}) {
				all = append(all, plan.NodeLabels{Node: labels.Node, Labels: map[string]*string{keys.Home: &incoming, keys.Incoming: nil}})
			}
		}
		actions.LabelNodes = all
		return actions
	}
}

// subsetNamed returns the DaemonSet of the subset; nil if there is none.
func subsetNamed(state plan.State, name string) *appsv1.DaemonSet {
	for _, ds := range state.DaemonSets {
		if name != "" && ds.Name == plan.DaemonSetName(state.United.Name, name) {
			return ds
		}
	}
	return nil
}

func rollsOut(ds *appsv1.DaemonSet) bool {
	status := ds.Status
	return status.ObservedGeneration < ds.Generation || status.UpdatedNumberScheduled < status.DesiredNumberScheduled ||
		status.NumberAvailable < status.DesiredNumberScheduled
}

// withoutRepelling hides the nodes whose taints the target does not tolerate, and which have none of the family's labels.
func withoutRepelling(state *plan.State) {
	keys := homes(*state)
	for _, ds := range state.DaemonSets {
		if ds.Name != state.United.Spec.TargetRef.Name {
			continue
		}
		target := ds.DeepCopy()
		target.Spec.Template = *plan.Ungate(&ds.Spec.Template, keys)
		state.Nodes = slices.DeleteFunc(slices.Clone(state.Nodes), func(node *corev1.Node) bool {
			runs, _ := daemons.Eligibility(target, node)
			return !runs && node.Labels[keys.Home] == "" && node.Labels[keys.Incoming] == ""
		})
	}
}
