package variants

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/strategicpatch"

	"github.com/rollcall-conformance/rollcall/impl/united/api"
	"github.com/rollcall-conformance/rollcall/impl/united/plan"
)

// brokenUnitedTurns go wrong where one change of a UnitedDaemonSet meets another.
func brokenUnitedTurns() []Variant {
	return []Variant{
		{Name: "united-moves-through-the-target", Says: "Gives a node that goes from one subset to another to the target in between.", Breaks: []string{"UNITED-040"},
			United: throughTheTarget},
		{Name: "united-clears-up-before-it-creates", Says: "Makes no DaemonSet for a new subset while that of a removed one is there.",
			Breaks: []string{"UNITED-040"}, United: clearUpFirst},
		{Name: "united-keeps-what-patches-set", Says: "Keeps in the pods of a subset what an earlier patch has set and the present one does not.",
			Breaks: []string{"UNITED-033"}, United: keepPatches},
		{Name: "united-gives-back-without-surge", Says: "Gives nodes back by deleting first where the target surges, once the UnitedDaemonSet is deleted.",
			Breaks: []string{"UNITED-028", "UNITED-030"},
			United: movingAs(func(state *plan.State) {
				if state.United.DeletionTimestamp != nil {
					withStrategy("0", "1")(state)
				}
			})},
		{Name: "united-scales-by-all-nodes", Says: "Takes a percentage of maxUnavailable of all nodes of the cluster.", Breaks: []string{"UNITED-027"},
			United: movingAs(scaleByAllNodes)},
		{Name: "united-takes-over-early", Says: "Takes a target over from another UnitedDaemonSet that is being deleted.", Breaks: []string{"UNITED-036"},
			United: func(next plan.Planner) plan.Planner {
				return blind(next, func(state *plan.State) {
					state.Others = slices.DeleteFunc(slices.Clone(state.Others), func(other *api.UnitedDaemonSet) bool { return other.DeletionTimestamp != nil })
				})
			}},
		{Name: "united-compares-ages-in-seconds", Says: "Has the name decide of two UnitedDaemonSets of one second, also when one of them is in effect.",
			Breaks: []string{"UNITED-036"}, United: func(next plan.Planner) plan.Planner { return blind(next, begunAlike) }},
		{Name: "united-deletes-subsets-before-their-last-pods", Says: "Deletes the DaemonSet of a subset that is to go once no node is labelled for it, although pods of it are there.",
			Breaks: []string{"UNITED-029"}, United: uniting(deleteBeforeLastPods)},
		{Name: "united-finishes-moves-first", Says: "Changes the template of no subset while nodes are to be moved.", Breaks: []string{"UNITED-033"},
			United: uniting(func(actions *plan.Actions, state plan.State) {
				if apimeta.IsStatusConditionFalse(state.United.Status.Conditions, api.Settled) {
					actions.Subsets = slices.DeleteFunc(actions.Subsets, func(write plan.SubsetWrite) bool { return write.DaemonSet.ResourceVersion != "" })
				}
			})},
		{Name: "united-gives-up-on-bad-patches", Says: "Gives the nodes of a subset back whose patch cannot be applied any more.", Breaks: []string{"UNITED-038"},
			United: giveUpOnBadPatches},
		{Name: "united-opens-the-target-early", Says: "Takes the target's affinity away while the last nodes are still on their way back.", Breaks: []string{"UNITED-029"},
			United: uniting(openEarly)},
	}
}

// throughTheTarget gives a node to the target that comes from a subset and is to go to another one, until it has a Ready pod there.
func throughTheTarget(next plan.Planner) plan.Planner {
	from := map[types.UID]string{}
	original := plan.Original
	return uniting(func(actions *plan.Actions, state plan.State) {
		home := homes(state).Home
		for _, node := range state.Nodes {
			if value := node.Labels[home]; value != "" {
				from[node.UID] = value
			}
		}
		actions.LabelNodes = slices.DeleteFunc(actions.LabelNodes, func(labels plan.NodeLabels) bool {
			return labels.Node.Labels[home] == original && unready(state, labels.Node.Name)
		})
		for i, labels := range actions.LabelNodes {
			to, was := labels.Labels[home], from[labels.Node.UID]
			if labels.Node.Labels[home] == "" && to != nil && *to != original && was != "" && was != original && was != *to {
				actions.LabelNodes[i].Labels = map[string]*string{home: &original}
			}
		}
	})(next)
}

// scaleByAllNodes shows the target's percentage of maxUnavailable as a number of the cluster's nodes.
func scaleByAllNodes(state *plan.State) {
	for _, ds := range state.DaemonSets {
		rolling := ds.Spec.UpdateStrategy.RollingUpdate
		if ds.Name != state.United.Spec.TargetRef.Name || rolling == nil || rolling.MaxUnavailable == nil || rolling.MaxUnavailable.Type != intstr.String {
			continue
		}
		number := intstr.FromInt(scaled(rolling.MaxUnavailable, len(state.Nodes), true))
		withStrategy("0", number.String())(state)
		return
	}
}

// giveUpOnBadPatches moves nodes as if the subsets that the status calls invalid were not there.
func giveUpOnBadPatches(next plan.Planner) plan.Planner {
	return func(state plan.State, now time.Time) plan.Actions {
		actions := next(state, now)
		invalid := apimeta.FindStatusCondition(state.United.Status.Conditions, api.SubsetsValid)
		if invalid == nil || invalid.Status != metav1.ConditionFalse {
			return actions
		}
		state.United = state.United.DeepCopy()
		state.United.Spec.Subsets = slices.DeleteFunc(state.United.Spec.Subsets, func(subset api.Subset) bool {
			return strings.Contains(invalid.Message, "subset "+subset.Name+":")
		})
		without := next(state, now)
		actions.LabelNodes, actions.Delete = without.LabelNodes, without.Delete
		return actions
	}
}

// openEarly frees the target as soon as no node has the label of a subset.
func openEarly(actions *plan.Actions, state plan.State) {
	keys := homes(state)
	ofSubset := func(labels map[string]string) bool {
		return labels[keys.Incoming] != "" || labels[keys.Home] != "" && labels[keys.Home] != plan.Original
	}
	if state.United.DeletionTimestamp == nil || actions.UpdateTarget != nil {
		return
	}
	for _, node := range state.Nodes {
		if ofSubset(node.Labels) {
			return
		}
	}
	for _, ds := range state.DaemonSets {
		free := plan.Ungate(&ds.Spec.Template, keys)
		if ds.Name != state.United.Spec.TargetRef.Name || free == &ds.Spec.Template {
			continue
		}
		target := ds.DeepCopy()
		target.Spec.Template = *free
		if target.Spec.UpdateStrategy.Type != appsv1.OnDeleteDaemonSetStrategyType {
			// What is numbers and strings can be encoded.
			kept, _ := json.Marshal(target.Spec.UpdateStrategy)
			metav1.SetMetaDataAnnotation(&target.ObjectMeta, plan.StrategyAnnotation, string(kept))
			target.Spec.UpdateStrategy = appsv1.DaemonSetUpdateStrategy{Type: appsv1.OnDeleteDaemonSetStrategyType}
		}
		actions.UpdateTarget = target
	}
}

// clearUpFirst plans without the subsets that have no DaemonSet yet, while there is one of a subset that was removed. The status is that of all.
func clearUpFirst(next plan.Planner) plan.Planner {
	return func(state plan.State, now time.Time) plan.Actions {
		whole := next(state, now)
		made, wanted := map[string]bool{}, map[string]bool{}
		for _, subset := range state.United.Spec.Subsets {
			wanted[subset.Name] = true
		}
		removed := false
		for _, ds := range state.DaemonSets {
			if subset := ds.Labels[plan.SubsetLabel]; subset != "" && metav1.IsControlledBy(ds, state.United) {
				made[subset] = true
				removed = removed || !wanted[subset]
			}
		}
		if !removed || state.United.DeletionTimestamp != nil {
			return whole
		}
		state.United = state.United.DeepCopy()
		state.United.Spec.Subsets = slices.DeleteFunc(state.United.Spec.Subsets, func(subset api.Subset) bool { return !made[subset.Name] })
		actions := next(state, now)
		actions.Status = whole.Status
		return actions
	}
}

// keepPatches applies every patch of a subset over those before it.
func keepPatches(next plan.Planner) plan.Planner {
	var mu sync.Mutex
	before := map[string][]byte{}
	return seeingUnited(func(united *api.UnitedDaemonSet) {
		mu.Lock()
		defer mu.Unlock()
		for i := range united.Spec.Subsets {
			subset := &united.Spec.Subsets[i]
			key := string(united.UID) + subset.Name
			merged := []byte("{}")
			if subset.Patch.Template != nil {
				merged = subset.Patch.Template.Raw
			}
			if before[key] != nil {
				// What cannot be merged is refused as it is.
				if both, err := strategicpatch.StrategicMergePatch(before[key], merged, corev1.PodTemplateSpec{}); err == nil {
					merged = both
				}
			}
			before[key] = merged
			subset.Patch.Template = &runtime.RawExtension{Raw: merged}
		}
	})(next)
}

// begunAlike shows every UnitedDaemonSet as far begun as the planned one.
func begunAlike(state *plan.State) {
	state.Others = slices.Clone(state.Others)
	for i, other := range state.Others {
		state.Others[i] = other.DeepCopy()
		state.Others[i].Finalizers = state.United.Finalizers
	}
}

// deleteBeforeLastPods looks at the labels of nodes alone.
func deleteBeforeLastPods(actions *plan.Actions, state plan.State) {
	keys, used := homes(state), sets.New[string]()
	if state.United.DeletionTimestamp == nil {
		for _, subset := range state.United.Spec.Subsets {
			used.Insert(subset.Name)
		}
	}
	for _, node := range state.Nodes {
		used.Insert(node.Labels[keys.Home], node.Labels[keys.Incoming])
	}
	for _, ds := range state.DaemonSets {
		if metav1.IsControlledBy(ds, state.United) && ds.DeletionTimestamp == nil && !used.Has(ds.Labels[plan.SubsetLabel]) && !slices.Contains(actions.Delete, ds) {
			actions.Delete = append(actions.Delete, ds)
		}
	}
}
