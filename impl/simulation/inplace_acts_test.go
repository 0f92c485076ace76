package simulation

import (
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/impl/inplace"
)

// otherContainer is what the second container of pods is called, where they have one.
const otherContainer = "other"

// inPlaceActs are what crosses updates in place, or makes them none.
func inPlaceActs() []act {
	return []act{
		{"update the other container", 4, releasing(func(w *world, spec *corev1.PodSpec, _ int) {
			// The first one stays as it is.
			spec.Containers[0].Image = image(&w.api.daemonSet().Spec.Template.Spec)
			w.updateOther(spec)
		})},
		{"update every container", 3, releasing(func(w *world, spec *corev1.PodSpec, _ int) { w.updateOther(spec) })},
		{"update to one container", 1, releasing(func(_ *world, spec *corev1.PodSpec, _ int) { spec.Containers = spec.Containers[:1] })},
		{"update an init container", 2, releasing(func(w *world, spec *corev1.PodSpec, _ int) {
			spec.InitContainers = initContainer(fmt.Sprintf("init:v%d", len(w.templates)+1))
		})},
		{"update, and take it back at once", 4, func(w *world, a, _ int) {
			before := *w.api.daemonSet().Spec.Template.DeepCopy()
			w.release("", nil)
			w.advance(time.Duration(a) * 100 * time.Millisecond)
			w.api.editDaemonSet("back to "+image(&before.Spec), func(spec *appsv1.DaemonSetSpec) { spec.Template = before })
		}},
		{"a container is restarted", 5, onPod(history.RestartContainer, func(w *world, pod *corev1.Pod) { w.kubelets.crash(pod) })},
		{"the API server refuses updates of pods", 2, func(w *world, _, _ int) {
			w.api.noteControl(history.Stimulus{Act: history.RefusePodUpdates, Kind: history.KindNamespace, Name: namespace}, func() { w.controller.unpatchable = true })
		}},
		{"the API server admits updates of pods", 3, func(w *world, _, _ int) { w.admitUpdates() }},
	}
}

func initContainer(image string) []corev1.Container {
	return []corev1.Container{{Name: "init", Image: image}}
}

// updateOther gives the second container an image that none had before; there may be none yet.
func (w *world) updateOther(spec *corev1.PodSpec) {
	other := corev1.Container{Name: otherContainer, Image: fmt.Sprintf("other:v%d", len(w.templates)+1)}
	spec.Containers = append(spec.Containers[:1], other)
}

// admitUpdates lets pods be updated again.
func (w *world) admitUpdates() {
	if w.controller.unpatchable {
		w.api.noteControl(history.Stimulus{Act: history.AdmitPodUpdates, Kind: history.KindNamespace, Name: namespace}, func() { w.controller.unpatchable = false })
	}
}

// switchPolicy has the DaemonSet ask for updates in place if it did not, and no longer if it did.
func switchPolicy(w *world, _, _ int) {
	ds := w.api.daemonSet()
	policy := inplace.IfPossible
	if ds.Annotations[inplace.Policy] == policy {
		policy = inplace.Recreate
	}
	w.api.note(history.Stimulus{
		Act: history.UpdateDaemonSet, Kind: history.KindDaemonSet, Namespace: namespace, Name: ds.Name, UID: ds.UID, Detail: "pod update policy " + policy,
	})
	// The edit cannot fail and the DaemonSet exists.
	_ = w.api.update(history.KindDaemonSet, ds.Name, func(object history.Object) error {
		object.(*appsv1.DaemonSet).Annotations[inplace.Policy] = policy
		return nil
	})
}
