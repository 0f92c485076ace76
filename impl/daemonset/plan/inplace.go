package plan

import (
	"encoding/json"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// PodUpdatePolicy is the annotation of a DaemonSet that says how old pods become updated ones. docs/in-place-update.md documents it as an API.
const PodUpdatePolicy = "rollcall.dev/pod-update-policy"

// Values of PodUpdatePolicy. Without the annotation, and with any other value, it is Recreate.
const (
	// PolicyRecreate: an old pod is deleted and another one created (INPLACE-002).
	PolicyRecreate = "Recreate"
	// PolicyInPlaceIfPossible: an old pod is patched where nothing but images of containers differs (INPLACE-003), else recreated.
	PolicyInPlaceIfPossible = "InPlaceIfPossible"
)

// updatesInPlace says whether old pods of ds are to be patched where they can be.
func updatesInPlace(ds *appsv1.DaemonSet) bool {
	return ds.Annotations[PodUpdatePolicy] == PolicyInPlaceIfPossible
}

// replace makes the node's old pod an updated one, or makes room for one: it patches the pod if it may, and deletes it if not. Either counts the same
// for the limits.
func (p *pass) replace(view *nodeView, reason Reason) {
	old := view.old()
	if !p.patchable(old) {
		p.remove(view, old, reason)
		return
	}
	update, err := p.updateOf(old, view.name, reason)
	if err != nil {
		p.actions.Err = err
		return
	}
	p.actions.UpdatePods = append(p.actions.UpdatePods, update)
}

// patchable says whether the pod can become an updated one by a patch: it runs (INPLACE-021), and its template differs from the current one in
// nothing but images of containers.
func (p *pass) patchable(pod *corev1.Pod) bool {
	if pod == nil || !updatesInPlace(p.ds) || pod.DeletionTimestamp != nil || pod.Spec.NodeName == "" || pod.Status.Phase != corev1.PodRunning {
		return false
	}
	hash := pod.Labels[HashLabel]
	known, decided := p.onlyImages[hash]
	if !decided {
		known = onlyImagesDiffer(storedTemplate(p.history.revisions[hash]), &p.ds.Spec.Template)
		p.onlyImages[hash] = known
	}
	return known
}

// onlyImagesDiffer says whether a pod of template from becomes one of template to when it gets other images for containers that are not init
// containers (INPLACE-004 to INPLACE-009). A template that is not known is nil.
func onlyImagesDiffer(from, to *corev1.PodTemplateSpec) bool {
	if from == nil || len(from.Spec.Containers) != len(to.Spec.Containers) {
		return false
	}
	changed := from.DeepCopy()
	for i := range changed.Spec.Containers {
		changed.Spec.Containers[i].Image = to.Spec.Containers[i].Image
	}
	return apiequality.Semantic.DeepEqual(changed, to)
}

// updateOf returns the patch that makes the pod an updated one, with the record by which any process can tell later whether it has taken effect.
func (p *pass) updateOf(pod *corev1.Pod, node string, reason Reason) (PodUpdate, error) {
	update := PodUpdate{
		Pod: pod, Node: node, Reason: reason, Images: map[string]string{},
		Labels: map[string]string{HashLabel: p.history.hash},
	}
	if generation := templateGeneration(p.ds); generation != "" {
		update.Labels[GenerationLabel] = generation
	}
	wanted := map[string]string{}
	for _, container := range p.ds.Spec.Template.Spec.Containers {
		wanted[container.Name] = container.Image
	}
	for _, container := range pod.Spec.Containers {
		if image, ours := wanted[container.Name]; ours && image != container.Image {
			update.Images[container.Name] = image
		}
	}
	encoded, err := json.Marshal(nextRecord(pod, update.Images, p.now))
	if err != nil {
		return update, fmt.Errorf("encode the record of an update of pod %s: %w", pod.Name, err)
	}
	update.Annotations = map[string]string{UpdateRecord: string(encoded)}
	return update, nil
}

// believe returns pods with what is known better than their status says: a pod that was patched is not Ready until its changed containers have been
// restarted (INPLACE-013), and Ready no earlier than they. It asks for another pass where only time can tell.
func (p *pass) believe(pods []*corev1.Pod) []*corev1.Pod {
	believed := make([]*corev1.Pod, len(pods))
	for i, pod := range pods {
		believed[i] = pod
		record, recorded := recordOf(pod)
		if !recorded {
			continue
		}
		done, since, lapse := record.done(pod, p.now)
		if lapse.After(p.now) {
			p.comeBack(lapse)
		}
		believed[i] = pod.DeepCopy()
		for c := range believed[i].Status.Conditions {
			if condition := &believed[i].Status.Conditions[c]; condition.Type == corev1.PodReady {
				correct(condition, done, since)
			}
		}
	}
	return believed
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
