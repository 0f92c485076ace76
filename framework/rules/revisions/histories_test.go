package revisions_test

import (
	"maps"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules/revisions"
	. "github.com/rollcall-conformance/rollcall/framework/rules/rulestest"
)

func TestHistoryOne(t *testing.T) {
	j := revisions.HistoryOne()
	Omits(t, j, Tell("the history of the template in force gets a twin", func(b *Builder) {
		ds, _ := fourth(b, 3)
		ds.Revision("v4", 5)
		b.After(Long).Mark("end")
	}))
	Keeps(t, j, Tell("the twin goes in time", func(b *Builder) {
		ds, all := fourth(b, 3)
		ds.Revision("v4", 5)
		b.After(judge.Prompt)
		all[3].Gone()
		b.After(Long).Mark("end")
	}))
	Breaks(t, j, Tell("the one with the highest number goes", func(b *Builder) {
		ds, _ := fourth(b, 3)
		twin := ds.Revision("v4", 5)
		b.After(judge.Prompt)
		twin.Gone()
	}), Tell("the one with the highest number goes, just after the other one came", func(b *Builder) {
		ds, all := fourth(b, 3)
		b.Stimulus(history.CreateRevision, all[3])
		ds.Revision("v4", 3)
		all[3].Gone()
	}))
	Keeps(t, j, Tell("one that the implementation may still take for the highest was deleted just now", func(b *Builder) {
		ds, all := fourth(b, 3)
		twin := ds.Revision("v4", 5)
		b.Stimulus(history.CreateRevision, twin)
		ds.Revision("v4", 3)
		b.After(judge.Prompt / 2)
		b.Stimulus(history.DeleteRevision, twin)
		twin.Gone()
		all[3].Gone()
	}))
	Keeps(t, j, Tell("of three the middle one goes first", func(b *Builder) {
		ds, all := fourth(b, 3)
		twin := ds.Revision("v4", 5)
		ds.Revision("v4", 6)
		b.After(judge.Prompt / 2)
		twin.Gone()
		all[3].Gone()
		b.After(Long).Mark("end")
	}))
	Ignores(t, j, Tell("an old history gets a twin", func(b *Builder) {
		ds, _ := fourth(b, 3)
		ds.Revision("v1", 5)
		b.After(Long).Mark("end")
	}))
}

func TestHistoryTrimmed(t *testing.T) {
	j := revisions.HistoryTrimmed()
	Omits(t, j, Tell("all four stay after the rollout", func(b *Builder) {
		fourth(b, 2)
		b.After(Long).Mark("end")
	}))
	Keeps(t, j, Tell("the oldest goes in time", func(b *Builder) {
		ds, pod, all := behind(b, 2)
		pod.Terminating().Gone()
		ds.Pod("new", NodeName(0)).Ready()
		b.After(judge.Prompt)
		all[0].Gone()
		b.After(Long).Mark("end")
	}))
	Ignores(t, j,
		Tell("there are as many as the limit allows", func(b *Builder) {
			fourth(b, 3)
			b.After(Long).Mark("end")
		}),
		Tell("the rollout is not through", func(b *Builder) {
			behind(b, 0)
			b.After(Long).Mark("end")
		}),
		Tell("the limit was lowered afterwards", func(b *Builder) {
			ds, _ := fourth(b, 3)
			b.After(Long)
			ds.Set(keepingNone)
			b.After(Long).Mark("end")
		}),
	)
}

func TestHistoryLowered(t *testing.T) {
	j := revisions.HistoryLowered()
	lowered := func(b *Builder) []*Revision {
		ds, all := fourth(b, 3)
		b.After(Long)
		ds.Set(keeping(2))
		return all
	}
	Omits(t, j, Tell("the limit is lowered, and all stay", func(b *Builder) {
		lowered(b)
		b.After(Long).Mark("end")
	}))
	Keeps(t, j, Tell("the surplus goes in time", func(b *Builder) {
		all := lowered(b)
		b.After(judge.Prompt)
		all[0].Gone()
		b.After(Long).Mark("end")
	}))
	Ignores(t, j, Tell("the limit is raised", func(b *Builder) {
		ds, _ := fourth(b, 3)
		b.After(Long)
		ds.Set(keeping(5))
		b.After(Long).Mark("end")
	}))
}

func TestHistoryAdopted(t *testing.T) {
	j := revisions.HistoryAdopted()
	// orphan releases the first history of a DaemonSet, with the labels that its selector asks for.
	orphan := func(b *Builder) *Revision {
		ds, all := fourth(b, 3)
		return all[0].Edit(func(r *appsv1.ControllerRevision) {
			maps.Copy(r.Labels, ds.Object().Spec.Selector.MatchLabels)
			r.OwnerReferences = nil
		})
	}
	Omits(t, j, Tell("nobody adopts it", func(b *Builder) {
		orphan(b)
		b.After(Long).Mark("end")
	}))
	Keeps(t, j, Tell("it is adopted in time", func(b *Builder) {
		left := orphan(b)
		b.After(judge.Prompt)
		left.Edit(func(r *appsv1.ControllerRevision) {
			r.OwnerReferences = []metav1.OwnerReference{{UID: "any", Controller: ptr.To(true)}}
		})
		b.After(Long).Mark("end")
	}))
	Ignores(t, j, Tell("the selector does not match", func(b *Builder) {
		_, all := fourth(b, 3)
		all[0].Edit(func(r *appsv1.ControllerRevision) { r.OwnerReferences = nil })
		b.After(Long).Mark("end")
	}))
}

func TestHistoryLabelled(t *testing.T) {
	j := revisions.HistoryLabelled()
	bare := func(r *appsv1.ControllerRevision) { delete(r.Labels, appsv1.ControllerRevisionHashLabelKey) }
	Omits(t, j, Tell("it stays without", func(b *Builder) {
		_, all := fourth(b, 3)
		all[0].Edit(bare)
		b.After(Long).Mark("end")
	}))
	Keeps(t, j, Tell("it gets one in time", func(b *Builder) {
		_, all := fourth(b, 3)
		all[0].Edit(bare)
		b.After(judge.Prompt)
		all[0].Edit(func(r *appsv1.ControllerRevision) { r.Labels[appsv1.ControllerRevisionHashLabelKey] = "given" })
		b.After(Long).Mark("end")
	}))
	Ignores(t, j, Tell("it is nobody's", func(b *Builder) {
		_, all := fourth(b, 3)
		all[0].Edit(func(r *appsv1.ControllerRevision) { r.OwnerReferences = nil; bare(r) })
		b.After(Long).Mark("end")
	}))
}
