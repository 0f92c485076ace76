package judge_test

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

func TestSurgeTwoPods(t *testing.T) {
	j := judge.SurgeTwoPods()
	breaks(t, j,
		story{"a third pod in a rollover, before the second is pruned", func(b *Builder) {
			ds, _ := running(b, 1, MaxSurge("1"))
			ds.Update("v2").Pod("second", node(0))
			ds.Update("v3").Pod("third", node(0))
		}},
		story{"a second old pod, of a template given up long ago", func(b *Builder) {
			ds, _ := running(b, 1, MaxSurge("1"))
			ds.Update("v2").Update("v3")
			b.After(judge.Lag)
			ds.PodOf("v2", "stale", node(0))
		}},
		story{"a third pod just after maxSurge was taken back", func(b *Builder) {
			ds, _ := running(b, 1, MaxSurge("1"))
			ds.Update("v2").Pod("second", node(0))
			ds.Update("v3").Set(MaxUnavailable("1"))
			ds.Pod("third", node(0))
		}},
	)
	keeps(t, j,
		story{"one old, one updated", func(b *Builder) {
			ds, _ := running(b, 1, MaxSurge("1"))
			ds.Update("v2").Pod("second", node(0))
		}},
		story{"a rollover that prunes first", func(b *Builder) {
			ds, _ := running(b, 1, MaxSurge("1"))
			second := ds.Update("v2").Pod("second", node(0))
			ds.Update("v3")
			second.Terminating()
			ds.Pod("third", node(0))
		}},
		story{"a failed pod beside the two", func(b *Builder) {
			ds, _ := running(b, 1, MaxSurge("1"))
			ds.Update("v2").Pod("second", node(0)).Failed()
			ds.Pod("third", node(0))
		}},
		story{"a pod of the template given up just now", func(b *Builder) {
			ds, _ := running(b, 1, MaxSurge("1"))
			ds.Update("v2").Update("v3")
			b.After(judge.Lag - 5*time.Millisecond)
			ds.PodOf("v2", "stale", node(0))
		}},
	)
	ignores(t, j,
		story{"the harness puts pods there", func(b *Builder) {
			ds, _ := running(b, 1, MaxSurge("1"))
			ds.Update("v2")
			for _, name := range []string{"second", "third"} {
				b.Stimulus("create pod", Object(history.KindPod, name))
				ds.Pod(name, node(0))
			}
		}},
		story{"orphans are adopted", func(b *Builder) {
			ds, pods := running(b, 1, MaxSurge("1"))
			owned := pods[0].Object()
			for _, name := range []string{"second", "third"} {
				b.Stimulus("create pod", Object(history.KindPod, name))
				b.Stranger(name, node(0), owned.Labels).Edit(func(pod *corev1.Pod) { pod.OwnerReferences = owned.OwnerReferences })
			}
			ds.Observed()
		}},
		story{"pods that were there before the recording", func(b *Builder) {
			b.After(-time.Hour).Nodes(1)
			ds := b.DaemonSet("agent", MaxSurge("1"))
			for _, name := range []string{"first", "second", "third"} {
				ds.Pod(name, node(0))
			}
		}},
	)
}

func TestSurgeOnePerRevision(t *testing.T) {
	j := judge.SurgeOnePerRevision()
	breaks(t, j,
		story{"two updated pods", func(b *Builder) {
			ds, pods := running(b, 1, MaxSurge("1"))
			pods[0].Terminating()
			ds.Update("v2").Pod("second", node(0))
			ds.Pod("third", node(0))
		}},
		story{"two pods of the old template", func(b *Builder) {
			ds, _ := running(b, 1, MaxSurge("1"))
			ds.Update("v2").PodOf("v1", "second", node(0))
		}},
		story{"a second pod without a rollout", func(b *Builder) {
			ds, _ := running(b, 1, MaxSurge("1"))
			ds.Pod("second", node(0))
		}},
		story{"a second pod under another label", func(b *Builder) {
			ds, pods := running(b, 1, MaxSurge("1"))
			pods[0].Edit(func(pod *corev1.Pod) { pod.Labels[RevisionLabel] = "other" })
			ds.Pod("second", node(0))
		}},
		story{"neither of two pods is like any template, but they have one label", func(b *Builder) {
			b.Nodes(1)
			ds := b.DaemonSet("agent", MaxSurge("1"))
			ds.PodOf("v0", "first", node(0))
			ds.PodOf("v0", "second", node(0))
		}},
	)
	keeps(t, j,
		story{"one old, one updated", func(b *Builder) {
			ds, _ := running(b, 1, MaxSurge("1"))
			ds.Update("v2").Pod("second", node(0))
		}},
		story{"one old, one updated, and the label lies", func(b *Builder) {
			ds, pods := running(b, 1, MaxSurge("1"))
			pods[0].Edit(func(pod *corev1.Pod) { pod.Labels[RevisionLabel] = "v2" })
			ds.Update("v2").Pod("second", node(0))
		}},
		story{"templates that differ only in tolerations", func(b *Builder) {
			ds, _ := running(b, 1, MaxSurge("1"))
			ds.Set(tolerating("dedicated")).Pod("second", node(0))
		}},
		story{"templates that differ only in a label taken away", func(b *Builder) {
			ds, _ := running(b, 1, MaxSurge("1"), labelled("tier", "gold"))
			ds.Set(unlabelled("tier")).Pod("second", node(0))
		}},
		story{"the twin is terminating", func(b *Builder) {
			ds, _ := running(b, 1, MaxSurge("1"))
			ds.Update("v2").Pod("second", node(0)).Terminating()
			ds.Pod("third", node(0))
		}},
	)
	ignores(t, j,
		story{"the twin is on another node", func(b *Builder) {
			ds, _ := running(b, 1, MaxSurge("1"))
			b.Node("node-2").Join()
			ds.Pod("second", node(1))
		}},
		story{"the twin is another DaemonSet's", func(b *Builder) {
			running(b, 1, MaxSurge("1"))
			b.DaemonSet("other", MaxSurge("1")).Pod("second", node(0))
		}},
	)
}

func TestRollingOnePod(t *testing.T) {
	j := judge.RollingOnePod()
	breaks(t, j,
		story{"the replacement comes before the old pod is deleted", func(b *Builder) {
			ds, _ := running(b, 1, MaxUnavailable("1"))
			ds.Update("v2").Pod("second", node(0))
		}},
		story{"a second pod with OnDelete", func(b *Builder) {
			ds, _ := running(b, 1, OnDelete())
			ds.Update("v2").Pod("second", node(0))
		}},
		story{"a replacement too many", func(b *Builder) {
			ds, pods := running(b, 1, MaxUnavailable("1"))
			ds.Update("v2")
			pods[0].Terminating()
			ds.Pod("second", node(0))
			ds.Pod("third", node(0))
		}},
		story{"another pod beside those that a switch from maxSurge left", func(b *Builder) {
			ds, pods := running(b, 1, MaxSurge("1"))
			ds.Update("v2").Pod("second", node(0))
			ds.Set(MaxUnavailable("1"))
			b.After(judge.Lag)
			pods[0].Terminating()
			ds.Pod("third", node(0))
		}},
	)
	keeps(t, j,
		story{"a replacement while the old pod terminates", func(b *Builder) {
			ds, pods := running(b, 1, MaxUnavailable("1"))
			ds.Update("v2")
			pods[0].Terminating()
			ds.Pod("second", node(0))
		}},
		story{"a replacement beside a failed pod", func(b *Builder) {
			ds, pods := running(b, 1, MaxUnavailable("1"))
			pods[0].Failed()
			ds.Pod("second", node(0))
		}},
		story{"a replacement long after", func(b *Builder) {
			ds, pods := running(b, 1, MaxUnavailable("1"))
			b.Stimulus("delete pod", pods[0])
			pods[0].Terminating().Gone()
			b.After(long)
			ds.Pod("second", node(0))
		}},
	)
	ignores(t, j,
		story{"the first pod of each node", func(b *Builder) { running(b, 3, MaxUnavailable("1")) }},
		story{"a surge pod just after maxSurge was taken back", func(b *Builder) {
			ds, _ := running(b, 1, MaxSurge("1"))
			ds.Update("v2").Set(MaxUnavailable("1"))
			ds.Pod("second", node(0))
		}},
		story{"two pods left by a switch from maxSurge", func(b *Builder) {
			ds, pods := running(b, 1, MaxSurge("1"))
			second := ds.Update("v2").Pod("second", node(0)).Ready()
			ds.Set(MaxUnavailable("1"))
			b.After(long)
			pods[0].Terminating().Gone()
			second.Ready()
		}},
	)
}
