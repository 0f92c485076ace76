// Package inplace knows what it is to update a pod in place, whichever workload it is of: which pods can be, by what patch, and from when on a patched pod is
// one that can be counted on again. docs/in-place-update.md says what it promises. It decides nothing about when to update which pod, and writes nothing.
package inplace

import (
	"encoding/json"
	"fmt"
	"maps"
	"time"

	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Policy is the annotation of a workload that says how old pods become updated ones. docs/in-place-update.md documents it as an API.
const Policy = "rollcall.dev/pod-update-policy"

// Values of Policy. Without the annotation, and with any other value, it is Recreate.
const (
	// Recreate: an old pod is deleted and another one created (INPLACE-002).
	Recreate = "Recreate"
	// IfPossible: an old pod is patched where nothing but images of containers differs (INPLACE-003), else recreated.
	IfPossible = "InPlaceIfPossible"
)

// Wanted reports whether old pods of the workload with these metadata are to be patched where they can be.
func Wanted(workload metav1.Object) bool { return workload.GetAnnotations()[Policy] == IfPossible }

// Runs reports whether the pod can be patched at all: it is scheduled, running and not being deleted (INPLACE-021).
func Runs(pod *corev1.Pod) bool {
	return pod.DeletionTimestamp == nil && pod.Spec.NodeName != "" && pod.Status.Phase == corev1.PodRunning
}

// OnlyImagesDiffer reports whether a pod of template from becomes one of template to when it gets other images for containers that are not init
// containers (INPLACE-004 to INPLACE-009). A template that is not known is nil. Neither is changed (INPLACE-010).
func OnlyImagesDiffer(from, to *corev1.PodTemplateSpec) bool {
	if from == nil || len(from.Spec.Containers) != len(to.Spec.Containers) {
		return false
	}
	changed := from.DeepCopy()
	for i := range changed.Spec.Containers {
		changed.Spec.Containers[i].Image = to.Spec.Containers[i].Image
	}
	return apiequality.Semantic.DeepEqual(changed, to)
}

// Images returns the images that make the pod, one of template from, one of template to, by the names of the containers. One that both templates give the same image
// is left alone, whatever image admission gave it (INPLACE-016). A template from that is not known is nil: then every container of to gets its image.
func Images(pod *corev1.Pod, from, to *corev1.PodTemplateSpec) map[string]string {
	wanted := imagesOf(to)
	if from != nil {
		same := imagesOf(from)
		maps.DeleteFunc(wanted, func(name, image string) bool { return same[name] == image })
	}
	images := map[string]string{}
	for _, container := range pod.Spec.Containers {
		if image, ours := wanted[container.Name]; ours && image != container.Image {
			images[container.Name] = image
		}
	}
	return images
}

func imagesOf(template *corev1.PodTemplateSpec) map[string]string {
	images := map[string]string{}
	for _, container := range template.Spec.Containers {
		images[container.Name] = container.Image
	}
	return images
}

// RecordOf returns the value of Record that goes with a patch of pod to the images, by the names of containers, at now. By it any process can tell later
// whether the patch has taken effect.
func RecordOf(pod *corev1.Pod, images map[string]string, now time.Time) (string, error) {
	encoded, err := json.Marshal(nextRecord(pod, images, now))
	if err != nil {
		return "", fmt.Errorf("encode the record of an update of pod %s: %w", pod.Name, err)
	}
	return string(encoded), nil
}

// Patch returns the strategic merge patch that gives pod the images, by the names of containers, with labels and annotations, as it was seen and in no
// other state.
func Patch(pod *corev1.Pod, images, labels, annotations map[string]string) ([]byte, error) {
	var containers []map[string]string
	for _, container := range pod.Spec.Containers {
		if image, changes := images[container.Name]; changes {
			containers = append(containers, map[string]string{"name": container.Name, "image": image})
		}
	}
	body := map[string]any{"metadata": map[string]any{
		"uid": pod.UID, "resourceVersion": pod.ResourceVersion, "labels": labels, "annotations": annotations,
	}}
	if len(containers) > 0 {
		body["spec"] = map[string]any{"containers": containers}
	}
	encoded, err := json.Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("encode the update of pod %s: %w", pod.Name, err)
	}
	return encoded, nil
}

// Believe returns the pod with what is known better than its status says: one that was patched is not Ready until its changed containers have been
// restarted (INPLACE-013), and Ready no earlier than they. Where only time can tell, lapse is when it does; else it is zero.
func Believe(pod *corev1.Pod, now time.Time) (believed *corev1.Pod, lapse time.Time) {
	record, recorded := recordOf(pod)
	if !recorded {
		return pod, time.Time{}
	}
	done, since, lapse := record.done(pod, now)
	believed = pod.DeepCopy()
	for c := range believed.Status.Conditions {
		if condition := &believed.Status.Conditions[c]; condition.Type == corev1.PodReady {
			correct(condition, done, since)
		}
	}
	return believed, lapse
}

// correct makes the condition one that is True only if done, and since no earlier than a time.
func correct(ready *corev1.PodCondition, done bool, since metav1.Time) {
	if !done {
		ready.Status = corev1.ConditionFalse
	}
	if !ready.LastTransitionTime.IsZero() && ready.LastTransitionTime.Before(&since) {
		ready.LastTransitionTime = since
	}
}
