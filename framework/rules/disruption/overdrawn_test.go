package disruption_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/rules/disruption"
	. "github.com/rollcall-conformance/rollcall/framework/rules/rulestest"
)

func TestWhatAStatusMayStillSay(t *testing.T) {
	evict := func(b *Builder, budget *Budget, pod *Pod) {
		b.Stimulus(history.EvictPod, pod)
		budget.Disrupts(pod)
		pod.Evicted()
	}
	Keeps(t, disruption.Overdrawn(),
		Tell("another pod left the budget a moment before", func(b *Builder) {
			budget, _, pods := guarded(b, 3, MinAvailable("2"), 1, 2)
			b.Stimulus(history.LabelPod, pods[2])
			pods[2].Edit(func(pod *corev1.Pod) { pod.Labels = map[string]string{"app": "other"} })
			evict(b, budget, pods[0])
		}),
		Tell("the workload was scaled, and no pod has changed since", func(b *Builder) {
			budget, set, pods := guarded(b, 3, MaxDisrupted("1"), 1, 2)
			set.Scale(5)
			b.After(Long)
			evict(b, budget, pods[0])
		}))
	Keeps(t, disruption.DisruptedKept(), Tell("the pod is gone, and another one of its name is there within the second", func(b *Builder) {
		budget, set, pods := guarded(b, 3, MinAvailable("2"), 1, 2)
		evict(b, budget, pods[0])
		pods[0].Gone()
		set.Pod("web-a", NodeName(0))
		budget.Says(0, 2, 2, 3)
	}))
}
