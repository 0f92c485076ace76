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
	"k8s.io/apimachinery/pkg/types"

	"github.com/rollcall-conformance/rollcall/impl/united/api"
	"github.com/rollcall-conformance/rollcall/impl/united/plan"
)

// brokenUnitedAgain identify subsets, nodes and targets by what a later one may have, too.
func brokenUnitedAgain() []Variant {
	return []Variant{
		{Name: "united-knows-subsets-by-their-place", Says: "Identifies a subset by its position, so that one that is moved gets another DaemonSet.", Breaks: []string{"UNITED-031"},
			United: byPlace},
		{Name: "united-takes-not-in-for-one-of-others", Says: "Does not match nodes without the label by NotIn.", Breaks: []string{"UNITED-006"},
			United: seeingUnited(func(united *api.UnitedDaemonSet) {
				for i := range united.Spec.Subsets {
					selector := &united.Spec.Subsets[i].Selector
					for _, expression := range slices.Clone(selector.MatchExpressions) {
						if expression.Operator == corev1.NodeSelectorOpNotIn {
							selector.MatchExpressions = append(selector.MatchExpressions, corev1.NodeSelectorRequirement{Key: expression.Key, Operator: corev1.NodeSelectorOpExists})
						}
					}
				}
			})},
		{Name: "united-knows-nodes-by-name", Says: "Does not label a node that is created again under a name that it has labelled.", Breaks: []string{"UNITED-022"}, United: nodesByName},
		{Name: "united-knows-the-target-by-uid", Says: "Treats a target that is created again as missing.", Breaks: []string{"UNITED-024"}, United: targetByUID},
		{Name: "united-makes-no-subset-twice", Says: "Makes no DaemonSet for a subset that has the name of a removed one.", Breaks: []string{"UNITED-015"}, United: noSubsetTwice},
		{Name: "united-leaves-cordoned-nodes", Says: "Moves no node that is cordoned.", Breaks: []string{"UNITED-006"},
			United: uniting(func(actions *plan.Actions, state plan.State) {
				actions.LabelNodes = slices.DeleteFunc(slices.Clone(actions.LabelNodes), func(labels plan.NodeLabels) bool {
					return labels.Node.Spec.Unschedulable && labels.Node.Labels[homes(state).Home] != "" && state.United.DeletionTimestamp == nil
				})
			})},
		{Name: "united-paces-by-readiness", Says: "Moves the next node when the pod of the one before is Ready, before minReadySeconds are over.", Breaks: []string{"UNITED-027"},
			United: movingAs(withoutMinReadySeconds)},
	}
}

// withoutMinReadySeconds has every DaemonSet be seen without minReadySeconds.
func withoutMinReadySeconds(state *plan.State) {
	state.DaemonSets = slices.Clone(state.DaemonSets)
	for i, ds := range state.DaemonSets {
		state.DaemonSets[i] = ds.DeepCopy()
		state.DaemonSets[i].Spec.MinReadySeconds = 0
	}
}

// byPlace plans for subsets that are named by their places, and reports their own names.
func byPlace(next plan.Planner) plan.Planner {
	return func(state plan.State, now time.Time) plan.Actions {
		stored := state.United
		state.United = stored.DeepCopy()
		var names []string
		for i := range state.United.Spec.Subsets {
			subset, place := &state.United.Spec.Subsets[i], fmt.Sprintf("place-%d", i)
			names = append(names, place, subset.Name)
			subset.Name = place
		}
		actions := next(state, now)
		if actions.Status == nil {
			return actions
		}
		status, own := actions.Status, strings.NewReplacer(names...)
		for i := range status.SubsetStatuses {
			status.SubsetStatuses[i].Name = own.Replace(status.SubsetStatuses[i].Name)
		}
		for i, condition := range status.Conditions {
			status.Conditions[i].Message = own.Replace(condition.Message)
			for _, before := range stored.Status.Conditions {
				if before.Type == condition.Type && before.Status == condition.Status {
					status.Conditions[i].LastTransitionTime = before.LastTransitionTime
				}
			}
		}
		if apiequality.Semantic.DeepEqual(*status, stored.Status) {
			actions.Status = nil
		}
		return actions
	}
}

// firsts are the UIDs that were first seen of things, by a name. All UnitedDaemonSets are planned for one after the other, but in no order.
type firsts struct {
	mu  sync.Mutex
	all map[string]types.UID
}

// first returns the UID that was first seen under the name.
func (f *firsts) first(name string, uid types.UID) types.UID {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.all == nil {
		f.all = map[string]types.UID{}
	}
	if _, seen := f.all[name]; !seen {
		f.all[name] = uid
	}
	return f.all[name]
}

func nodesByName(next plan.Planner) plan.Planner {
	var labelled firsts
	return uniting(func(actions *plan.Actions, state plan.State) {
		actions.LabelNodes = slices.DeleteFunc(slices.Clone(actions.LabelNodes), func(labels plan.NodeLabels) bool {
			return labelled.first(string(state.United.UID)+labels.Node.Name, labels.Node.UID) != labels.Node.UID
		})
	})(next)
}

func targetByUID(next plan.Planner) plan.Planner {
	var targets firsts
	return blind(next, func(state *plan.State) {
		state.DaemonSets = slices.DeleteFunc(slices.Clone(state.DaemonSets), func(ds *appsv1.DaemonSet) bool {
			return ds.Name == state.United.Spec.TargetRef.Name && targets.first(string(state.United.UID), ds.UID) != ds.UID
		})
	})
}

func noSubsetTwice(next plan.Planner) plan.Planner {
	var removed firsts
	return uniting(func(actions *plan.Actions, _ plan.State) {
		for _, ds := range actions.Delete {
			removed.first(ds.Name, ds.UID)
		}
		actions.Subsets = slices.DeleteFunc(slices.Clone(actions.Subsets), func(write plan.SubsetWrite) bool {
			// Of one that was not removed there is none before.
			return write.DaemonSet.ResourceVersion == "" && removed.has(write.DaemonSet.Name)
		})
	})(next)
}

// has reports whether a UID was seen under the name.
func (f *firsts) has(name string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	_, seen := f.all[name]
	return seen
}
