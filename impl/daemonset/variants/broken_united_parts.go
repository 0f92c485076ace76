package variants

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"

	"github.com/rollcall-conformance/rollcall/impl/united/api"
	"github.com/rollcall-conformance/rollcall/impl/united/plan"
)

// brokenUnitedParts obey a part of what a UnitedDaemonSet says, or look at a part of what there is.
func brokenUnitedParts() []Variant {
	return []Variant{
		{Name: "united-loses-nulls", Says: "Loses the fields of a patch that are null, which take the target's away.", Breaks: []string{"UNITED-007"},
			United: seeingUnited(func(united *api.UnitedDaemonSet) {
				for i := range united.Spec.Subsets {
					patch := &united.Spec.Subsets[i].Patch
					patch.Template = withoutNulls(patch.Template)
				}
			})},
		{Name: "united-takes-any-expression", Says: "Gives a subset the nodes that one of its matchExpressions selects.", Breaks: []string{"UNITED-006"},
			United: func(next plan.Planner) plan.Planner { return blind(next, anyExpression) }},
		{Name: "united-lists-the-names-given", Says: "Has the names of a subset's selector for its matchNodes, whether or not there are such nodes.", Breaks: []string{"UNITED-018"},
			United: reportingUnited(listNames)},
		{Name: "united-keeps-the-nodes-of-an-empty-subset", Says: "Reports the nodes that it reported before of a subset that has lost the last of them.",
			Breaks: []string{"UNITED-018"},
			United: reportingUnited(func(status *api.Status, state plan.State) {
				for i, subset := range status.SubsetStatuses {
					for _, before := range state.United.Status.SubsetStatuses {
						if before.Name == subset.Name && len(subset.MatchNodes) == 0 {
							status.SubsetStatuses[i] = before
						}
					}
				}
			})},
		{Name: "united-compares-neighbours", Says: "Says which nodes two subsets select of which one follows the other.", Breaks: []string{"UNITED-037"},
			United: reportingUnited(overlapOfNeighbours)},
		{Name: "united-leaves-labels-without-a-target", Says: "Leaves its labels on the nodes when it goes after its target.", Breaks: []string{"UNITED-020"},
			United: uniting(func(actions *plan.Actions, state plan.State) {
				target := func(ds *appsv1.DaemonSet) bool { return ds.Name == state.United.Spec.TargetRef.Name }
				subset := func(ds *appsv1.DaemonSet) bool { return metav1.IsControlledBy(ds, state.United) }
				if state.United.DeletionTimestamp != nil && !slices.ContainsFunc(state.DaemonSets, target) {
					actions.LabelNodes = nil
					actions.DropFinalizer = slices.Contains(state.United.Finalizers, plan.Finalizer) && !slices.ContainsFunc(state.DaemonSets, subset)
				}
			})},
		{Name: "united-has-one-target-a-namespace", Says: "Takes the first UnitedDaemonSet of a namespace for the one that has the target of any other.", Breaks: []string{"UNITED-015"},
			United: func(next plan.Planner) plan.Planner {
				return blind(next, func(state *plan.State) {
					state.Others = slices.Clone(state.Others)
					for i, other := range state.Others {
						state.Others[i] = other.DeepCopy()
						state.Others[i].Spec.TargetRef.Name = state.United.Spec.TargetRef.Name
					}
				})
			}},
		{Name: "united-replaces-affinities", Says: "Gives the DaemonSets of subsets their node affinity in the place of any affinity to pods.", Breaks: []string{"UNITED-007"},
			United: writing(func(ds *appsv1.DaemonSet, target bool) {
				if affinity := ds.Spec.Template.Spec.Affinity; !target && affinity != nil {
					affinity.PodAffinity, affinity.PodAntiAffinity = nil, nil
				}
			})},
		{Name: "united-paces-each-subset", Says: "Moves as many nodes of each subset at once as the target allows of all.", Breaks: []string{"UNITED-027"},
			United: paceEachSubset},
	}
}

// reportingUnited changes the status. It is written only if it is not the one that there is.
func reportingUnited(change func(status *api.Status, state plan.State)) aroundUnited {
	return uniting(func(actions *plan.Actions, state plan.State) {
		status := actions.Status
		if status == nil {
			status = state.United.Status.DeepCopy()
		}
		change(status, state)
		actions.Status = nil
		if !actions.DropFinalizer && !actions.AddFinalizer && !apiequality.Semantic.DeepEqual(status, &state.United.Status) {
			actions.Status = status
		}
	})
}

func withoutNulls(patch *runtime.RawExtension) *runtime.RawExtension {
	var fields map[string]any
	if patch == nil || json.Unmarshal(patch.Raw, &fields) != nil {
		return patch
	}
	dropNulls(fields)
	// It can be encoded as it was decoded.
	encoded, _ := json.Marshal(fields)
	return &runtime.RawExtension{Raw: encoded}
}

func dropNulls(value any) {
	switch value := value.(type) {
	case map[string]any:
		maps.DeleteFunc(value, func(_ string, field any) bool { return field == nil })
		for _, field := range value {
			dropNulls(field)
		}
	case []any:
		for _, item := range value {
			dropNulls(item)
		}
	}
}

// selectsNode reports whether the selector selects the node.
func selectsNode(selector api.Selector, node *corev1.Node) bool {
	if len(selector.Names) > 0 {
		return slices.Contains(selector.Names, node.Name)
	}
	parsed, err := nodeaffinity.NewNodeSelector(&corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: selector.MatchExpressions}}})
	return err == nil && parsed.Match(node)
}

// selecting are the positions of the subsets that select the node.
func selecting(united *api.UnitedDaemonSet, node *corev1.Node) []int {
	var all []int
	for i, subset := range united.Spec.Subsets {
		if selectsNode(subset.Selector, node) {
			all = append(all, i)
		}
	}
	return all
}

// anyExpression shows subsets with several expressions as ones that name the nodes of each.
func anyExpression(state *plan.State) {
	state.United = state.United.DeepCopy()
	for i := range state.United.Spec.Subsets {
		selector := &state.United.Spec.Subsets[i].Selector
		if len(selector.MatchExpressions) < 2 {
			continue
		}
		var names []string
		for _, node := range state.Nodes {
			if slices.ContainsFunc(selector.MatchExpressions, func(expression corev1.NodeSelectorRequirement) bool {
				return selectsNode(api.Selector{MatchExpressions: []corev1.NodeSelectorRequirement{expression}}, node)
			}) {
				names = append(names, node.Name)
			}
		}
		if len(names) > 0 {
			*selector = api.Selector{Names: names}
		}
	}
}

func listNames(status *api.Status, state plan.State) {
	taken := map[string]bool{}
	for i, subset := range state.United.Spec.Subsets {
		if i >= len(status.SubsetStatuses) {
			return
		}
		if names := subset.Selector.Names; len(names) > 0 {
			names = slices.DeleteFunc(slices.Sorted(slices.Values(names)), func(name string) bool { return taken[name] })
			status.SubsetStatuses[i].MatchNodes = names
		}
		for _, name := range status.SubsetStatuses[i].MatchNodes {
			taken[name] = true
		}
	}
}

func overlapOfNeighbours(status *api.Status, state plan.State) {
	condition := apimeta.FindStatusCondition(status.Conditions, api.Overlapping)
	if condition == nil || condition.Status != metav1.ConditionTrue {
		return
	}
	var lost []string
	for _, node := range state.Nodes {
		by := selecting(state.United, node)
		if len(by) > 1 && by[1] == by[0]+1 && strings.Contains(condition.Message, node.Name) {
			lost = append(lost, fmt.Sprintf("node %s is subset %s's", node.Name, state.United.Spec.Subsets[by[0]].Name))
		}
	}
	condition.Message = strings.Join(lost, "; ")
	if len(lost) == 0 {
		condition.Status, condition.Reason, condition.Message = metav1.ConditionFalse, "Disjoint", "no node is selected by several subsets"
	}
}

// paceEachSubset plans the moves of the nodes of each subset as if there were no others.
func paceEachSubset(next plan.Planner) plan.Planner {
	return func(state plan.State, now time.Time) plan.Actions {
		actions := next(state, now)
		if len(actions.LabelNodes) == 0 || state.United.DeletionTimestamp != nil {
			return actions
		}
		groups := map[int][]*corev1.Node{}
		for _, node := range state.Nodes {
			first := -1
			if by := selecting(state.United, node); len(by) > 0 {
				first = by[0]
			}
			groups[first] = append(groups[first], node)
		}
		actions.LabelNodes = nil
		for _, group := range slices.Sorted(maps.Keys(groups)) {
			state.Nodes = groups[group]
			actions.LabelNodes = append(actions.LabelNodes, next(state, now).LabelNodes...)
		}
		return actions
	}
}
