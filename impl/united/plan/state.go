package plan

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/rollcall-conformance/rollcall/impl/united/api"
)

// State is what there is. Nothing in it is changed.
type State struct {
	United *api.UnitedDaemonSet
	// Others are the other UnitedDaemonSets of the namespace.
	Others []*api.UnitedDaemonSet
	// DaemonSets are all of the namespace.
	DaemonSets []*appsv1.DaemonSet
	// Pods and Revisions are those of the namespace that a DaemonSet controls.
	Pods      []*corev1.Pod
	Revisions []*appsv1.ControllerRevision
	// Nodes are sorted by name.
	Nodes []*corev1.Node
	// Written says of DaemonSets of subsets, by UID, what this process last made of them.
	Written map[types.UID]Written
	// Refused says of subsets, by name, what the API server has refused to make of them.
	Refused map[string]Refused
}

// Written is what a DaemonSet was made of, and what generation it had then: another one shows somebody else's hand.
type Written struct {
	Hash       string
	Generation int64
}

// Refused is what the API server said of a DaemonSet made from something with this hash.
type Refused struct{ Hash, Why string }

// Actions are what is to be done. They may be done in any order, and any of them may be left out: the next plan is then made on what came of it.
type Actions struct {
	// AddFinalizer and DropFinalizer are about the UnitedDaemonSet. Nothing else is done before the finalizer is there.
	AddFinalizer, DropFinalizer bool
	LabelNodes                  []NodeLabels
	// UpdateTarget is the target with what is to be changed.
	UpdateTarget *appsv1.DaemonSet
	RelabelPods  []PodLabel
	Subsets      []SubsetWrite
	Delete       []*appsv1.DaemonSet
	// Status to write; nil for none.
	Status *api.Status
	// Again is after how long the clock alone makes a difference; 0 for never.
	Again time.Duration
}

// NodeLabels are labels to set on the node, or with nil to remove. It is done only to the node as it was seen.
type NodeLabels struct {
	Node   *corev1.Node
	Labels map[string]*string
}

// PodLabel is a revision label to set.
type PodLabel struct {
	Pod  *corev1.Pod
	Hash string
}

// SubsetWrite creates or updates the DaemonSet of a subset.
type SubsetWrite struct {
	Subset string
	// DaemonSet has the resourceVersion of the one to update, none if it is to be created.
	DaemonSet *appsv1.DaemonSet
	Hash      string
}

// Planner decides what is to be done at some time.
type Planner func(state State, now time.Time) Actions
