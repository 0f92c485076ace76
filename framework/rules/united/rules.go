// Package united holds the rules about UnitedDaemonSets: what the family's DaemonSets may cost a node together.
package united

import (
	"cmp"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// Rules returns all of the package.
func Rules() []judge.Rule { return []judge.Rule{OneMember(), Pace()} }

// needs are the kinds without which nothing can be decided.
func needs() []history.Kind {
	return []history.Kind{history.KindPod, history.KindDaemonSet, history.KindNode, history.KindUnitedDaemonSet}
}

// families follows which DaemonSets are of one family. They stay so when the UnitedDaemonSet goes before them.
type families struct {
	// of has the target's UID by DaemonSet, the target's own included.
	of map[types.UID]types.UID
	// meddled: the harness has written to what is the implementation's to write, so that nothing more is held against anybody.
	meddled bool
}

func newFamilies() families { return families{of: map[types.UID]types.UID{}} }

// learn takes a step in.
func (f *families) learn(s *judge.Scene) {
	if stimulus := s.Change.Stimulus; stimulus != nil {
		switch stimulus.Act {
		case history.EditNode, history.TaintNode, history.DeletePod, history.EvictPod:
			f.meddled = true
		case history.UpdateDaemonSet, history.DeleteDaemonSet:
			target, member := f.of[stimulus.UID]
			f.meddled = f.meddled || member && target != stimulus.UID
		}
		return
	}
	f.meddled = f.meddled || f.opened(s)
	if s.Change.Kind != history.KindUnitedDaemonSet && s.Change.Kind != history.KindDaemonSet {
		return
	}
	for _, united := range s.Cluster.United() {
		family := s.Cluster.FamilyOf(united)
		if family.Target == nil {
			continue
		}
		for _, member := range family.Members() {
			if _, known := f.of[member.UID]; !known {
				f.of[member.UID] = family.Target.UID
			}
		}
	}
}

// opened reports whether somebody but the implementation takes away what keeps the pods of a family's target from nodes: it may be what the implementation wrote there,
// and until it has written that again the target's pods belong on nodes of subsets.
func (f *families) opened(s *judge.Scene) bool {
	is, isDaemonSet := s.Change.Object.(*appsv1.DaemonSet)
	before, existed := s.Change.Before.(*appsv1.DaemonSet)
	if !isDaemonSet || !existed || f.of[is.UID] != is.UID || s.ByImplementation() {
		return false
	}
	asked := nodeRequirements(is)
	return slices.ContainsFunc(nodeRequirements(before), func(before corev1.NodeSelectorRequirement) bool {
		return !slices.ContainsFunc(asked, func(is corev1.NodeSelectorRequirement) bool { return apiequality.Semantic.DeepEqual(before, is) })
	})
}

// nodeRequirements are what the terms of the DaemonSet's required node affinity ask of nodes, all together.
func nodeRequirements(ds *appsv1.DaemonSet) []corev1.NodeSelectorRequirement {
	affinity := ds.Spec.Template.Spec.Affinity
	if affinity == nil || affinity.NodeAffinity == nil || affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution == nil {
		return nil
	}
	var all []corev1.NodeSelectorRequirement
	for _, term := range affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms {
		all = slices.Concat(all, term.MatchExpressions, term.MatchFields)
	}
	return all
}

// familyOf returns the target's UID of the pod's family; empty if it has none.
func (f *families) familyOf(pod *corev1.Pod) types.UID {
	if owner := metav1.GetControllerOf(pod); owner != nil {
		return f.of[owner.UID]
	}
	return ""
}

// on returns the live pods of the family on the node.
func (f *families) on(s *judge.Scene, family types.UID, node string) []*corev1.Pod {
	var pods []*corev1.Pod
	for member, of := range f.of {
		if of == family {
			pods = append(pods, slices.DeleteFunc(s.Cluster.PodsOn(member, node), func(pod *corev1.Pod) bool { return !history.IsLive(pod) })...)
		}
	}
	slices.SortFunc(pods, func(a, b *corev1.Pod) int {
		return cmp.Or(a.CreationTimestamp.Compare(b.CreationTimestamp.Time), cmp.Compare(a.Name, b.Name))
	})
	return pods
}
