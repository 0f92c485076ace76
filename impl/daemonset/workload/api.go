// Package workload lets the controller reconcile another API's DaemonSets: objects with the fields of an apps/v1 DaemonSet under another name.
//
// The controller speaks apps/v1 throughout. Its client of such an API translates: it reads those objects as DaemonSets, writes a DaemonSet's status to
// them, and gives pods and ControllerRevisions the API's own revision label. What it reads as a DaemonSet still says in its TypeMeta what it really is,
// which is what owner references and events repeat.
package workload

import (
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// API is an API whose objects are DaemonSets in all but name. Nil is apps/v1, of which nothing is translated. All fields are required.
type API struct {
	// GroupVersionKind is what owner references and events say.
	GroupVersionKind schema.GroupVersionKind
	// RevisionLabel tells the revisions of pods and ControllerRevisions apart.
	RevisionLabel string
	// Register adds the API's types to a scheme.
	Register func(*runtime.Scheme) error
	// NewList returns an empty list of the API's objects.
	NewList func() client.ObjectList
	// ToDaemonSet returns the DaemonSet with all fields of an object of the API. They may share memory.
	ToDaemonSet func(client.Object) *appsv1.DaemonSet
	// FromDaemonSet is the inverse of ToDaemonSet.
	FromDaemonSet func(*appsv1.DaemonSet) client.Object
}

// GroupKind is the kind of the API's objects.
func (a *API) GroupKind() schema.GroupKind {
	if a == nil {
		return schema.GroupKind{Group: appsv1.GroupName, Kind: "DaemonSet"}
	}
	return a.GroupVersionKind.GroupKind()
}

// formerGroup is what DaemonSets once were in; references from then may still say so.
const formerGroup = "extensions"

// Names reports whether reference may be to one of the API's objects, by whatever version: which one it is its UID says.
func (a *API) Names(reference *metav1.OwnerReference) bool {
	kind := schema.FromAPIVersionAndKind(reference.APIVersion, reference.Kind).GroupKind()
	return kind == a.GroupKind() || a == nil && kind == schema.GroupKind{Group: formerGroup, Kind: "DaemonSet"}
}

// New returns an empty object of the API.
func (a *API) New() client.Object {
	if a == nil {
		return &appsv1.DaemonSet{}
	}
	return a.FromDaemonSet(&appsv1.DaemonSet{})
}

// AddToScheme adds the API's types to scheme, which has those of Kubernetes.
func (a *API) AddToScheme(scheme *runtime.Scheme) error {
	if a == nil {
		return nil
	}
	return a.Register(scheme)
}

// Reader returns r with the API's objects as DaemonSets.
func (a *API) Reader(r client.Reader) client.Reader {
	if a == nil {
		return r
	}
	return &reader{Reader: r, api: a}
}

// Client returns c with the API's objects as DaemonSets, whose status can be updated.
func (a *API) Client(c client.Client) client.Client {
	if a == nil {
		return c
	}
	return &translator{Client: c, reader: reader{Reader: c, api: a}}
}

// toDaemonSet is ToDaemonSet with the kind that the object has.
func (a *API) toDaemonSet(object client.Object) *appsv1.DaemonSet {
	ds := a.ToDaemonSet(object)
	ds.SetGroupVersionKind(a.GroupVersionKind)
	return ds
}
