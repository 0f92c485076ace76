// Package toy is an API of somebody's own: Daemon in rollcall.dev, a DaemonSet in all but its name and its revision label. The reference's controller
// reconciles it. It shows that rollcall tests such controllers, and how one is described: fixtures/crds/daemons.yaml, fixtures/implementations/toy.yaml.
package toy

import (
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/workload"
)

var groupVersion = schema.GroupVersion{Group: "rollcall.dev", Version: "v1alpha1"}

// Daemon runs a pod on every node that it selects.
type Daemon struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`
	Spec              appsv1.DaemonSetSpec   `json:"spec,omitzero"`
	Status            appsv1.DaemonSetStatus `json:"status,omitzero"`
}

// DeepCopyObject implements runtime.Object.
func (d *Daemon) DeepCopyObject() runtime.Object { return (*Daemon)((*appsv1.DaemonSet)(d).DeepCopy()) }

// DaemonList is a list of Daemons.
type DaemonList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitzero"`
	Items           []Daemon `json:"items"`
}

// DeepCopyObject implements runtime.Object.
func (l *DaemonList) DeepCopyObject() runtime.Object {
	into := &DaemonList{TypeMeta: l.TypeMeta, ListMeta: *l.ListMeta.DeepCopy()}
	for i := range l.Items {
		into.Items = append(into.Items, *l.Items[i].DeepCopyObject().(*Daemon))
	}
	return into
}

// API is how the reference's controller reconciles Daemons.
func API() *workload.API {
	return &workload.API{
		GroupVersionKind: groupVersion.WithKind("Daemon"),
		RevisionLabel:    "rollcall.dev/revision",
		Register: func(scheme *runtime.Scheme) error {
			scheme.AddKnownTypes(groupVersion, &Daemon{}, &DaemonList{})
			metav1.AddToGroupVersion(scheme, groupVersion)
			return nil
		},
		NewList:       func() client.ObjectList { return &DaemonList{} },
		ToDaemonSet:   func(object client.Object) *appsv1.DaemonSet { return (*appsv1.DaemonSet)(object.(*Daemon)) },
		FromDaemonSet: func(ds *appsv1.DaemonSet) client.Object { return (*Daemon)(ds) },
	}
}
