package recorder

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
)

// MarkAnnotation is changed on an object to make an event that means nothing to anybody but a Recorder that proves its recording complete.
const MarkAnnotation = "rollcall.dev/end-of-recording"

// errNothingToMark is returned by a Source.Mark where there is no place for a mark: the namespace does not exist, or no node is the scenario's.
var errNothingToMark = errors.New("there is nothing to mark")

// writer is what typed clients offer to make a mark.
type writer[O runtime.Object] interface {
	Create(ctx context.Context, object O, options metav1.CreateOptions) (O, error)
	Patch(ctx context.Context, name string, how types.PatchType, patch []byte, options metav1.PatchOptions, subresources ...string) (O, error)
}

// markOne changes the annotation of one of the source's objects.
func markOne[O runtime.Object](ctx context.Context, source Source, client writer[O]) (uint64, error) {
	objects, _, err := source.list(ctx)
	if err != nil {
		return 0, err
	}
	patch := fmt.Appendf(nil, `{"metadata":{"annotations":{%q:%q}}}`, MarkAnnotation, strconv.FormatInt(time.Now().UnixNano(), 10))
	for _, object := range objects {
		marked, err := client.Patch(ctx, object.GetName(), types.MergePatchType, patch, metav1.PatchOptions{})
		if !apierrors.IsNotFound(err) {
			return versionOf(marked, err)
		}
	}
	return 0, errNothingToMark
}

// mark is markOne, or makes an inert object if there is none.
func mark[O runtime.Object](ctx context.Context, source Source, client writer[O], inert O) (uint64, error) {
	version, err := markOne(ctx, source, client)
	if !errors.Is(err, errNothingToMark) {
		return version, err
	}
	marked, err := client.Create(ctx, inert, metav1.CreateOptions{})
	if apierrors.IsNotFound(err) {
		return 0, errNothingToMark
	}
	return versionOf(marked, err)
}

func versionOf(object runtime.Object, err error) (uint64, error) {
	if err != nil {
		return 0, err
	}
	accessor, err := meta.Accessor(object)
	if err != nil {
		return 0, err
	}
	return strconv.ParseUint(accessor.GetResourceVersion(), 10, 64)
}

// inertName is what the objects are called that are made as marks.
const inertName = "rollcall-end-of-recording"

func inertMeta() metav1.ObjectMeta { return metav1.ObjectMeta{Name: inertName} }

func inertLabels() map[string]string { return map[string]string{MarkAnnotation: ""} }

func inertSelector() *metav1.LabelSelector { return &metav1.LabelSelector{MatchLabels: inertLabels()} }

func inertTemplate() corev1.PodTemplateSpec {
	return corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: inertLabels()},
		// No node has the label, so nothing is ever run.
		Spec: corev1.PodSpec{NodeSelector: inertLabels(), Containers: []corev1.Container{{Name: "none", Image: "rollcall.dev/none"}}},
	}
}

func inertDaemonSet() *appsv1.DaemonSet {
	return &appsv1.DaemonSet{ObjectMeta: inertMeta(), Spec: appsv1.DaemonSetSpec{Selector: inertSelector(), Template: inertTemplate()}}
}

func inertStatefulSet() *appsv1.StatefulSet {
	return &appsv1.StatefulSet{
		ObjectMeta: inertMeta(), Spec: appsv1.StatefulSetSpec{Replicas: new(int32), Selector: inertSelector(), Template: inertTemplate()},
	}
}

func inertPod() *corev1.Pod {
	spec := inertTemplate().Spec
	spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: MarkAnnotation}}
	return &corev1.Pod{ObjectMeta: inertMeta(), Spec: spec}
}

func inertRevision() *appsv1.ControllerRevision {
	return &appsv1.ControllerRevision{ObjectMeta: inertMeta(), Data: runtime.RawExtension{Raw: []byte("{}")}, Revision: 1}
}

func inertBudget() *policyv1.PodDisruptionBudget {
	return &policyv1.PodDisruptionBudget{ObjectMeta: inertMeta(), Spec: policyv1.PodDisruptionBudgetSpec{Selector: inertSelector()}}
}
