package simulation

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// podActs are what happens to single pods.
func podActs() []act {
	return []act{
		{"a pod becomes unready", 5, onPod(history.BecomeUnready, func(w *world, pod *corev1.Pod) { w.kubelets.setUnready(pod.UID, true) })},
		{"a pod becomes ready", 3, onPodThat((*kubelets).isUnready, history.BecomeReady, func(w *world, pod *corev1.Pod) { w.kubelets.setUnready(pod.UID, false) })},
		{"nobody knows whether a pod is ready", 1, onPod(history.BecomeUnready, func(w *world, pod *corev1.Pod) { w.kubelets.loseReadiness(pod) })},
		{"a pod fails", 3, onPod(history.FailPod, func(w *world, pod *corev1.Pod) { w.kubelets.finish(pod.UID, corev1.PodFailed) })},
		{"a pod succeeds", 1, onPod(history.SucceedPod, func(w *world, pod *corev1.Pod) { w.kubelets.finish(pod.UID, corev1.PodSucceeded) })},
		{"somebody deletes a pod", 3, onPod(history.DeletePod, deletePod)},
		{"somebody evicts a pod", 2, onPod(history.EvictPod, deletePod)},
		{"somebody deletes a pod by force", 1, onPod(history.DeletePod, func(w *world, pod *corev1.Pod) {
			w.api.remove(history.KindPod, pod.Name)
		})},
		{"a pod is slow to end", 3, onPod(history.HoldTermination, func(w *world, pod *corev1.Pod) { w.kubelets.hold(pod.UID, true) })},
		{"a pod ends at last", 3, onPodThat((*kubelets).isHeld, history.ReleaseTermination, func(w *world, pod *corev1.Pod) { w.kubelets.hold(pod.UID, false) })},
		{"somebody takes a label off a pod", 1, onPod(history.LabelPod, func(w *world, pod *corev1.Pod) {
			w.api.updatePod(pod.Name, func(pod *corev1.Pod) { delete(pod.Labels, appLabel) })
		})},
		{"an orphan appears", 1, func(w *world, a, b int) {
			if nodes := w.api.nodes(); len(nodes) > 0 {
				w.createPod(w.orphan(b), nodes[a%len(nodes)].Name)
			}
		}},
	}
}

// orphan returns a pod that the DaemonSet will adopt: one that a revision made, or one that it knows nothing about.
func (w *world) orphan(b int) *corev1.Pod {
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("orphan-%d", w.api.created), Labels: map[string]string{appLabel: daemonSetName}},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "daemon", Image: "daemon:unknown"}}},
	}
	revisions := w.api.revisions()
	if len(revisions) == 0 || b%2 == 0 {
		return pod
	}
	revision := revisions[b%len(revisions)]
	if template, err := history.TemplateIn(revision); err == nil {
		pod.Spec = template.Spec
		pod.Labels[plan.HashLabel] = revision.Labels[plan.HashLabel]
	}
	return pod
}

// onPod is an act on one of the DaemonSet's pods.
func onPod(stimulus history.Act, do func(*world, *corev1.Pod)) func(*world, int, int) {
	return onPodThat(nil, stimulus, do)
}

// onPodThat is an act on one of the DaemonSet's pods, which undoes an earlier one. In a shared schedule that is one on which the earlier one has been.
func onPodThat(undoes func(*kubelets, types.UID) bool, stimulus history.Act, do func(*world, *corev1.Pod)) func(*world, int, int) {
	return func(w *world, a, b int) {
		its, choice := w.podsToChooseFrom(undoes), a*21+b
		if w.setup.Shared {
			choice = a
		}
		if len(its) == 0 {
			return
		}
		pod := its[choice%len(its)]
		w.api.notePod(stimulus, pod)
		do(w, pod)
	}
}

// podsToChooseFrom are the DaemonSet's pods. In a shared schedule they are the live ones, by node and age, as on a real control plane.
func (w *world) podsToChooseFrom(undoes func(*kubelets, types.UID) bool) []*corev1.Pod {
	var its []*corev1.Pod
	for _, pod := range w.api.pods() {
		switch {
		case !metav1.IsControlledBy(pod, w.api.daemonSet()):
		case w.setup.Shared && undoes != nil && !undoes(w.kubelets, pod.UID):
		case w.setup.Shared && undoes == nil && !history.IsLive(pod):
		default:
			its = append(its, pod)
		}
	}
	if w.setup.Shared {
		slices.SortStableFunc(its, func(a, b *corev1.Pod) int {
			return cmp.Or(strings.Compare(history.NodeOf(a), history.NodeOf(b)), a.CreationTimestamp.Compare(b.CreationTimestamp.Time))
		})
	}
	return its
}

func deletePod(w *world, pod *corev1.Pod) {
	// The pod was there just now.
	_ = w.api.deletePod(pod.Name, "", "")
}
