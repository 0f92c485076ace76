package variants

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
	"github.com/rollcall-conformance/rollcall/impl/inplace"
)

// brokenPatchSlips are right about the first update of a pod in place, in an edit that changes nothing else.
func brokenPatchSlips() []Variant {
	return []Variant{
		{Name: "remembers-what-a-pod-came-to", Says: "Believes at once that an update in place is done which the pod has been through before, to the same revision.",
			Breaks: []string{"INPLACE-013"}, Planner: remember(believeAgain)},
		{Name: "recreates-where-the-spec-changes-too", Says: "Recreates pods where minReadySeconds change in the edit that changes the images.",
			Breaks:  []string{"INPLACE-003"},
			Planner: remember(recreateWithSpec)},
	}
}

// believeAgain keeps in mind which pods have come to which revision, and does not read the record of a pod that is of such a one again.
func believeAgain(m *memory[map[string]bool]) Around {
	return func(next plan.Planner) plan.Planner {
		return func(state plan.State, now time.Time) plan.Actions {
			came := m.of(state)
			if *came == nil {
				*came = map[string]bool{}
			}
			key := func(pod *corev1.Pod) string { return string(pod.UID) + pod.Labels[plan.HashLabel] }
			for _, pod := range state.Pods {
				if pod.Annotations[inplace.Proof] != "" && len(inplace.Proofs([]*corev1.Pod{pod}, now)) == 0 && isDone(pod, now) {
					(*came)[key(pod)] = true
				}
			}
			changePods(&state, func(pod *corev1.Pod) bool { return (*came)[key(pod)] }, func(pod *corev1.Pod) { delete(pod.Annotations, inplace.Record) })
			return next(state, now)
		}
	}
}

// isDone reports whether the pod's last update in place has taken effect: a Ready condition that says True is believed.
func isDone(pod *corev1.Pod, now time.Time) bool {
	believed, _ := inplace.Believe(pod, now)
	return plan.IsReady(believed)
}

// specEdit is what the spec was before the generation that is being rolled out.
type specEdit struct {
	spec  appsv1.DaemonSetSpec
	mixed bool
}

// recreateWithSpec compares all of the spec but the images with that of the template before.
func recreateWithSpec(m *memory[specEdit]) Around {
	return recreating(func(state plan.State) bool {
		last, spec := m.of(state), state.DaemonSet.Spec
		if !apiequality.Semantic.DeepEqual(last.spec.Template, spec.Template) {
			last.mixed = last.spec.Selector != nil && last.spec.MinReadySeconds != spec.MinReadySeconds
		}
		last.spec = *spec.DeepCopy()
		return last.mixed
	})
}
