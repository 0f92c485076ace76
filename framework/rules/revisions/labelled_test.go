package revisions_test

import (
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules/revisions"
	. "github.com/rollcall-conformance/rollcall/framework/rules/rulestest"
)

func TestLabelled(t *testing.T) {
	j := revisions.Labelled()
	Omits(t, j, Tell("no history has the label", func(b *Builder) {
		b.Nodes(1).DaemonSet("agent").Pod("new-a", NodeName(0))
		b.After(Long).Mark("end")
	}))
	Omits(t, j, Tell("the history comes too late", func(b *Builder) {
		ds := b.Nodes(1).DaemonSet("agent")
		ds.Pod("new-a", NodeName(0))
		b.After(judge.Lag)
		ds.Revision("v1", 1)
		b.Mark("end")
	}))
	// taken has the history of what is created deleted, by the harness or by the implementation.
	taken := func(b *Builder, harness bool, after time.Duration) *DaemonSet {
		ds := b.Nodes(2).DaemonSet("agent")
		revision := ds.Revision("v1", 1)
		ds.Pod("old-a", NodeName(0))
		b.After(Long)
		if harness {
			b.Stimulus(history.DeleteRevision, revision)
		}
		revision.Gone()
		b.After(after)
		ds.Pod("new-b", NodeName(1))
		return ds
	}
	Omits(t, j, Tell("the implementation deleted it before", func(b *Builder) {
		taken(b, false, judge.Lag/2)
		b.After(Long).Mark("end")
	}))
	Omits(t, j, Tell("somebody else deleted it a second before", func(b *Builder) {
		taken(b, true, judge.Lag)
		b.After(Long).Mark("end")
	}))
	Keeps(t, j, Tell("somebody else deleted it just before, and it comes again", func(b *Builder) {
		ds := taken(b, true, judge.Lag/2)
		b.After(2 * judge.Lag)
		ds.Revision("v1", 1)
		b.After(Long).Mark("end")
	}))
	Keeps(t, j,
		Tell("the history comes first", func(b *Builder) {
			ds := b.Nodes(1).DaemonSet("agent")
			ds.Revision("v1", 1)
			ds.Pod("new-a", NodeName(0))
			b.After(Long).Mark("end")
		}),
		Tell("the history comes just after", func(b *Builder) {
			ds := b.Nodes(1).DaemonSet("agent")
			ds.Pod("new-a", NodeName(0))
			ds.Revision("v1", 1)
			b.After(Long).Mark("end")
		}),
	)
}

func TestAdopts(t *testing.T) {
	j := revisions.Adopts()
	// left has a DaemonSet deleted that leaves a pod behind, and one of the same name created.
	left := func(b *Builder) (*DaemonSet, *Pod) {
		ds, pods := Running(b, 1)
		b.Stimulus(history.DeleteDaemonSet, ds)
		ds.Gone()
		pods[0].Edit(func(pod *corev1.Pod) { pod.OwnerReferences = nil })
		return b.DaemonSet("agent"), pods[0]
	}
	Breaks(t, j, Tell("another pod is created beside it", func(b *Builder) {
		ds, _ := left(b)
		b.After(Long)
		ds.Pod("new-a", NodeName(0))
	}))
	adopted := func(b *Builder) *DaemonSet {
		ds, pod := left(b)
		pod.Edit(func(pod *corev1.Pod) {
			pod.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(ds.Object(), appsv1.SchemeGroupVersion.WithKind("DaemonSet"))}
		})
		return ds
	}
	Keeps(t, j,
		Tell("it is adopted", func(b *Builder) { adopted(b) }),
		Tell("it is adopted, and goes with the DaemonSet that did so", func(b *Builder) {
			ds := adopted(b)
			b.After(Long).Stimulus(history.DeleteDaemonSet, ds)
			ds.Gone()
			b.DaemonSet("agent").Pod("new-a", NodeName(0))
		}))
	Ignores(t, j,
		Tell("nothing was left behind", func(b *Builder) { Running(b, 1) }),
		Tell("a pod of the same template was left behind in another namespace", func(b *Builder) {
			b.Nodes(1)
			other := b.DaemonSet("agent", func(ds *appsv1.DaemonSet) { ds.Namespace = "elsewhere" })
			pod := other.PodOf("v1", "left", NodeName(0), func(pod *corev1.Pod) { pod.Namespace = "elsewhere" }).Ready()
			b.Stimulus(history.DeleteDaemonSet, other)
			other.Gone()
			pod.Edit(unowned)
			b.After(Long)
			b.DaemonSet("agent").Pod("new-a", NodeName(0))
		}),
		Tell("another pod is created before anybody has to know", func(b *Builder) {
			ds, _ := left(b)
			ds.Pod("new-a", NodeName(0))
		}))
}
