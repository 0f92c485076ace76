package plan

import (
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/impl/united/api"
)

// Plan is the reference's Planner.
func Plan(state State, now time.Time) Actions {
	united := state.United
	held := begun(united)
	deleted := united.DeletionTimestamp != nil
	switch {
	case deleted && !held:
		return Actions{}
	case deleted && (orphaning(state) || rival(state) != nil):
		return Actions{DropFinalizer: true}
	}
	f := newFamily(state, now)
	var actions Actions
	switch {
	case rival(state) != nil:
		f.target = nil
	case f.target == nil && deleted:
		return f.abandon()
	case f.target == nil:
	case !held:
		return Actions{AddFinalizer: true}
	default:
		actions = f.act()
	}
	if !actions.DropFinalizer {
		actions.Status = f.status()
	}
	return actions
}

// act plans everything but the status, of which a UnitedDaemonSet that ends has none.
func (f *family) act() Actions {
	var actions Actions
	actions.Subsets, actions.Delete = f.planSubsets()
	actions.UpdateTarget, actions.RelabelPods = f.planTarget()
	if f.dissolving && f.isFree() && len(f.members) == 1 {
		// Only the strategy may be left to give back.
		_, suspended := f.target.Annotations[StrategyAnnotation]
		actions.LabelNodes = f.unlabel()
		actions.DropFinalizer = !suspended && len(actions.RelabelPods) == 0 && len(actions.LabelNodes) == 0
		return actions
	}
	actions.LabelNodes, actions.Again = f.moves(), f.again()
	return actions
}

// abandon ends a UnitedDaemonSet whose target is gone.
func (f *family) abandon() Actions {
	var actions Actions
	for _, ds := range f.members {
		if ds.DeletionTimestamp == nil {
			actions.Delete = append(actions.Delete, ds)
		}
	}
	actions.LabelNodes = f.unlabel()
	actions.DropFinalizer = len(f.members) == 0 && len(actions.LabelNodes) == 0
	return actions
}

// unlabel takes the family's labels from all nodes.
func (f *family) unlabel() []NodeLabels {
	var all []NodeLabels
	for _, node := range f.Nodes {
		_, home := node.Labels[f.keys.Home]
		_, incoming := node.Labels[f.keys.Incoming]
		if home || incoming {
			all = append(all, NodeLabels{Node: node, Labels: map[string]*string{f.keys.Home: nil, f.keys.Incoming: nil}})
		}
	}
	return all
}

// orphaning reports whether the UnitedDaemonSet is to go and leave what it made behind. The garbage collector takes the owner from the DaemonSets, and
// then its finalizer from the owner.
func orphaning(state State) bool {
	if slices.Contains(state.United.Finalizers, metav1.FinalizerOrphanDependents) {
		return true
	}
	for _, ds := range state.DaemonSets {
		subset := ds.Labels[SubsetLabel]
		if subset != "" && ds.Name == DaemonSetName(state.United.Name, subset) && !controlled(ds.OwnerReferences, state.United) {
			return true
		}
	}
	return false
}

func controlled(owners []metav1.OwnerReference, by *api.UnitedDaemonSet) bool {
	return slices.ContainsFunc(owners, func(owner metav1.OwnerReference) bool { return owner.UID == by.UID })
}
