package variants

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
	"github.com/rollcall-conformance/rollcall/impl/inplace"
)

// brokenPatchMeetings are right as long as the API server has one answer for all pods.
func brokenPatchMeetings() []Variant {
	return []Variant{
		{Name: "reports-no-refusal-of-what-it-patched-elsewhere",
			Says:   "Has no condition for updates in place that the API server refuses once another pod has come to the same template in place.",
			Breaks: []string{"INPLACE-022"}, Planner: seeing(forgetRefusalsOfWhatWasTaken)},
	}
}

// forgetRefusalsOfWhatWasTaken takes refusals for something that passes: the API server has taken the images from another pod.
func forgetRefusalsOfWhatWasTaken(state *plan.State, _ time.Time) {
	if len(state.RefusedUpdates) == 0 {
		return
	}
	hash := templateHashOf(*state)
	if slices.ContainsFunc(state.Pods, func(pod *corev1.Pod) bool {
		_, patched := pod.Annotations[inplace.Record]
		return patched && pod.Labels[plan.HashLabel] == hash && metav1.IsControlledBy(pod, state.DaemonSet)
	}) {
		state.RefusedUpdates = nil
	}
}
