// Package workload has the harness test an API of the author's own as if it were DaemonSets of apps/v1.
//
// Inside the harness a workload is an appsv1.DaemonSet: scenarios write it, recordings hold it, judges know no other. What the cluster has may be called
// otherwise, and be shaped otherwise. Transport translates, in both directions, at the one place that everything passes: under the clients by which
// scenarios act, and by which recordings are made. A Codec translates the fields, if they differ.
//
// It is pure: package scenario puts the transport under its clients.
package workload

import (
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Workload is the API of the controller under test.
type Workload struct {
	Group   string `json:"group"`
	Version string `json:"version"`
	Kind    string `json:"kind"`
	// Resource is the kind's name in paths, for example "daemonsets".
	Resource string `json:"resource"`
	// Codec is one of Codecs. Default: SameFields.
	Codec string `json:"codec,omitempty"`
}

// DaemonSet is the workload of Kubernetes' own controller, which needs no translation.
func DaemonSet() Workload {
	return Workload{Group: appsv1.GroupName, Version: appsv1.SchemeGroupVersion.Version, Kind: "DaemonSet", Resource: "daemonsets"}
}

// IsDaemonSet reports whether nothing is translated: the workload is DaemonSet, or none is given.
func (w Workload) IsDaemonSet() bool {
	if w.Codec == SameFields {
		w.Codec = ""
	}
	return w == DaemonSet() || w == Workload{}
}

// String names the workload, for example "rollcall.dev/v1alpha1 Daemon"; it is empty for DaemonSet, which goes without saying.
func (w Workload) String() string {
	if w.IsDaemonSet() {
		return ""
	}
	return w.names().apiVersion + " " + w.Kind
}

// GroupResource is what the audit log calls the workload.
func (w Workload) GroupResource() schema.GroupResource {
	if w.IsDaemonSet() {
		w = DaemonSet()
	}
	return schema.GroupResource{Group: w.Group, Resource: w.Resource}
}

// Canonical returns what the harness calls a resource: of the workload, DaemonSets of apps/v1; of another, what it is called anyway.
func (w Workload) Canonical(resource schema.GroupResource) schema.GroupResource {
	if resource == w.GroupResource() {
		return DaemonSet().GroupResource()
	}
	return resource
}

// names are how an object says what it is.
type names struct{ apiVersion, kind string }

func (w Workload) names() names {
	return names{apiVersion: schema.GroupVersion{Group: w.Group, Version: w.Version}.String(), kind: w.Kind}
}
