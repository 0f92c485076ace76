package history

import (
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
)

// KindUnitedDaemonSet is that of rollcall.dev, which an implementation has to serve that claims the feature.
const KindUnitedDaemonSet Kind = "UnitedDaemonSet.rollcall.dev"

// UnitedGroupVersion is that of UnitedDaemonSets.
func UnitedGroupVersion() schema.GroupVersion {
	return schema.GroupVersion{Group: "rollcall.dev", Version: "v1alpha1"}
}

// UnitedDaemonSet is one DaemonSet that is different on subsets of the nodes: see fixtures/crds/uniteddaemonsets.yaml.
type UnitedDaemonSet struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`
	Spec              UnitedSpec   `json:"spec,omitzero"`
	Status            UnitedStatus `json:"status,omitzero"`
}

// UnitedSpec is what is asked for.
type UnitedSpec struct {
	TargetRef UnitedTarget   `json:"targetRef,omitzero"`
	Subsets   []UnitedSubset `json:"subsets,omitempty"`
}

// UnitedTarget names the target.
type UnitedTarget struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Name       string `json:"name"`
}

// UnitedSubset is a set of nodes, and what is different there.
type UnitedSubset struct {
	Name     string         `json:"name"`
	Selector UnitedSelector `json:"selector,omitzero"`
	Patch    UnitedPatch    `json:"patch,omitzero"`
}

// UnitedSelector selects nodes by exactly one of its fields.
type UnitedSelector struct {
	Names            []string                         `json:"names,omitempty"`
	MatchExpressions []corev1.NodeSelectorRequirement `json:"matchExpressions,omitempty"`
}

// UnitedPatch is a strategic merge patch of the target.
type UnitedPatch struct {
	Template *runtime.RawExtension `json:"template,omitempty"`
}

// UnitedStatus is what the implementation reports.
type UnitedStatus struct {
	ObservedGeneration int64                `json:"observedGeneration,omitempty"`
	SubsetStatuses     []UnitedSubsetStatus `json:"subsetStatuses,omitempty"`
	Conditions         []metav1.Condition   `json:"conditions,omitempty"`
}

// UnitedSubsetStatus is what it reports of one subset.
type UnitedSubsetStatus struct {
	Name                   string   `json:"name"`
	DesiredNumberScheduled int32    `json:"desiredNumberScheduled"`
	NumberMisscheduled     int32    `json:"numberMisscheduled"`
	MatchNodes             []string `json:"matchNodes,omitempty"`
}

// DeepCopyObject implements runtime.Object.
func (u *UnitedDaemonSet) DeepCopyObject() runtime.Object {
	into := &UnitedDaemonSet{TypeMeta: u.TypeMeta, ObjectMeta: *u.ObjectMeta.DeepCopy(), Spec: u.Spec, Status: u.Status}
	into.Spec.Subsets = slices.Clone(u.Spec.Subsets)
	for i := range into.Spec.Subsets {
		subset := &into.Spec.Subsets[i]
		subset.Selector.Names, subset.Selector.MatchExpressions = slices.Clone(subset.Selector.Names), slices.Clone(subset.Selector.MatchExpressions)
		for j := range subset.Selector.MatchExpressions {
			subset.Selector.MatchExpressions[j].Values = slices.Clone(subset.Selector.MatchExpressions[j].Values)
		}
		subset.Patch.Template = subset.Patch.Template.DeepCopy()
	}
	into.Status.SubsetStatuses, into.Status.Conditions = slices.Clone(u.Status.SubsetStatuses), slices.Clone(u.Status.Conditions)
	for i := range into.Status.SubsetStatuses {
		into.Status.SubsetStatuses[i].MatchNodes = slices.Clone(into.Status.SubsetStatuses[i].MatchNodes)
	}
	return into
}

// UnitedDaemonSetList is a list of them.
type UnitedDaemonSetList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitzero"`
	Items           []UnitedDaemonSet `json:"items"`
}

// DeepCopyObject implements runtime.Object.
func (l *UnitedDaemonSetList) DeepCopyObject() runtime.Object {
	into := &UnitedDaemonSetList{TypeMeta: l.TypeMeta, ListMeta: *l.ListMeta.DeepCopy()}
	for i := range l.Items {
		into.Items = append(into.Items, *l.Items[i].DeepCopyObject().(*UnitedDaemonSet))
	}
	return into
}

func inertUnited() *UnitedDaemonSet {
	meta := inertMeta()
	return &UnitedDaemonSet{ObjectMeta: meta, Spec: UnitedSpec{TargetRef: UnitedTarget{APIVersion: "apps/v1", Kind: "DaemonSet", Name: meta.Name}}}
}

// Selects reports whether the selector selects the node.
func (s UnitedSelector) Selects(node *corev1.Node) bool {
	if len(s.Names) > 0 {
		return slices.Contains(s.Names, node.Name)
	}
	selector, err := nodeaffinity.NewNodeSelector(&corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: s.MatchExpressions}}})
	return err == nil && selector.Match(node)
}

// Asks reports whether the selector asks for a label of that key.
func (s UnitedSelector) Asks(key string) bool {
	return slices.ContainsFunc(s.MatchExpressions, func(requirement corev1.NodeSelectorRequirement) bool { return requirement.Key == key })
}

// SubsetOf returns the first subset that selects the node; nil if none does.
func (u *UnitedDaemonSet) SubsetOf(node *corev1.Node) *UnitedSubset {
	for i := range u.Spec.Subsets {
		if u.Spec.Subsets[i].Selector.Selects(node) {
			return &u.Spec.Subsets[i]
		}
	}
	return nil
}

// Family are the DaemonSets of a UnitedDaemonSet.
type Family struct {
	// Target is nil if there is none.
	Target *appsv1.DaemonSet
	// Subsets are those that the UnitedDaemonSet controls, by name.
	Subsets []*appsv1.DaemonSet
}

// FamilyOf returns the UnitedDaemonSet's DaemonSets that exist.
func (c *Cluster) FamilyOf(united *UnitedDaemonSet) Family {
	var family Family
	for _, ds := range c.DaemonSets {
		switch {
		case ds.Namespace != united.Namespace:
		case ds.Name == united.Spec.TargetRef.Name:
			family.Target = ds
		case metav1.IsControlledBy(ds, united):
			family.Subsets = append(family.Subsets, ds)
		}
	}
	slices.SortFunc(family.Subsets, func(a, b *appsv1.DaemonSet) int {
		if a.Name < b.Name {
			return -1
		}
		return 1
	})
	return family
}

// Members are all of the family.
func (f Family) Members() []*appsv1.DaemonSet {
	if f.Target == nil {
		return f.Subsets
	}
	return append([]*appsv1.DaemonSet{f.Target}, f.Subsets...)
}

// United returns the UnitedDaemonSets that exist, by name.
func (c *Cluster) United() []*UnitedDaemonSet {
	var all []*UnitedDaemonSet
	for _, object := range c.objects[KindUnitedDaemonSet] {
		if united, ok := object.(*UnitedDaemonSet); ok {
			all = append(all, united)
		}
	}
	slices.SortFunc(all, func(a, b *UnitedDaemonSet) int {
		if a.Name < b.Name {
			return -1
		}
		return 1
	})
	return all
}
