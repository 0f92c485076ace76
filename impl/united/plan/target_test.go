package plan

import (
	"encoding/json"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
)

func TestAnEmptyAffinityIsTheTargetsOwnAndNoReasonToRestartPods(t *testing.T) {
	keys := KeysOf("default", "daemon")
	for says, affinity := range map[string]*corev1.Affinity{
		"none": nil, "an empty one": {}, "an empty one to nodes": {NodeAffinity: &corev1.NodeAffinity{}}, "one to pods": {PodAffinity: &corev1.PodAffinity{}},
		"one to pods and an empty one to nodes": {NodeAffinity: &corev1.NodeAffinity{}, PodAffinity: &corev1.PodAffinity{}},
	} {
		t.Run(says, func(t *testing.T) {
			own := &corev1.PodTemplateSpec{Spec: corev1.PodSpec{Affinity: affinity}}
			gated := Gate(own, keys, Original)
			if !alike(own, gated, keys) {
				t.Errorf("the template is another one with its gate: %+v", Ungate(gated, keys).Spec.Affinity)
			}
			target := &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "daemon", UID: types.UID("daemon")}}
			target.Spec.Template = *gated
			f := &family{keys: keys, target: target, template: Ungate(gated, keys)}
			f.Revisions = []*appsv1.ControllerRevision{revisionOf(t, target, gated, 2), revisionOf(t, target, own, 1)}
			if got := f.original(); !apiequality.Semantic.DeepEqual(got, own) {
				t.Errorf("it gets the affinity %+v back, not %+v", got.Spec.Affinity, affinity)
			}
		})
	}
}

// revisionOf is the DaemonSet's history of the template.
func revisionOf(t *testing.T, ds *appsv1.DaemonSet, template *corev1.PodTemplateSpec, number int64) *appsv1.ControllerRevision {
	t.Helper()
	data, err := json.Marshal(map[string]any{"spec": map[string]any{"template": template}})
	if err != nil {
		t.Fatal(err)
	}
	return &appsv1.ControllerRevision{
		ObjectMeta: metav1.ObjectMeta{OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(ds, appsv1.SchemeGroupVersion.WithKind("DaemonSet"))}},
		Data:       runtime.RawExtension{Raw: data}, Revision: number,
	}
}
