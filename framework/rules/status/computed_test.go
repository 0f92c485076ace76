package status_test

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	. "github.com/rollcall-conformance/rollcall/framework/rules/rulestest"
	"github.com/rollcall-conformance/rollcall/framework/rules/status"
)

// observes is a status that observes the generation, and counts so many updated nodes.
func observes(ds *DaemonSet, updated int32) {
	ds.Status(func(status *appsv1.DaemonSetStatus) {
		status.ObservedGeneration, status.UpdatedNumberScheduled = ds.Object().Generation, updated
	})
}

func TestAGenerationIsObservedWithNumbersOfItsTemplate(t *testing.T) {
	Breaks(t, status.StatusObserved(),
		Tell("the numbers of the template before", func(b *Builder) {
			ds, _ := reporting(b)
			ds.Update("v2")
			observes(ds, 2)
		}),
		Tell("the numbers of the template before, one of whose pods is updated by now", func(b *Builder) {
			ds, pods := reporting(b)
			ds.Update("v2")
			pods[0].Terminating().Gone()
			ds.Pod("second", NodeName(0))
			observes(ds, 2)
		}),
		Tell("the next generation, of another template", func(b *Builder) {
			ds, _ := reporting(b)
			ds.Update("v2")
			observes(ds, 0)
			b.After(judge.Lag)
			ds.Update("v3")
			observes(ds, 1)
		}),
		Tell("pods that the DaemonSet may not adopt", func(b *Builder) {
			ds := b.Nodes(2).DaemonSet("agent", MaxSurge("1"))
			b.Stranger("other", NodeName(0), map[string]string{"app": "other"})
			b.Stranger("leaving", NodeName(1), map[string]string{"app": "agent"}).Terminating()
			observes(ds, 1)
		}),
	)
	Keeps(t, status.StatusObserved(),
		Tell("pods that nobody controls yet, and that the DaemonSet may adopt", func(b *Builder) {
			b.Nodes(2).Stranger("left", NodeName(0), map[string]string{"app": "agent"})
			b.DaemonSet("agent", MaxSurge("1")).Status(func(status *appsv1.DaemonSetStatus) {
				status.ObservedGeneration, status.DesiredNumberScheduled, status.NumberUnavailable = 1, 2, 2
				status.CurrentNumberScheduled, status.UpdatedNumberScheduled = 1, 1
			})
		}),
		Tell("no node is updated yet", func(b *Builder) {
			ds, _ := reporting(b)
			ds.Update("v2")
			observes(ds, 0)
		}),
		Tell("a roll-back to the template of pods that are there, and of one that just went", func(b *Builder) {
			ds, pods := reporting(b)
			ds.Update("v2")
			observes(ds, 0)
			pods[0].Terminating().Gone()
			ds.Update("v1")
			observes(ds, 2)
		}),
		Tell("a roll-back to the template of pods that are there, and of one that somebody just took its controller from", func(b *Builder) {
			ds, pods := reporting(b)
			ds.Update("v2")
			observes(ds, 0)
			pods[0].Edit(func(pod *corev1.Pod) { pod.OwnerReferences = nil })
			ds.Update("v1")
			observes(ds, 2)
		}),
		Tell("a pod of the template before that was given this one's label", func(b *Builder) {
			ds, pods := reporting(b)
			ds.Update("v2")
			ds.Revision("v2", 2)
			observes(ds, 0)
			b.Stimulus(history.LabelPod, pods[0])
			pods[0].Edit(func(pod *corev1.Pod) { pod.Labels[RevisionLabel] = "v2" })
			ds.Set(MinReadySeconds(5))
			observes(ds, 1)
		}),
		Tell("another change of the spec", func(b *Builder) {
			ds, pods := reporting(b)
			b.Stimulus(history.DeletePod, pods[0])
			pods[0].Terminating().Gone()
			ds.Set(MinReadySeconds(5))
			observes(ds, 2)
		}),
	)
}
