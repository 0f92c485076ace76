package plan

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
)

// Actions is what one pass wants done. The zero value means: nothing, and do not come back before something changes.
type Actions struct {
	// Status is the status to write, conditions included, or nil if the budget already has it (PDB-024). It holds for the resourceVersion of
	// State.Budget only: written over another one it could give back what the API server has taken for an eviction (EVICT-014).
	Status *policyv1.PodDisruptionBudgetStatus

	// Events are to be recorded once Status has been written. There are none without a Status, so what goes on and on is told once (PDB-035).
	Events []Event

	// RequeueAfter is when Plan has to be asked again although nothing changed; zero: no need.
	RequeueAfter time.Duration

	// Retry says what should be tried again soon, ever more slowly; nil for nothing.
	Retry error
}

// Event is one event to record.
type Event struct {
	// Pod is what the event is about, with the budget as the related object; nil if it is about the budget itself.
	Pod *corev1.Pod
	// Type is corev1.EventTypeNormal or corev1.EventTypeWarning.
	Type    string
	Reason  string
	Message string
}

// Event reasons, those of Kubernetes (PDB-014, PDB-035).
const (
	EventNoPods                          = "NoPods"
	EventCalculateExpectedPodCountFailed = "CalculateExpectedPodCountFailed"
	EventUnmanagedPods                   = "UnmanagedPods"
	EventNotDeleted                      = "NotDeleted"
)
