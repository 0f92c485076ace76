package history

import (
	"encoding/json"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Exchange is one request of the harness to the API server, with the answer. It is recorded when the answer has come.
type Exchange struct {
	// Stimulus is the number of the stimulus that the request carries out; 0 for a request that is no part of one.
	Stimulus int `json:"stimulus,omitempty"`
	// Verb is the API's: get, list, create, update, patch, delete, deletecollection.
	Verb string `json:"verb"`
	// Group, Version, Resource, Subresource, Namespace and Name are the request's path. Group is empty for the core API.
	Group       string `json:"group,omitempty"`
	Version     string `json:"version,omitempty"`
	Resource    string `json:"resource,omitempty"`
	Subresource string `json:"subresource,omitempty"`
	Namespace   string `json:"namespace,omitempty"`
	Name        string `json:"name,omitempty"`
	// Sent is the apiVersion of the Eviction that was sent; empty for one without, and for other requests.
	Sent string `json:"sent,omitempty"`
	// DryRun: the request asked, by its query, for nothing to be stored.
	DryRun bool `json:"dryRun,omitempty"`
	// Began and Ended are when the request was sent and when its answer had come, since the recording began.
	Began time.Duration `json:"began"`
	Ended time.Duration `json:"ended"`
	// Code is the HTTP status, 0 if no answer came; Error then says why.
	Code  int    `json:"code,omitempty"`
	Error string `json:"error,omitempty"`
	// Status, Reason, Message and Causes are those of a metav1.Status in the answer; empty if it holds another object.
	Status  string               `json:"status,omitempty"`
	Reason  string               `json:"reason,omitempty"`
	Message string               `json:"message,omitempty"`
	Causes  []metav1.StatusCause `json:"statusCauses,omitempty"`
	// RetryAfter is the answer's header of that name, in seconds; 0 without.
	RetryAfter int `json:"retryAfter,omitempty"`
	// ResourceVersion and UID are those of the object in the answer; empty if it holds none.
	ResourceVersion string    `json:"resourceVersion,omitempty"`
	UID             types.UID `json:"uid,omitempty"`
	// Items are what a list holds: of objects namespace/name; of a discovery document resource, apiVersion and kind.
	Items []string `json:"items,omitempty"`
	// Object is the object in the answer to a create, update or patch, without managed fields.
	Object json.RawMessage `json:"object,omitempty"`
}

// Accepted reports whether the API server did what was asked.
func (e *Exchange) Accepted() bool { return e.Code >= 200 && e.Code < 300 }
