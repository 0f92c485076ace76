package revisions_test

import (
	"testing"

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
	Keeps(t, j, Tell("it is adopted", func(b *Builder) {
		ds, pod := left(b)
		pod.Edit(func(pod *corev1.Pod) {
			pod.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(ds.Object(), appsv1.SchemeGroupVersion.WithKind("DaemonSet"))}
		})
	}))
	Ignores(t, j,
		Tell("nothing was left behind", func(b *Builder) { Running(b, 1) }),
		Tell("another pod is created before anybody has to know", func(b *Builder) {
			ds, _ := left(b)
			ds.Pod("new-a", NodeName(0))
		}))
}
