package recorder

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// Transport returns a transport that records every request that goes through it, with its answer, watches aside. It belongs under the client that a
// scenario acts by, and not under the recorder's own. An answer is passed on as it came, also when the recording has ended.
func (r *Recorder) Transport(under http.RoundTripper) http.RoundTripper {
	return &transport{recorder: r, under: under}
}

type transport struct {
	recorder *Recorder
	under    http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (t *transport) RoundTrip(request *http.Request) (*http.Response, error) {
	exchange, recorded := exchangeOf(request)
	if !recorded {
		return t.under.RoundTrip(request)
	}
	exchange.Began = t.recorder.sinceBegan()
	response, err := t.under.RoundTrip(request)
	switch {
	case err != nil:
		exchange.Error = err.Error()
	default:
		answer(&exchange, response)
	}
	exchange.Ended = t.recorder.sinceBegan()
	// A failure to record ends the recording, and is reported with it; after the end nothing is recorded.
	_ = t.recorder.exchange(exchange)
	return response, err
}

// exchangeOf reads the request's path as the API server does: /api/v1/… or /apis/group/version/…, then namespaces/name, resource, name, subresource.
func exchangeOf(request *http.Request) (history.Exchange, bool) {
	e := history.Exchange{Stimulus: stimulusIn(request.Context())}
	parts := strings.Split(strings.Trim(request.URL.Path, "/"), "/")
	switch {
	case e.Stimulus > 0 && isDiscovery(parts):
		// Clients look these documents up for themselves; only one that a scenario asks for is of interest.
		e.Verb, e.Version = "get", parts[len(parts)-1]
		return e, true
	case len(parts) > 2 && parts[0] == "api":
		e.Version, parts = parts[1], parts[2:]
	case len(parts) > 3 && parts[0] == "apis":
		e.Group, e.Version, parts = parts[1], parts[2], parts[3:]
	default:
		return e, false
	}
	if len(parts) > 2 && parts[0] == "namespaces" {
		e.Namespace, parts = parts[1], parts[2:]
	}
	e.Resource = parts[0]
	if len(parts) > 1 {
		e.Name = parts[1]
	}
	if len(parts) > 2 {
		e.Subresource = strings.Join(parts[2:], "/")
	}
	if e.Resource == "namespaces" {
		e.Namespace = e.Name
	}
	query := request.URL.Query()
	e.DryRun = query.Get("dryRun") != ""
	e.Verb = verbOf(request.Method, e.Name == "")
	if e.Verb == "create" && e.Subresource == "eviction" {
		e.Sent = versionSent(request)
	}
	return e, query.Get("watch") == ""
}

// isDiscovery reports whether a path is that of a version's list of resources.
func isDiscovery(path []string) bool {
	return len(path) == 2 && path[0] == "api" || len(path) == 3 && path[0] == "apis"
}

// versionSent is the apiVersion of the object in the request's body; empty if it has none.
func versionSent(request *http.Request) string {
	if request.GetBody == nil {
		return ""
	}
	body, err := request.GetBody()
	if err != nil {
		return ""
	}
	defer body.Close()
	sent := metav1.TypeMeta{}
	// What is no object has no version.
	_ = json.NewDecoder(body).Decode(&sent)
	return sent.APIVersion
}

// verbOf names the API's verb for a method, on a collection or on one object.
func verbOf(method string, collection bool) string {
	verbs := map[string][2]string{
		http.MethodGet: {"get", "list"}, http.MethodPost: {"create", "create"}, http.MethodPut: {"update", "update"},
		http.MethodPatch: {"patch", "patch"}, http.MethodDelete: {"delete", "deletecollection"},
	}
	verb, known := verbs[method]
	switch {
	case !known:
		return strings.ToLower(method)
	case collection:
		return verb[1]
	}
	return verb[0]
}

// answer puts what the response says into the exchange and leaves the response readable.
func answer(e *history.Exchange, response *http.Response) {
	e.Code = response.StatusCode
	if seconds, err := strconv.Atoi(response.Header.Get("Retry-After")); err == nil {
		e.RetryAfter = seconds
	}
	if !strings.HasPrefix(response.Header.Get("Content-Type"), "application/json") {
		return
	}
	body, err := io.ReadAll(response.Body)
	// It has been read, or its error is noted below.
	_ = response.Body.Close()
	response.Body = io.NopCloser(io.MultiReader(bytes.NewReader(body), failingReader{err}))
	if err != nil {
		e.Error = err.Error()
		return
	}
	var object unstructured.Unstructured
	if json.Unmarshal(body, &object.Object) != nil {
		// Not an object of the API, such as what a pod answers through the proxy.
		return
	}
	switch kind := object.GetKind(); {
	case kind == "Status":
		status := metav1.Status{}
		if json.Unmarshal(body, &status) == nil {
			e.Status, e.Reason, e.Message = status.Status, string(status.Reason), status.Message
			if status.Details != nil {
				e.Causes = status.Details.Causes
			}
		}
		return
	case kind == "APIResourceList":
		resources := metav1.APIResourceList{}
		if json.Unmarshal(body, &resources) == nil {
			e.Items = resourcesIn(resources)
		}
		return
	case e.Verb == "list":
		list := metav1.PartialObjectMetadataList{}
		if json.Unmarshal(body, &list) == nil {
			for i := range list.Items {
				e.Items = append(e.Items, types.NamespacedName{Namespace: list.Items[i].Namespace, Name: list.Items[i].Name}.String())
			}
		}
		return
	}
	e.ResourceVersion, e.UID = object.GetResourceVersion(), object.GetUID()
	if e.Verb != "get" {
		object.SetManagedFields(nil)
		if trimmed, err := json.Marshal(object.Object); err == nil {
			e.Object = trimmed
		}
	}
}

// resourcesIn are the resources of a discovery document, each with its kind and that kind's version, which is the document's unless it says otherwise.
func resourcesIn(document metav1.APIResourceList) []string {
	items := make([]string, 0, len(document.APIResources))
	for i := range document.APIResources {
		resource := &document.APIResources[i]
		version := document.GroupVersion
		if resource.Version != "" {
			version = schema.GroupVersion{Group: resource.Group, Version: resource.Version}.String()
		}
		items = append(items, strings.Join([]string{resource.Name, version, resource.Kind}, " "))
	}
	return items
}

// failingReader passes on the error with which reading an answer ended, if it was one.
type failingReader struct{ err error }

func (f failingReader) Read([]byte) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	return 0, io.EOF
}

// stimulusKey is the context's key for the number of the stimulus under way.
type stimulusKey struct{}

func withStimulus(ctx context.Context, number int) context.Context {
	return context.WithValue(ctx, stimulusKey{}, number)
}

func stimulusIn(ctx context.Context) int {
	number, _ := ctx.Value(stimulusKey{}).(int)
	return number
}
