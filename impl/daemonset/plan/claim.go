package plan

import (
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// relation is what an object is to the DaemonSet that looks at it.
type relation int

const (
	foreign  relation = iota // somebody else's, or nobody's and not selected: not to be touched (TARGET-003)
	owned                    // controlled by the DaemonSet and selected
	adoptive                 // nobody's, selected, not being deleted: to be adopted, and treated as owned already
	lost                     // controlled by the DaemonSet but not selected any more: to be released
)

func relationOf(ds *appsv1.DaemonSet, selector labels.Selector, object metav1.Object) relation {
	if object.GetNamespace() != ds.Namespace {
		return foreign
	}
	selected := selector.Matches(labels.Set(object.GetLabels()))
	controller := metav1.GetControllerOfNoCopy(object)
	switch {
	case controller != nil && controller.UID == ds.UID && selected:
		return owned
	case controller != nil && controller.UID == ds.UID:
		return lost
	case controller == nil && selected && object.GetDeletionTimestamp() == nil:
		return adoptive
	default:
		return foreign
	}
}

// withController returns the owners of object with ds as the controller.
func withController(ds *appsv1.DaemonSet, object metav1.Object) []metav1.OwnerReference {
	return append(withoutOwner(ds, object), *metav1.NewControllerRef(ds, ControllerKind(ds)))
}

// withoutOwner returns the owners of object but for ds.
func withoutOwner(ds *appsv1.DaemonSet, object metav1.Object) []metav1.OwnerReference {
	isSet := func(o metav1.OwnerReference) bool { return o.UID == ds.UID }
	return slices.DeleteFunc(slices.Clone(object.GetOwnerReferences()), isSet)
}
