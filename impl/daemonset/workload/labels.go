package workload

import (
	"fmt"
	"maps"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// relabel makes the revision label of a pod or ControllerRevision the one that the controller knows, and that one the API's again when it is called
// a second time. The labels change their names with each other, so that none is lost. They may be shared with a cache, and are replaced.
func (a *API) relabel(object client.Object) {
	switch object.(type) {
	case *corev1.Pod, *appsv1.ControllerRevision:
		object.SetLabels(swapped(object.GetLabels(), a.RevisionLabel, plan.HashLabel))
	}
}

// swapped returns a map in which what was under either key is under the other.
func swapped(labels map[string]string, one, other string) map[string]string {
	atOne, hasOne := labels[one]
	atOther, hasOther := labels[other]
	if !hasOne && !hasOther {
		return labels
	}
	labels = maps.Clone(labels)
	delete(labels, one)
	delete(labels, other)
	if hasOne {
		labels[other] = atOne
	}
	if hasOther {
		labels[one] = atOther
	}
	return labels
}

// relabelPatch does to the labels in a merge patch what relabel does to an object's.
func (a *API) relabelPatch(patch []byte) ([]byte, error) {
	var body map[string]any
	if err := json.Unmarshal(patch, &body); err != nil {
		return nil, fmt.Errorf("decode the patch: %w", err)
	}
	labels, found, err := unstructured.NestedStringMap(body, "metadata", "labels")
	if err != nil || !found {
		return patch, err
	}
	if err := unstructured.SetNestedStringMap(body, swapped(labels, a.RevisionLabel, plan.HashLabel), "metadata", "labels"); err != nil {
		return nil, err
	}
	return json.Marshal(body)
}
