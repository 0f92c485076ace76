package plan

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
)

// State is everything that one pass knows about one DaemonSet. All of it is read-only for Plan.
type State struct {
	// DaemonSet as it was read, with its status.
	DaemonSet *appsv1.DaemonSet

	// Pods are the pods of the DaemonSet's namespace that are controlled by it, or by nobody. Others may be in the
	// list and are ignored, except that Plan can only claim and release pods that it is shown.
	Pods []*corev1.Pod

	// Nodes are all nodes of the cluster, eligible or not. Where a limit leaves a choice, the first of them are updated first.
	Nodes []*corev1.Node

	// Revisions are the namespace's ControllerRevisions that are controlled by the DaemonSet, or by nobody, and whoever controls them those that OtherRevisions
	// names: without them a name collision goes unnoticed, and pods whose history somebody took may pass for updated.
	Revisions []*appsv1.ControllerRevision

	// Backoff says, by node name, how long a pod that ended there has to stay before it is replaced. A node without
	// an entry has not seen a pod of this DaemonSet generation end. Keep what Actions.Backoff returns, and
	// forget all of it when metadata.generation changes (TARGET-010).
	Backoff map[string]Backoff

	// Refused is what the API server answered to the last attempts to create pods; nil if the last one succeeded, or there was none in this generation.
	Refused *Refusal
	// RefusedUpdates says, by node name, what the API server answered to the last attempts to update a pod there in place. Keep those of the present
	// generation, as with Backoff.
	RefusedUpdates map[string]Refusal
	// RefusedDeletions says, by node name, what the API server answered to the last attempts to delete a pod there. Keep those of the deletions that the last pass
	// planned or put off, of the present generation.
	RefusedDeletions map[string]Refusal

	// SurgeDisabled says that maxSurge is to be ignored: the feature gate DaemonSetUpdateSurge is off (GATE-002).
	SurgeDisabled bool

	// AwaitingOwnWrites says that an earlier pass created or deleted pods which this State does not show yet. Plan
	// then only reports status (without raising observedGeneration), because any arithmetic over pods would be
	// wrong by the writes that are missing.
	AwaitingOwnWrites bool
}

// Refusal is that pods cannot be created, or a pod cannot be deleted.
type Refusal struct {
	// Since is when the first of the attempts failed that all have failed since.
	Since time.Time
	// Words are the API server's, as it said them at Said.
	Words string
	Said  time.Time
	// Nodes are those for which it has failed since, with the time of the last attempt.
	Nodes map[string]time.Time
}
