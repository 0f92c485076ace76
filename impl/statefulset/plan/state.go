package plan

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/impl/inplace"
)

// State is what is known about one StatefulSet. Nothing in it is ever changed.
type State struct {
	Set *appsv1.StatefulSet
	// Pods and Revisions are those that the StatefulSet controls, in no order.
	Pods      []*corev1.Pod
	Revisions []*appsv1.ControllerRevision
}

// Actions are what is to be done: the revision before the claims, those before the pods, and the status last.
type Actions struct {
	// CreateRevision is the history of the template, if there is none. RenumberRevision is one that is to become the newest.
	CreateRevision, RenumberRevision *appsv1.ControllerRevision
	// DeleteRevisions are what the history is too long by.
	DeleteRevisions []*appsv1.ControllerRevision
	// CreateClaims are those of the pods to create. One that there is already is the one that is wanted.
	CreateClaims []*corev1.PersistentVolumeClaim
	CreatePods   []*corev1.Pod
	// DeletePods and UpdatePods are about pods as they were seen, and in no other state.
	DeletePods []*corev1.Pod
	UpdatePods []PodUpdate
	// ProvePods are pods whose update in place has taken effect, which is to be written on them.
	ProvePods []inplace.PodProof
	// Status is nil if the one that there is is right.
	Status *appsv1.StatefulSetStatus
	// RequeueAfter is when the passing of time alone calls for another pass; zero for never.
	RequeueAfter time.Duration
	// Err says why the StatefulSet cannot be seen to.
	Err error
}

// PodUpdate is one pod to update in place, in one write.
type PodUpdate struct {
	Pod *corev1.Pod
	// Images are those to set, by the names of containers; Labels and Annotations are set beside those that the pod has.
	Images, Labels, Annotations map[string]string
}

// Planner decides about a StatefulSet at a time.
type Planner func(State, time.Time) Actions
