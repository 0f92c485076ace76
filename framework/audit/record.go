package audit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
)

// Record is a request that was answered, and one object that it was about.
type Record struct {
	// User who asked; of a request by impersonation, the impersonated one.
	User string
	// Verb is create, update, patch, delete or deletecollection.
	Verb string
	// Group is the API group, empty for the core API. Resource, for example "pods", and Subresource, for example "status"; empty for the object itself.
	Group, Resource, Subresource string
	// Namespace and Name of the object; Namespace is empty for cluster-scoped ones, Name where a request that failed did not name it.
	Namespace, Name string
	// UID of the object; empty where neither the request nor the answer has it.
	UID types.UID
	// ResourceVersion that the answer says the object has. 0 where the answer does not hold the object as the request left it: it failed, is about a
	// collection, or says no more than that it was carried out (binding, eviction, most deletions).
	ResourceVersion uint64
	// Released: the answer holds an object that is being deleted and that no finalizer keeps any more.
	Released bool
	// Code of the answer; Reason and Message of one that refuses the request.
	Code            int32
	Reason, Message string
	// Asked is the pod that the request was to create, before admission; nil of any other request, and where it cannot be read.
	Asked *corev1.PodTemplateSpec
	// Received is when the request came in, Answered when it had been answered, by the API server's clock, to the microsecond.
	Received, Answered time.Time
}

// succeeded reports whether the request was carried out.
func (r Record) succeeded() bool {
	return r.Code >= http.StatusOK && r.Code < http.StatusMultipleChoices
}

// Records returns what an event of the log says: one record, of a deletecollection one for each object that it found, or none for an event that is no
// answer to a request about a resource, or to one that was only tried (dryRun). One that was tried and refused is as good as refused.
func Records(event Event) ([]Record, error) {
	if event.Stage != auditv1.StageResponseComplete || event.ObjectRef == nil || event.ResponseStatus == nil ||
		event.ResponseStatus.Code < http.StatusBadRequest && dryRun(event) {
		return nil, nil
	}
	object := event.ObjectRef
	record := Record{
		User: event.User.Username, Verb: event.Verb, Group: object.APIGroup, Resource: object.Resource, Subresource: object.Subresource,
		Namespace: object.Namespace, Name: object.Name, UID: object.UID,
		Code: event.ResponseStatus.Code, Reason: event.ResponseStatus.Reason, Message: event.ResponseStatus.Message,
		Received: event.RequestReceivedTimestamp.Time, Answered: event.StageTimestamp.Time,
	}
	if event.ImpersonatedUser != nil {
		record.User = event.ImpersonatedUser.Username
	}
	record.Asked = asked(record, event.RequestObject)
	if event.ResponseObject == nil || !record.succeeded() {
		return []Record{record}, nil
	}
	return record.answered(*event.ResponseObject)
}

// asked returns the pod that the request created as it came in, by whichever verb; nil if it created none.
func asked(record Record, request json.RawMessage) *corev1.PodTemplateSpec {
	if record.Group != "" || record.Resource != "pods" || record.Subresource != "" || record.Code != http.StatusCreated {
		return nil
	}
	var pod corev1.PodTemplateSpec
	if json.Unmarshal(request, &pod) != nil {
		return nil // a patch need not be an object
	}
	return &pod
}

// dryRun reports whether the request was to change nothing. Deletions and evictions say so in their options, the others in the address.
func dryRun(event Event) bool {
	if address, err := url.Parse(event.RequestURI); err == nil && address.Query().Has("dryRun") {
		return true
	}
	type options struct {
		DryRun []string `json:"dryRun"`
	}
	var asked struct {
		options
		DeleteOptions options `json:"deleteOptions"`
	}
	if !bytes.Contains(event.RequestObject, []byte(`"dryRun"`)) || json.Unmarshal(event.RequestObject, &asked) != nil {
		// A patch need not be an object.
		return false
	}
	return len(asked.DryRun) > 0 || len(asked.DeleteOptions.DryRun) > 0
}

// answered adds what the answer says.
func (r Record) answered(got answer) ([]Record, error) {
	switch {
	case r.Verb == "deletecollection":
		var all []Record
		for _, item := range got.Items {
			one := r
			one.Namespace, one.Name, one.UID = item.Metadata.Namespace, item.Metadata.Name, item.Metadata.UID
			all = append(all, one)
		}
		return all, nil
	case got.Kind == "Status":
		if got.Details != nil && got.Details.UID != "" {
			r.Name, r.UID = got.Details.Name, got.Details.UID
		}
		return []Record{r}, nil
	}
	r.Namespace, r.Name, r.UID = got.Metadata.Namespace, got.Metadata.Name, got.Metadata.UID
	r.Released = got.Metadata.DeletionTimestamp != nil && len(got.Metadata.Finalizers) == 0
	if got.Metadata.ResourceVersion == "" {
		return []Record{r}, nil
	}
	version, err := strconv.ParseUint(got.Metadata.ResourceVersion, 10, 64)
	if err != nil {
		return nil, fmt.Errorf("resourceVersion in the answer to %s %s %s/%s in the audit log: %w", r.Verb, r.Resource, r.Namespace, r.Name, err)
	}
	r.ResourceVersion = version
	return []Record{r}, nil
}
