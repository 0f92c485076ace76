package relay

import (
	"net/http"
	"path"
	"slices"

	"k8s.io/apimachinery/pkg/util/sets"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"
)

// Request is what the client asks of the API server.
type Request struct {
	// Verb is the API's: get, list, watch, create, update, patch, delete or deletecollection.
	Verb string
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
	// Verbs are those of which the request has one.
	Verbs []string
	// Resource and Subresource are those that it is about; Subresource is empty for the objects themselves.
	Resource, Subresource string
}

// Selects reports whether the request is one of the selected.
func (s Selector) Selects(r Request) bool {
	return slices.Contains(s.Verbs, r.Verb) && s.Resource == r.Resource && s.Subresource == r.Subresource
}

// addresses reads addresses as the API server does.
var addresses = apirequest.RequestInfoFactory{APIPrefixes: sets.NewString("api", "apis"), GrouplessAPIPrefixes: sets.NewString("api")}

// requestOf is what is asked; false if it is not about a resource, or cannot be read, which the API server will say.
func requestOf(request *http.Request) (Request, bool) {
	info, err := addresses.NewRequestInfo(request)
	if err != nil || !info.IsResourceRequest {
		return Request{}, false
	}
	return Request{
		Verb: info.Verb, Group: info.APIGroup, Resource: info.Resource, Subresource: info.Subresource, Namespace: info.Namespace, Name: info.Name,
	}, true
}
