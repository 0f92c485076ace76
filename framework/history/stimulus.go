package history

import (
	"k8s.io/apimachinery/pkg/types"
)

// KindNamespace names a namespace in a stimulus. Namespaces are not recorded.
const KindNamespace Kind = "Namespace"

// KindJob names a Job, as the controller of pods. Jobs are not recorded.
const KindJob Kind = "Job"

// Stimulus is one deliberate act of the harness. It is recorded before it is carried out, so that a judge never takes its effect
// for the implementation's doing. What became of it is in the Outcome of the same number.
type Stimulus struct {
	// Number counts the recording's stimuli from 1; the recorder gives it.
	Number int `json:"number,omitempty"`
	// Act is what is done.
	Act Act `json:"act"`
	// Kind, Namespace, Name and UID name the object acted on. UID is empty for one that did not exist yet.
	Kind      Kind      `json:"kind,omitempty"`
	Namespace string    `json:"namespace,omitempty"`
	Name      string    `json:"name,omitempty"`
	UID       types.UID `json:"uid,omitempty"`
	// Node is the node that the act is felt on; empty if it is not one node.
	Node string `json:"node,omitempty"`
	// Gates are the feature gates that the act starts the implementation with, on or off. None: it is started as its file says.
	Gates map[string]bool `json:"gates,omitempty"`
	// Detail says more to a reader, for example "maxSurge 1 -> 3". It decides nothing.
	Detail string `json:"detail,omitempty"`
}

// Outcome says what became of a stimulus. A stimulus without one was still being carried out when the recording ended.
type Outcome struct {
	// Stimulus is the number of the stimulus.
	Stimulus int `json:"stimulus"`
	// Refused: the API server answered that it did nothing, for example 429 to an eviction. A refused act causes nothing and excuses nobody.
	Refused bool `json:"refused,omitempty"`
	// Error is what the act failed with, refused or not; empty if it succeeded. One that failed otherwise, such as by a timeout, may have had its effect.
	Error string `json:"error,omitempty"`
}
