package plan

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/impl/inplace"
)

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

// patchable reports whether the pod can become an updated one by a patch: it runs (INPLACE-021), and its template differs from the current one in
// nothing but images of containers.
func (p *pass) patchable(pod *corev1.Pod) bool {
	if pod == nil || !inplace.Wanted(p.ds) || !inplace.Runs(pod) {
		return false
	}
	hash := pod.Labels[HashLabel]
	known, decided := p.onlyImages[hash]
	if !decided {
		known = inplace.OnlyImagesDiffer(p.madeOf(pod), &p.ds.Spec.Template)
		p.onlyImages[hash] = known
	}
	return known
}

// madeOf returns the template that the pod is labelled with; nil if no history tells.
func (p *pass) madeOf(pod *corev1.Pod) *corev1.PodTemplateSpec {
	return StoredTemplate(p.history.revisions[pod.Labels[HashLabel]])
}

// updateOf returns the patch that makes the pod an updated one, with the record by which any process can tell later whether it has taken effect.
func (p *pass) updateOf(pod *corev1.Pod, node string, reason Reason) (PodUpdate, error) {
	images := inplace.Images(pod, p.madeOf(pod), &p.ds.Spec.Template)
	update := PodUpdate{Pod: pod, Node: node, Reason: reason, Images: images, Labels: map[string]string{HashLabel: p.history.hash}}
	if generation := templateGeneration(p.ds); generation != "" {
		update.Labels[GenerationLabel] = generation
	}
	record, err := inplace.RecordOf(pod, images, p.now)
	if err != nil {
		return update, err
	}
	update.Annotations = map[string]string{inplace.Record: record}
	return update, nil
}

// believe returns pods with what is known better than their status says, and asks for another pass where only time can tell.
func (p *pass) believe(pods []*corev1.Pod) []*corev1.Pod {
	believed := make([]*corev1.Pod, len(pods))
	for i, pod := range pods {
		is, lapse := inplace.Believe(pod, p.now)
		if lapse.After(p.now) {
			p.comeBack(lapse)
		}
		believed[i] = is
	}
	return believed
}
