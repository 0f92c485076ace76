package simulation

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	shared "github.com/rollcall-conformance/rollcall/framework/schedule"
)

// rolloutActs are what a user does to the DaemonSet.
func rolloutActs(f flavour) []act {
	return []act{
		{"update", 8, func(w *world, _, _ int) { w.release("", nil) }},
		{"roll back", 4, func(w *world, a, _ int) {
			template := w.templates[a%len(w.templates)]
			w.api.editDaemonSet("back to "+image(&template.Spec), func(spec *appsv1.DaemonSetSpec) {
				spec.Template = *template.DeepCopy()
			})
		}},
		{"update to a slow image", 2, func(w *world, _, _ int) { w.release(suffixSlow, nil) }},
		{"update to a broken image", 2, func(w *world, _, _ int) { w.release(suffixBroken, nil) }},
		{"update to a crashing image", 1, func(w *world, _, _ int) { w.release(suffixCrashing, nil) }},
		{"update all but the image", 1, func(w *world, a, _ int) {
			template := *w.api.daemonSet().Spec.Template.DeepCopy()
			grace := int64(len(w.templates) + a)
			template.Spec.TerminationGracePeriodSeconds = &grace
			w.templates = append(w.templates, template)
			w.api.editDaemonSet("another grace period", func(spec *appsv1.DaemonSetSpec) { spec.Template = *template.DeepCopy() })
		}},
		{"update to run on one pool", 1, func(w *world, a, _ int) {
			w.release("", func(spec *corev1.PodSpec) {
				spec.NodeSelector = map[string]string{poolLabel: fmt.Sprintf("pool-%d", a%2)}
			})
		}},
		{"update to run on every pool", 1, func(w *world, _, _ int) {
			w.release("", func(spec *corev1.PodSpec) { spec.NodeSelector = nil })
		}},
		{"update to tolerate the taint", 1, func(w *world, _, _ int) {
			w.release("", func(spec *corev1.PodSpec) {
				spec.Tolerations = []corev1.Toleration{{Key: taintKey, Operator: corev1.TolerationOpExists}}
			})
		}},
		{"update not to tolerate the taint", 1, func(w *world, _, _ int) {
			w.release("", func(spec *corev1.PodSpec) { spec.Tolerations = nil })
		}},
		{"update what pods tolerate", 1, func(w *world, a, _ int) {
			all := shared.Tolerations(taintKey)
			w.release("", all[a%len(all)].Apply)
		}},
		{"update where pods run", 2, func(w *world, a, b int) {
			all := shared.Placements(shared.Pool{Label: poolLabel, Values: [2]string{"pool-0", "pool-1"}}, fmt.Sprintf("node-%d", b%w.joined+1))
			w.release("", all[a%len(all)].Apply)
		}},
		{"change the strategy", 4, func(w *world, a, _ int) {
			next := f.strategies[a%len(f.strategies)]
			w.api.editDaemonSet(next.String(), func(spec *appsv1.DaemonSetSpec) { spec.UpdateStrategy = specOf(next) })
		}},
		{"change minReadySeconds", 2, func(w *world, a, _ int) {
			seconds := int32(a % 12)
			w.api.editDaemonSet(fmt.Sprintf("minReadySeconds %d", seconds), func(spec *appsv1.DaemonSetSpec) { spec.MinReadySeconds = seconds })
		}},
		{"change revisionHistoryLimit", 1, func(w *world, a, _ int) {
			limit := int32(a % 4)
			w.api.editDaemonSet(fmt.Sprintf("revisionHistoryLimit %d", limit), func(spec *appsv1.DaemonSetSpec) { spec.RevisionHistoryLimit = &limit })
		}},
	}
}

// release updates the DaemonSet to an image that no template had before.
func (w *world) release(suffix string, edit func(*corev1.PodSpec)) {
	template := *w.api.daemonSet().Spec.Template.DeepCopy()
	template.Spec.Containers[0].Image = fmt.Sprintf("daemon:v%d%s", len(w.templates)+1, suffix)
	if edit != nil {
		edit(&template.Spec)
	}
	w.templates = append(w.templates, template)
	w.api.editDaemonSet(image(&template.Spec), func(spec *appsv1.DaemonSetSpec) { spec.Template = *template.DeepCopy() })
}
