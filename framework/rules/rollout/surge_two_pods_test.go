package rollout_test

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules/rollout"
	. "github.com/rollcall-conformance/rollcall/framework/rules/rulestest"
)

func TestSurgeTwoPods(t *testing.T) {
	j := rollout.SurgeTwoPods()
	Breaks(t, j,
		Tell("a third pod in a rollover, before the second is pruned", func(b *Builder) {
			ds, _ := Running(b, 1, MaxSurge("1"))
			ds.Update("v2").Pod("second", NodeName(0))
			ds.Update("v3").Pod("third", NodeName(0))
		}),
		Tell("a second old pod, of a template given up long ago", func(b *Builder) {
			ds, _ := Running(b, 1, MaxSurge("1"))
			ds.Update("v2").Update("v3")
			b.After(judge.Lag)
			ds.PodOf("v2", "stale", NodeName(0))
		}),
		Tell("a third pod just after maxSurge was taken back", func(b *Builder) {
			ds, _ := Running(b, 1, MaxSurge("1"))
			ds.Update("v2").Pod("second", NodeName(0))
			ds.Update("v3").Set(MaxUnavailable("1"))
			ds.Pod("third", NodeName(0))
		}),
	)
	Keeps(t, j,
		Tell("one old, one updated", func(b *Builder) {
			ds, _ := Running(b, 1, MaxSurge("1"))
			ds.Update("v2").Pod("second", NodeName(0))
		}),
		Tell("a rollover that prunes first", func(b *Builder) {
			ds, _ := Running(b, 1, MaxSurge("1"))
			second := ds.Update("v2").Pod("second", NodeName(0))
			ds.Update("v3")
			second.Terminating()
			ds.Pod("third", NodeName(0))
		}),
		Tell("a failed pod beside the two", func(b *Builder) {
			ds, _ := Running(b, 1, MaxSurge("1"))
			ds.Update("v2").Pod("second", NodeName(0)).Failed()
			ds.Pod("third", NodeName(0))
		}),
		Tell("a pod of the template given up just now", func(b *Builder) {
			ds, _ := Running(b, 1, MaxSurge("1"))
			ds.Update("v2").Update("v3")
			b.After(judge.Lag - 5*time.Millisecond)
			ds.PodOf("v2", "stale", NodeName(0))
		}),
	)
	Ignores(t, j,
		Tell("the harness puts pods there", func(b *Builder) {
			ds, _ := Running(b, 1, MaxSurge("1"))
			ds.Update("v2")
			for _, name := range []string{"second", "third"} {
				b.Stimulus(history.CreatePod, Object(history.KindPod, name))
				ds.Pod(name, NodeName(0))
			}
		}),
		Tell("orphans are adopted", func(b *Builder) {
			ds, pods := Running(b, 1, MaxSurge("1"))
			owned := pods[0].Object()
			for _, name := range []string{"second", "third"} {
				b.Stimulus(history.CreatePod, Object(history.KindPod, name))
				b.Stranger(name, NodeName(0), owned.Labels).Edit(func(pod *corev1.Pod) { pod.OwnerReferences = owned.OwnerReferences })
			}
			ds.Observed()
		}),
		Tell("pods that were there before the recording", func(b *Builder) {
			b.After(-time.Hour).Nodes(1)
			ds := b.DaemonSet("agent", MaxSurge("1"))
			for _, name := range []string{"first", "second", "third"} {
				ds.Pod(name, NodeName(0))
			}
		}),
	)
}
