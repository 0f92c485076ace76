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

// keeping sets revisionHistoryLimit.
func keeping(histories int32) Option {
	return func(ds *appsv1.DaemonSet) { ds.Spec.RevisionHistoryLimit = &histories }
}

func unowned(pod *corev1.Pod) { pod.OwnerReferences = nil }

func keepingNone(ds *appsv1.DaemonSet) { keeping(0)(ds) }

// behind is a DaemonSet that has long been at its fourth template, whose only pod is still of the first, and the histories of all four.
func behind(b *Builder, limit int32) (ds *DaemonSet, pod *Pod, all []*Revision) {
	ds, pods := Running(b, 1, keeping(limit))
	for i, version := range []string{"v1", "v2", "v3", "v4"} {
		if i > 0 {
			ds.Update(version)
		}
		all = append(all, ds.Revision(version, int64(i+1)))
	}
	b.After(Long)
	return ds, pods[0], all
}

// fourth is behind with a pod of the fourth template.
func fourth(b *Builder, limit int32) (*DaemonSet, []*Revision) {
	ds, pod, all := behind(b, limit)
	pod.Terminating().Gone()
	ds.Pod("new", NodeName(0)).Ready()
	b.After(Long)
	return ds, all
}

func TestHistoryKept(t *testing.T) {
	j := revisions.HistoryKept()
	Breaks(t, j, Tell("the history of the template in force goes", func(b *Builder) {
		_, all := fourth(b, 0)
		all[3].Gone()
	}))
	Keeps(t, j,
		Tell("an old one goes", func(b *Builder) {
			_, all := fourth(b, 0)
			all[0].Gone()
		}),
		Tell("one of two of the template in force goes", func(b *Builder) {
			ds, all := fourth(b, 3)
			ds.Revision("v4", 5)
			all[3].Gone()
		}),
	)
	Ignores(t, j,
		Tell("the template is in force for a moment only", func(b *Builder) {
			ds, all := fourth(b, 0)
			ds.Update("v1")
			all[0].Gone()
		}),
		Tell("a process that was started just after the template came has a cache from before", func(b *Builder) {
			ds, _ := fourth(b, 0)
			fifth := ds.Update("v5").Revision("v5", 5)
			b.Stimulus(history.RestartImplementation, Object("", "")).Done()
			fifth.Gone()
		}),
		Tell("the harness deletes it", func(b *Builder) {
			_, all := fourth(b, 0)
			b.Stimulus(history.DeleteRevision, all[3])
			all[3].Gone()
		}),
	)
}

func TestHistoryOldest(t *testing.T) {
	j := revisions.HistoryOldest()
	Breaks(t, j, Tell("the second goes first", func(b *Builder) {
		_, all := fourth(b, 0)
		all[1].Gone()
	}))
	Keeps(t, j,
		Tell("they go in their order", func(b *Builder) {
			_, all := fourth(b, 0)
			all[0].Gone()
			all[1].Gone()
		}),
		Tell("a pod carries the label of the first", func(b *Builder) {
			_, _, all := behind(b, 0)
			all[1].Gone()
		}),
		Tell("the last pod of the first went just now", func(b *Builder) {
			_, pod, all := behind(b, 0)
			pod.Terminating().Gone()
			b.After(judge.Lag / 2)
			all[1].Gone()
		}),
	)
	Ignores(t, j, Tell("one that was controlled before goes before a lower one that was adopted just now", func(b *Builder) {
		ds, all := fourth(b, 2)
		var owners []metav1.OwnerReference
		b.Stimulus(history.CreateRevision, all[0])
		orphan := ds.Revision("v0", 0).Edit(func(revision *appsv1.ControllerRevision) {
			owners, revision.OwnerReferences = revision.OwnerReferences, nil
		})
		b.After(Long)
		orphan.Edit(func(revision *appsv1.ControllerRevision) { revision.OwnerReferences = owners })
		all[0].Gone()
	}))
	Ignores(t, j, Tell("another number was given just now", func(b *Builder) {
		_, all := fourth(b, 0)
		b.Stimulus(history.UpdateRevision, all[0])
		all[0].Renumber(0)
		all[1].Gone()
	}))
}

func TestHistoryLimit(t *testing.T) {
	j := revisions.HistoryLimit()
	Breaks(t, j, Tell("the current one is counted", func(b *Builder) {
		_, all := fourth(b, 3)
		all[0].Gone()
	}))
	Keeps(t, j,
		Tell("one more than the limit", func(b *Builder) {
			_, all := fourth(b, 2)
			all[0].Gone()
		}),
		Tell("one of two of the same template goes", func(b *Builder) {
			ds, all := fourth(b, 4)
			ds.Revision("v1", 5)
			all[0].Gone()
		}),
		Tell("another one is about to be adopted", func(b *Builder) {
			ds, all := fourth(b, 3)
			ds.Revision("v5", 5).Edit(func(revision *appsv1.ControllerRevision) { revision.OwnerReferences = nil })
			b.After(Long)
			all[0].Gone()
		}),
	)
	Breaks(t, j,
		Tell("another one was deleted just before", func(b *Builder) {
			_, all := fourth(b, 2)
			all[0].Gone()
			b.After(judge.Lag / 2)
			all[1].Gone()
		}),
		Tell("another one was deleted long before", func(b *Builder) {
			_, all := fourth(b, 2)
			all[1].Gone()
			b.After(Long)
			all[0].Gone()
		}),
	)
	Breaks(t, j, Tell("just after the current template came and got its history", func(b *Builder) {
		ds, all := fourth(b, 4)
		ds.Update("v5").Revision("v5", 5)
		all[0].Gone()
	}))
	Ignores(t, j,
		Tell("just after the current template came, before it got its history", func(b *Builder) {
			ds, all := fourth(b, 4)
			ds.Update("v5")
			all[0].Gone()
		}),
		Tell("by a process that was started after the current template got its history", func(b *Builder) {
			ds, all := fourth(b, 4)
			ds.Update("v5").Revision("v5", 5)
			b.Stimulus(history.RestartImplementation, Object("", "")).Done()
			all[0].Gone()
		}),
		Tell("just after the limit was raised, which its history does not show", func(b *Builder) {
			ds, all := fourth(b, 3)
			ds.Update("v5").Set(keeping(4)).Revision("v5", 5)
			all[0].Gone()
		}),
	)
	Keeps(t, j, Tell("just after a former template came back, for which another history was created", func(b *Builder) {
		ds, all := fourth(b, 2)
		all[0].Gone()
		ds.Set(keeping(3))
		b.After(Long)
		ds.Update("v1").Revision("v1", 5)
		all[1].Gone()
	}))
	Keeps(t, j, Tell("the cache may still show a later one that was deleted just before, when a pod carried the label of this one", func(b *Builder) {
		_, pod, all := behind(b, 2)
		all[1].Gone()
		pod.Terminating().Gone()
		all[0].Gone()
	}))
	Keeps(t, j, Tell("the cache may still show an earlier one that was deleted just before, whose label a pod has come to carry", func(b *Builder) {
		ds, all := fourth(b, 2)
		all[0].Gone()
		ds.PodOf("v1", "orphan", NodeName(0), unowned)
		all[1].Gone()
	}))
	Breaks(t, j, Tell("a pod has come to carry the label of one that was deleted long before", func(b *Builder) {
		ds, all := fourth(b, 2)
		all[0].Gone()
		b.After(Long)
		ds.PodOf("v1", "orphan", NodeName(0), unowned)
		all[1].Gone()
	}))
	Ignores(t, j, Tell("the limit was lower just now", func(b *Builder) {
		ds, all := fourth(b, 2)
		ds.Set(keeping(3))
		b.After(judge.Lag / 2)
		all[0].Gone()
	}))
}

func TestHistoryNext(t *testing.T) {
	j := revisions.HistoryNext()
	Breaks(t, j,
		Tell("the same number again", func(b *Builder) {
			ds, _ := fourth(b, 3)
			ds.Update("v5").Revision("v5", 4)
		}),
		Tell("a number between others", func(b *Builder) {
			ds, _ := Running(b, 1)
			ds.Revision("v1", 1)
			ds.Revision("v2", 5)
			ds.Update("v3").Revision("v3", 3)
		}),
		Tell("the same number again, when the one before was deleted just now", func(b *Builder) {
			ds, all := fourth(b, 3)
			all[2].Gone()
			ds.Update("v5").Revision("v5", 4)
		}),
	)
	Keeps(t, j,
		Tell("the next number", func(b *Builder) {
			ds, _ := fourth(b, 3)
			ds.Update("v5").Revision("v5", 5)
		}),
		Tell("the number after one that was deleted just now", func(b *Builder) {
			ds, all := fourth(b, 0)
			for _, old := range all[:3] {
				old.Gone()
			}
			b.After(Long)
			fifth := ds.Update("v5").Revision("v5", 5)
			b.After(Long)
			ds.Update("v6")
			fifth.Gone()
			b.After(judge.Lag / 2)
			ds.Revision("v6", 6)
		}),
		Tell("a number is left out", func(b *Builder) {
			ds, _ := fourth(b, 3)
			ds.Update("v5").Revision("v5", 6)
		}),
		Tell("another DaemonSet's numbers are higher", func(b *Builder) {
			ds, _ := fourth(b, 3)
			b.DaemonSet("other").Revision("v1", 9)
			ds.Update("v5").Revision("v5", 5)
		}),
	)
	Ignores(t, j, Tell("the first", func(b *Builder) {
		ds, _ := Running(b, 1)
		ds.Revision("v1", 1)
	}))
}

// numbered gives the template a generation.
func numbered(generation string) Option {
	return func(ds *appsv1.DaemonSet) {
		ds.Annotations = map[string]string{appsv1.DeprecatedTemplateGeneration: generation}
	}
}

func TestGeneration(t *testing.T) {
	j := revisions.Generation()
	// replaced is a pod with the generation as a label, created long after the second template.
	replaced := func(generation string) func(*Builder) {
		return func(b *Builder) {
			ds, pods := Running(b, 1, numbered("1"))
			ds.Set(Version("v2"), numbered("2"))
			b.After(Long)
			pods[0].Terminating().Gone()
			ds.PodOf("v2", "new", NodeName(0), func(pod *corev1.Pod) {
				if generation != "" {
					pod.Labels["pod-template-generation"] = generation
				}
			})
		}
	}
	Breaks(t, j, Tell("none", replaced("")), Tell("that of the template before", replaced("1")))
	Keeps(t, j, Tell("that of the template", replaced("2")))
	Ignores(t, j,
		Tell("the template is new", func(b *Builder) {
			ds, pods := Running(b, 1)
			ds.Set(Version("v2"), numbered("2"))
			pods[0].Terminating().Gone()
			ds.Pod("new", NodeName(0))
		}),
		Tell("templates have no generation", func(b *Builder) {
			ds, pods := Running(b, 1)
			b.Stimulus(history.DeletePod, pods[0])
			pods[0].Terminating().Gone()
			ds.Pod("new", NodeName(0))
		}),
	)
}
