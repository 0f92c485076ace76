// Package api holds the types of UnitedDaemonSet, whose schema is fixtures/crds/uniteddaemonsets.yaml.
package api

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// GroupVersion is that of UnitedDaemonSets.
var GroupVersion = schema.GroupVersion{Group: "rollcall.dev", Version: "v1alpha1"}

// Kind is that of UnitedDaemonSets.
const Kind = "UnitedDaemonSet"

// UnitedDaemonSet makes one DaemonSet different on subsets of the nodes.
type UnitedDaemonSet struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`
	Spec              Spec   `json:"spec,omitzero"`
	Status            Status `json:"status,omitzero"`
}

// Spec is what is asked for.
type Spec struct {
	// TargetRef is the DaemonSet, in the same namespace. It does not change.
	TargetRef TargetRef `json:"targetRef,omitzero"`
	// Subsets are where the target is different. Of several that select a node the first has it.
	Subsets []Subset `json:"subsets,omitempty"`
}

// TargetRef names a DaemonSet of apps/v1.
type TargetRef struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Name       string `json:"name"`
}

// Subset is a set of nodes, and what is different there.
type Subset struct {
	// Name is a DNS label, unique within the UnitedDaemonSet.
	Name string `json:"name"`
	// Selector of the nodes.
	Selector Selector `json:"selector,omitzero"`
	// Patch of the target. Default: nothing is different.
	Patch Patch `json:"patch,omitzero"`
}

// Selector selects nodes by exactly one of its fields.
type Selector struct {
	// Names of nodes.
	Names []string `json:"names,omitempty"`
	// MatchExpressions are requirements of the nodes' labels, all of which have to hold.
	MatchExpressions []corev1.NodeSelectorRequirement `json:"matchExpressions,omitempty"`
}

// Patch is a strategic merge patch.
type Patch struct {
	// Template patches the pod template. Default: nothing.
	Template *runtime.RawExtension `json:"template,omitempty"`
}

// Status is what there is.
type Status struct {
	// ObservedGeneration is the generation that the status is about.
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// SubsetStatuses are those of the subsets, in their order.
	SubsetStatuses []SubsetStatus `json:"subsetStatuses,omitempty"`
	// Conditions are of the types below.
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// SubsetStatus is the status of one subset.
type SubsetStatus struct {
	Name string `json:"name"`
	// DesiredNumberScheduled is the number of nodes that should run the subset's pod, by the status of its DaemonSet.
	DesiredNumberScheduled int32 `json:"desiredNumberScheduled"`
	// NumberMisscheduled is the number of nodes that run the subset's pod and should not, by the status of its DaemonSet.
	NumberMisscheduled int32 `json:"numberMisscheduled"`
	// MatchNodes are the nodes that are the subset's, sorted: those that it is the first to select.
	MatchNodes []string `json:"matchNodes,omitempty"`
}

// The types of conditions.
const (
	// Effective: the subsets are made. It is False where there is no target, or another UnitedDaemonSet has it.
	Effective = "Effective"
	// SubsetsValid: there is a DaemonSet of every subset, as it is now. It is False where a patch cannot be applied, or the API server refuses the result.
	SubsetsValid = "SubsetsValid"
	// Overlapping: there are nodes that several subsets select.
	Overlapping = "Overlapping"
	// Settled: every node has been given to the subset that it belongs to.
	Settled = "Settled"
)

// UnitedDaemonSetList is a list of UnitedDaemonSets.
type UnitedDaemonSetList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitzero"`
	Items           []UnitedDaemonSet `json:"items"`
}

// AddToScheme registers the types.
func AddToScheme(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(GroupVersion, &UnitedDaemonSet{}, &UnitedDaemonSetList{})
	metav1.AddToGroupVersion(scheme, GroupVersion)
	return nil
}
