package plan

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/impl/inplace"
)

// Burst is the largest number of pods that one pass creates, the largest number that it deletes, and the largest number that it updates in place
// (ROLLING-020).
const Burst = 250

// Actions is what one pass wants done. The zero value means: nothing, and do not come back before something changes.
//
// Carry them out in the order of the fields; if claiming or history fails, skip the pods but still write the status,
// with the ObservedGeneration that it had.
type Actions struct {
	// PatchPods claims, releases and relabels pods that exist.
	PatchPods []PodPatch

	// CreateRevision is the ControllerRevision of the current template, when there is none. No pod is created or
	// deleted for a template in the pass that creates its revision (HISTORY-008).
	CreateRevision *appsv1.ControllerRevision
	// UpdateRevisions are to be written as they are, if they still have the resourceVersion that they carry.
	UpdateRevisions []RevisionUpdate
	// DeleteRevisions are duplicates of the current revision and history beyond the limit.
	DeleteRevisions []*appsv1.ControllerRevision

	// DeletePods holds at most Burst pods, at most one entry per pod.
	DeletePods []PodDeletion
	// PutOff are deletions that the API server refused before and that Backoff puts off now. What State.RefusedDeletions says of their nodes still holds.
	PutOff []PodDeletion
	// UpdatePods holds at most Burst pods, at most one per node, and none on a node on which DeletePods deletes one or CreatePods creates one.
	UpdatePods []PodUpdate
	// CreatePods holds at most Burst pods, at most one per node, and none for a node on which DeletePods deletes one.
	CreatePods []PodCreation
	// ProvePods are pods whose update in place has taken effect, which is to be written on them. Nothing else waits for that, and it may fail.
	ProvePods []inplace.PodProof

	// Status is the status to write, conditions included, or nil if the DaemonSet already has it (STATUS-012). Its
	// ObservedGeneration is the generation of State.DaemonSet only if this pass acted on that generation.
	Status *appsv1.DaemonSetStatus

	// Backoff are the entries to put into State.Backoff of later passes once DeletePods has been carried out.
	Backoff map[string]Backoff

	// Events are to be recorded on the DaemonSet.
	Events []Event

	// RequeueAfter is when Plan has to be asked again although nothing changed; zero: no need.
	RequeueAfter time.Duration

	// RolloutInProgress says that an eligible node still has a pod of another revision, or no updated one.
	RolloutInProgress bool

	// Err says why the DaemonSet cannot be planned for; nothing else is set then. Only objects that an API server
	// would have rejected get one.
	Err error
}

// PodPatch changes the ownership or the labels of one pod.
type PodPatch struct {
	Pod *corev1.Pod
	// Adopt makes the DaemonSet the pod's controller. Whoever carries it out has to make sure, with a read that
	// bypasses every cache, that the DaemonSet still exists under the same UID and is not being deleted.
	Adopt bool
	// Release removes the DaemonSet from the pod's owners.
	Release bool
	// Hash, unless empty, is the new value of the label controller-revision-hash.
	Hash string
}

// RevisionUpdate is one existing ControllerRevision as it should be.
type RevisionUpdate struct {
	Revision *appsv1.ControllerRevision
	// Adopt says that Revision has a new controller; the caution of PodPatch.Adopt applies (HISTORY-015).
	Adopt bool
}

// Reason says why a pod is created or deleted, as a word for a metric label.
type Reason string

// Reasons to create a pod.
const (
	// ReasonMissing: an eligible node has no pod that runs or is about to.
	ReasonMissing Reason = "missing"
	// ReasonSurge: an updated pod beside an available one, within maxSurge.
	ReasonSurge Reason = "surge"
	// ReasonOldUnavailable: an updated pod beside an unavailable old one, outside maxSurge (UNREADY-001); also the
	// reason to delete an unavailable old pod.
	ReasonOldUnavailable Reason = "old-unavailable"
)

// Reasons to delete a pod, the first two also to update one in place: ReasonOldUnavailable and ReasonOutdated.
const (
	// ReasonOutdated: an available old pod, within maxUnavailable.
	ReasonOutdated Reason = "outdated"
	// ReasonReplaced: an old pod whose successor on the same node is available.
	ReasonReplaced Reason = "replaced"
	// ReasonDuplicate: more pods on a node than the strategy allows.
	ReasonDuplicate Reason = "duplicate"
	// ReasonFailed and ReasonSucceeded: the pod has ended.
	ReasonFailed    Reason = "failed"
	ReasonSucceeded Reason = "succeeded"
	// ReasonIneligible: the pod's node should not run it, or not get the update.
	ReasonIneligible Reason = "ineligible"
)

// PodDeletion is one pod to delete. It should be conditional on Pod's UID and resourceVersion, since the plan is
// about the pod as it was seen: one that became available in between must not be deleted as unavailable.
type PodDeletion struct {
	Pod    *corev1.Pod
	Node   string
	Reason Reason
}

// PodUpdate is one pod to update in place, in a single write: neither images without their label nor a label without its images must ever be seen
// (INPLACE-014). It has to be conditional on Pod's UID and resourceVersion, as a deletion.
type PodUpdate struct {
	Pod    *corev1.Pod
	Node   string
	Reason Reason
	// Images are those to set, by the names of containers.
	Images map[string]string
	// Labels and Annotations are to be set beside those that the pod has.
	Labels, Annotations map[string]string
}

// PodCreation is one pod to create.
type PodCreation struct {
	Node   string
	Hash   string
	Reason Reason
	// Pod is complete but for what the API server adds: NewPod(DaemonSet, Hash, Node).
	Pod *corev1.Pod
}

// Event is one event to record on the DaemonSet.
type Event struct {
	// Type is corev1.EventTypeNormal or corev1.EventTypeWarning.
	Type    string
	Reason  string
	Message string
	// Pod is what the event is about, beside the DaemonSet; nil if it is about the DaemonSet alone.
	Pod *corev1.Pod
}

// Event reasons, those of Kubernetes (COND-004).
const (
	EventFailedDaemonPod    = "FailedDaemonPod"
	EventSucceededDaemonPod = "SucceededDaemonPod"
)
