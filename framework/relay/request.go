package relay

import (
	"net/http"
	"path"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/sets"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"
)

// Request is what the client asks of the API server.
type Request struct {
	// Verb is the API's: get, list, watch, create, update, patch, delete or deletecollection.
	Verb string
	// Applies: it is a patch by server-side apply, which creates the object if there is none.
	Applies bool
	// Group, Resource and Subresource, such as "apps", "daemonsets" and "status". Group is empty for the core API, Subresource for the object itself.
	Group, Resource, Subresource string
	// Namespace and Name of the object, as far as the request's address has them.
	Namespace, Name string
}

// String is such as "update daemonsets/status ns/daemon".
func (r Request) String() string {
	text := r.Verb + " " + path.Join(r.Resource, r.Subresource)
	if object := path.Join(r.Namespace, r.Name); object != "" {
		text += " " + object
	}
	return text
}

// Selector selects requests.
type Selector struct {
	// Verbs are those of which the request has one. Apply is for server-side apply alone, which is also a patch.
	Verbs []string
	// Resource and Subresource are those that it is about; Subresource is empty for the objects themselves.
	Resource, Subresource string
	// Namespaces, if there are any, are those of which the request names one, where it names any.
	Namespaces []string
}

// Apply is the verb by which Selector.Verbs names server-side apply.
const Apply = "apply"

// Selects reports whether the request is one of the selected.
func (s Selector) Selects(r Request) bool {
	verb := slices.Contains(s.Verbs, r.Verb) || r.Applies && slices.Contains(s.Verbs, Apply)
	within := len(s.Namespaces) == 0 || r.Namespace == "" || slices.Contains(s.Namespaces, r.Namespace)
	return verb && within && s.Resource == r.Resource && s.Subresource == r.Subresource
}

// addresses reads addresses as the API server does.
var addresses = apirequest.RequestInfoFactory{APIPrefixes: sets.NewString("api", "apis"), GrouplessAPIPrefixes: sets.NewString("api")}

// requestOf is what is asked; false if it is not about a resource, or cannot be read, which the API server will say.
func requestOf(request *http.Request) (Request, bool) {
	info, err := addresses.NewRequestInfo(request)
	if err != nil || !info.IsResourceRequest {
		return Request{}, false
	}
	applies := strings.HasPrefix(request.Header.Get("Content-Type"), "application/apply-patch+")
	return Request{
		Verb: info.Verb, Applies: applies && info.Verb == "patch",
		Group: info.APIGroup, Resource: info.Resource, Subresource: info.Subresource, Namespace: info.Namespace, Name: info.Name,
	}, true
}
