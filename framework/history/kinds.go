package history

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Kind names a recorded resource kind, in recordings and messages: see KindOf.
type Kind string

// The kinds that a recording can hold. What is known of each is in Definitions.
const (
	KindPod                 Kind = "Pod"
	KindNode                Kind = "Node"
	KindDaemonSet           Kind = "DaemonSet"
	KindStatefulSet         Kind = "StatefulSet"
	KindControllerRevision  Kind = "ControllerRevision"
	KindPodDisruptionBudget Kind = "PodDisruptionBudget"
	KindEvent               Kind = "Event"

	KindReplicaSet            Kind = "ReplicaSet"
	KindDeployment            Kind = "Deployment"
	KindReplicationController Kind = "ReplicationController"
)

// KindOf returns the name of a kind: "DaemonSet" for one of the groups of Kubernetes whose names have no dot, "Kind.group" for any other.
func KindOf(kind schema.GroupKind) Kind {
	if strings.Contains(kind.Group, ".") {
		return Kind(kind.String())
	}
	return Kind(kind.Kind)
}

// kindNamed is the kind of the object that a reference names.
func kindNamed(owner *metav1.OwnerReference) Kind {
	return KindOf(schema.FromAPIVersionAndKind(owner.APIVersion, owner.Kind).GroupKind())
}

// Object is a recorded API object.
type Object interface {
	metav1.Object
	runtime.Object
}

// List is a list of recorded API objects.
type List interface {
	metav1.ListInterface
	runtime.Object
}

// Definition is all that the harness has to know of a kind in order to record it.
type Definition struct {
	schema.GroupVersionKind
	// Resource is the kind's name in paths.
	Resource string
	// Subresources are those by which the objects are written.
	Subresources []string
	// Namespaced: the objects are in namespaces.
	Namespaced bool
	// EvidenceOnly: the objects may live in another etcd, so they take no part in the order. They are neither marked nor replayed.
	EvidenceOnly bool
	// Empty is an object without content, EmptyList a list without items.
	Empty     Object
	EmptyList List
	// Inert is an object of which nothing comes, for a recording to make where there is none: see recorder.Source.Mark. Nil, if none may be made.
	Inert Object
}

// Definitions lists the kinds that a recording can hold. Another kind is another row.
func Definitions() []Definition {
	apps, policy := appsv1.SchemeGroupVersion, policyv1.SchemeGroupVersion
	core := corev1.SchemeGroupVersion
	return []Definition{{
		GroupVersionKind: core.WithKind("Pod"), Resource: "pods", Namespaced: true,
		Subresources: []string{"status", "binding", "eviction", "ephemeralcontainers", "resize"},
		Empty:        &corev1.Pod{}, EmptyList: &corev1.PodList{}, Inert: inertPod(),
	}, {
		// Nobody but the scenario gives nodes the labels by which they are recorded, and it waits until it sees them: where none ever showed none ever
		// was, so none need be made.
		GroupVersionKind: core.WithKind("Node"), Resource: "nodes", Subresources: []string{"status"},
		Empty: &corev1.Node{}, EmptyList: &corev1.NodeList{},
	}, {
		GroupVersionKind: core.WithKind("Event"), Resource: "events", Namespaced: true, EvidenceOnly: true,
		Empty: &corev1.Event{}, EmptyList: &corev1.EventList{},
	}, {
		GroupVersionKind: apps.WithKind("DaemonSet"), Resource: "daemonsets", Namespaced: true, Subresources: []string{"status"},
		Empty: &appsv1.DaemonSet{}, EmptyList: &appsv1.DaemonSetList{}, Inert: inertDaemonSet(),
	}, {
		GroupVersionKind: apps.WithKind("StatefulSet"), Resource: "statefulsets", Namespaced: true, Subresources: []string{"status", "scale"},
		Empty: &appsv1.StatefulSet{}, EmptyList: &appsv1.StatefulSetList{}, Inert: inertStatefulSet(),
	}, {
		GroupVersionKind: apps.WithKind("ReplicaSet"), Resource: "replicasets", Namespaced: true, Subresources: []string{"status", "scale"},
		Empty: &appsv1.ReplicaSet{}, EmptyList: &appsv1.ReplicaSetList{}, Inert: inertReplicaSet(),
	}, {
		GroupVersionKind: apps.WithKind("Deployment"), Resource: "deployments", Namespaced: true, Subresources: []string{"status", "scale"},
		Empty: &appsv1.Deployment{}, EmptyList: &appsv1.DeploymentList{}, Inert: inertDeployment(),
	}, {
		GroupVersionKind: core.WithKind("ReplicationController"), Resource: "replicationcontrollers", Namespaced: true,
		Subresources: []string{"status", "scale"},
		Empty:        &corev1.ReplicationController{}, EmptyList: &corev1.ReplicationControllerList{}, Inert: inertReplicationController(),
	}, {
		GroupVersionKind: apps.WithKind("ControllerRevision"), Resource: "controllerrevisions", Namespaced: true,
		Empty: &appsv1.ControllerRevision{}, EmptyList: &appsv1.ControllerRevisionList{}, Inert: inertRevision(),
	}, {
		GroupVersionKind: policy.WithKind("PodDisruptionBudget"), Resource: "poddisruptionbudgets", Namespaced: true, Subresources: []string{"status"},
		Empty: &policyv1.PodDisruptionBudget{}, EmptyList: &policyv1.PodDisruptionBudgetList{}, Inert: inertBudget(),
	}, {
		GroupVersionKind: UnitedGroupVersion().WithKind("UnitedDaemonSet"), Resource: "uniteddaemonsets", Namespaced: true, Subresources: []string{"status"},
		Empty: &UnitedDaemonSet{}, EmptyList: &UnitedDaemonSetList{}, Inert: inertUnited(),
	}}
}

// Name is what recordings and messages call the kind.
func (d Definition) Name() Kind { return KindOf(d.GroupKind()) }

// GroupResource is what the audit log calls the kind.
func (d Definition) GroupResource() schema.GroupResource {
	return schema.GroupResource{Group: d.Group, Resource: d.Resource}
}

// New returns an empty object of the kind.
func (d Definition) New() Object { return clone(d.Empty) }

// NewList returns an empty list of the kind.
func (d Definition) NewList() List { return clone(d.EmptyList) }

// NewInert returns the inert object for a namespace, nil if none may be made.
func (d Definition) NewInert(namespace string) Object {
	if d.Inert == nil {
		return nil
	}
	inert := clone(d.Inert)
	inert.SetNamespace(namespace)
	return inert
}

// clone copies an object, whose copy has its type.
func clone[O runtime.Object](object O) O { return object.DeepCopyObject().(O) }

// byKind is Definitions by name. Nobody changes it.
var byKind = sync.OnceValue(func() map[Kind]Definition {
	all := map[Kind]Definition{}
	for _, definition := range Definitions() {
		all[definition.Name()] = definition
	}
	return all
})

// Define returns what is known of the kind; it fails for one that no recording can hold.
func Define(kind Kind) (Definition, error) {
	definition, known := byKind()[kind]
	if !known {
		var names []string
		for _, definition := range Definitions() {
			names = append(names, string(definition.Name()))
		}
		slices.Sort(names)
		return definition, fmt.Errorf("kind %q cannot be recorded: recordings hold %s", kind, strings.Join(names, ", "))
	}
	return definition, nil
}

// EvidenceOnly reports whether objects of the kind take no part in the order: see Definition. What nobody knows does.
func (k Kind) EvidenceOnly() bool { return byKind()[k].EvidenceOnly }

// NewObject returns an empty object of the kind; it fails for a kind that no recording can hold.
func NewObject(kind Kind) (Object, error) {
	definition, err := Define(kind)
	if err != nil {
		return nil, err
	}
	return definition.New(), nil
}
