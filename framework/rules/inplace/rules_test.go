package inplace_test

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules/inplace"
	. "github.com/rollcall-conformance/rollcall/framework/rules/rulestest"
)

// started is Running with kubelets that tell of containers, and with histories.
func started(b *Builder, n int, options ...Option) (*DaemonSet, []*Pod) {
	ds, pods := Running(b, n, options...)
	ds.Revision("v1", 1)
	for _, pod := range pods {
		pod.Started()
	}
	b.After(Long)
	return ds, pods
}

// updated is started with a new template that was given just now.
func updated(b *Builder, n int, options ...Option) (*DaemonSet, []*Pod) {
	ds, pods := started(b, n, options...)
	ds.Update("v2").Revision("v2", 2)
	return ds, pods
}

// back completes the update of a pod whose kubelet keeps it Ready.
func back(pod *Pod) { pod.Observed().Restarted("v2") }

func environment(ds *appsv1.DaemonSet) {
	ds.Spec.Template.Spec.Containers[0].Env = []corev1.EnvVar{{Name: "A", Value: "b"}}
}

// initImage gives the pods one init container, of that image.
func initImage(image string) Option {
	return func(ds *appsv1.DaemonSet) {
		ds.Spec.Template.Spec.InitContainers = []corev1.Container{{Name: "init", Image: image}}
	}
}

func TestInitContainersAreNotPatched(t *testing.T) {
	gets := func(pod *Pod, image string) {
		pod.Edit(func(pod *corev1.Pod) { pod.Spec.InitContainers[0].Image = image })
	}
	changed := func(b *Builder) []*Pod {
		ds, pods := started(b, 2, InPlace(), initImage("v1"))
		ds.Set(initImage("v2"))
		b.After(judge.Lag)
		return pods
	}
	Breaks(t, inplace.InitContainers(), Tell("alone", func(b *Builder) { gets(changed(b)[0], "v2") }),
		Tell("with an image that is none of the template", func(b *Builder) {
			_, pods := started(b, 2, InPlace(), initImage("v1"))
			gets(pods[0], "v3")
		}))
	Keeps(t, inplace.InitContainers(), Tell("recreated", func(b *Builder) { changed(b)[0].Terminating() }))
	Ignores(t, inplace.InitContainers(),
		Tell("the harness patches", func(b *Builder) {
			pods := changed(b)
			b.Stimulus(history.PatchPod, pods[0])
			gets(pods[0], "v2")
		}),
		Tell("a container gets another image", func(b *Builder) {
			_, pods := updated(b, 2, InPlace(), initImage("v1"))
			pods[0].Patch("v2")
		}))
}

func TestPodsArePatchedOnlyWhereThatIsAskedFor(t *testing.T) {
	Breaks(t, inplace.ByDefault(), Tell("without the policy", func(b *Builder) {
		_, pods := updated(b, 2)
		pods[0].Patch("v2")
	}))
	Keeps(t, inplace.ByDefault(), Tell("recreated", func(b *Builder) {
		ds, pods := updated(b, 2)
		pods[0].Terminating().Gone()
		ds.Pod("new-a", NodeName(0))
	}))
	Ignores(t, inplace.ByDefault(), Tell("the harness patches", func(b *Builder) {
		_, pods := updated(b, 2)
		b.Stimulus(history.PatchPod, pods[0])
		pods[0].Patch("v2")
	}))
	Breaks(t, inplace.OnDelete(), Tell("with OnDelete", func(b *Builder) {
		_, pods := updated(b, 2, InPlace(), OnDelete())
		pods[0].Patch("v2")
	}))
	Keeps(t, inplace.OnDelete(), Tell("left alone", func(b *Builder) { updated(b, 2, InPlace(), OnDelete()) }))
}

func TestOnlyRunningPodsArePatched(t *testing.T) {
	Breaks(t, inplace.Runs(),
		Tell("failed long ago", func(b *Builder) {
			ds, pods := started(b, 2, InPlace())
			pods[0].Failed()
			b.After(Long)
			ds.Update("v2")
			pods[0].Patch("v2")
		}))
	Keeps(t, inplace.Runs(),
		Tell("failed, and recreated", func(b *Builder) {
			ds, pods := started(b, 2, InPlace())
			pods[0].Failed()
			b.After(Long)
			ds.Update("v2")
			pods[0].Gone()
		}))
	Ignores(t, inplace.Runs(),
		Tell("failed just now", func(b *Builder) {
			_, pods := updated(b, 2, InPlace())
			pods[0].Failed().Patch("v2")
		}))
}

func TestAPatchMakesAPodOfTheTemplate(t *testing.T) {
	Breaks(t, inplace.Template(),
		Tell("the environment differs too", func(b *Builder) {
			ds, pods := started(b, 2, InPlace())
			ds.Set(Version("v2"), environment)
			b.After(judge.Lag)
			pods[0].Patch("v2")
		}))
	Keeps(t, inplace.Template(),
		Tell("only the image differs", func(b *Builder) {
			_, pods := updated(b, 2, InPlace())
			pods[0].Patch("v2")
		}),
		Tell("the next template came just now", func(b *Builder) {
			ds, pods := updated(b, 2, InPlace())
			ds.Update("v3")
			pods[0].Patch("v2")
		}))
}

func TestImagesAndLabelGoTogether(t *testing.T) {
	Breaks(t, inplace.OneWrite(),
		Tell("the image first", func(b *Builder) {
			_, pods := updated(b, 2, InPlace())
			pods[0].SetImage("v2")
		}),
		Tell("the image, and no label", func(b *Builder) {
			_, pods := updated(b, 2, InPlace())
			pods[0].Edit(func(pod *corev1.Pod) {
				pod.Spec.Containers[0].Image = "another"
				delete(pod.Labels, RevisionLabel)
			})
		}),
		Tell("the label first", func(b *Builder) {
			_, pods := updated(b, 2, InPlace())
			pods[0].Edit(func(pod *corev1.Pod) { pod.Labels[RevisionLabel] = "v2" })
		}))
	Keeps(t, inplace.OneWrite(),
		Tell("together", func(b *Builder) {
			_, pods := updated(b, 2, InPlace())
			pods[0].Patch("v2")
		}))
}

func TestPatchedPodsCountAsUnavailable(t *testing.T) {
	stories := []Story{
		Tell("a second pod is patched while the first says that it is Ready", func(b *Builder) {
			_, pods := updated(b, 3, InPlace())
			pods[0].Patch("v2").Observed()
			b.After(Long)
			pods[1].Patch("v2")
		}),
		Tell("a second pod is patched while the first runs what an earlier patch asked for", func(b *Builder) {
			ds, pods := updated(b, 3, InPlace())
			pods[0].Patch("v2")
			ds.Update("v3").Revision("v3", 3)
			pods[0].Patch("v3").Observed().Restarted("v2")
			b.After(Long)
			pods[1].Patch("v3")
		}),
		Tell("a second pod is patched before minReadySeconds have passed since the restart", func(b *Builder) {
			_, pods := updated(b, 3, InPlace(), MinReadySeconds(30))
			b.After(Long)
			back(pods[0].Patch("v2"))
			b.After(Long)
			pods[1].Patch("v2")
		}),
	}
	Breaks(t, inplace.Limit(), stories...)
	Breaks(t, inplace.Counts(), append(stories[:2:2],
		Tell("an available pod is deleted", func(b *Builder) {
			_, pods := updated(b, 3, InPlace())
			pods[0].Patch("v2")
			pods[1].Terminating()
		}),
		Tell("the status counts it", func(b *Builder) {
			ds, pods := updated(b, 2, InPlace())
			pods[0].Patch("v2")
			ds.Counts(2, 2, 1, 1, 1)
			b.After(judge.Lag)
			ds.Counts(2, 2, 2, 2, 1)
		}),
		Tell("the status counts it, and a node that left long ago", func(b *Builder) {
			ds, pods := updated(b, 3, InPlace())
			b.Node(NodeName(2)).Leave()
			pods[2].Gone()
			pods[0].Patch("v2")
			ds.Counts(3, 3, 1, 1, 1)
			b.After(judge.Lag)
			ds.Counts(2, 2, 2, 2, 1)
		}))...)
	Keeps(t, inplace.Limit(),
		Tell("one after the other", func(b *Builder) {
			_, pods := updated(b, 3, InPlace())
			back(pods[0].Patch("v2"))
			b.After(judge.Lag)
			pods[1].Patch("v2")
		}),
		Tell("pods that are not available", func(b *Builder) {
			ds, pods := started(b, 3, InPlace())
			pods[0].Unready()
			pods[1].Unready()
			b.After(Long)
			ds.Set(MaxUnavailable("3")).Update("v2").Revision("v2", 2)
			for _, pod := range pods {
				pod.Patch("v2")
			}
		}))
	Keeps(t, inplace.Counts(),
		Tell("two at a time", func(b *Builder) {
			_, pods := updated(b, 3, InPlace(), MaxUnavailable("2"))
			pods[0].Patch("v2")
			pods[1].Patch("v2")
		}),
		Tell("the status counts a node that left just now", func(b *Builder) {
			ds, pods := updated(b, 3, InPlace())
			pods[0].Patch("v2")
			ds.Counts(3, 3, 1, 1, 1)
			b.After(judge.Lag)
			b.Node(NodeName(2)).Leave()
			ds.Counts(3, 3, 2, 2, 1)
		}))
}

func TestWithMaxSurgeNothingAvailableIsPatched(t *testing.T) {
	Breaks(t, inplace.ZeroDowntime(), Tell("patched", func(b *Builder) {
		_, pods := updated(b, 2, InPlace(), MaxSurge("1"))
		pods[0].Patch("v2")
	}))
	Keeps(t, inplace.ZeroDowntime(), Tell("a surge pod", func(b *Builder) {
		ds, pods := updated(b, 2, InPlace(), MaxSurge("1"))
		ds.Pod("new-a", NodeName(0)).Ready()
		b.After(judge.Lag)
		pods[0].Terminating()
	}))
}

func TestWhatCanBePatchedIsNotRecreated(t *testing.T) {
	Breaks(t, inplace.Patches(), Tell("deleted", func(b *Builder) {
		_, pods := updated(b, 2, InPlace())
		b.After(judge.Lag)
		pods[0].Terminating()
	}))
	Keeps(t, inplace.Patches(), Tell("patched", func(b *Builder) {
		_, pods := updated(b, 2, InPlace())
		pods[0].Patch("v2")
	}))
	Ignores(t, inplace.Patches(),
		Tell("the environment differs too", func(b *Builder) {
			ds, pods := started(b, 2, InPlace())
			ds.Set(Version("v2"), environment)
			b.After(judge.Lag)
			pods[0].Terminating()
		}),
		Tell("the policy came just now", func(b *Builder) {
			ds, pods := updated(b, 2)
			ds.Set(InPlace())
			pods[0].Terminating()
		}),
		Tell("the node must not run it", func(b *Builder) {
			_, pods := updated(b, 2, InPlace())
			b.Node("node-1").Taint("out", corev1.TaintEffectNoExecute)
			b.After(judge.Lag)
			pods[0].Terminating()
		}))
}
