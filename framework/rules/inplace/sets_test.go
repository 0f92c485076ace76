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

// running is a StatefulSet "set" whose n pods of v1 have long been available, each on a node of its own.
func running(b *Builder, n int32, options ...SetOption) (*StatefulSet, []*Pod) {
	b.Nodes(int(n))
	set := b.StatefulSet("set", n, options...)
	pods := make([]*Pod, n)
	for i := range pods {
		pods[i] = set.Pod(i, NodeName(i)).Started().Ready()
	}
	b.After(Long)
	return set, pods
}

// rolling is running with a new template that was given long enough ago for everybody to know.
func rolling(b *Builder, n int32, options ...SetOption) (*StatefulSet, []*Pod) {
	set, pods := running(b, n, options...)
	set.Set(SetVersion("v2"))
	b.After(judge.Lag)
	return set, pods
}

func TestPodsOfAStatefulSetAreUpdatedInOrder(t *testing.T) {
	Breaks(t, inplace.SetOrder(),
		Tell("the smallest first", func(b *Builder) {
			_, pods := rolling(b, 3, SetInPlace())
			pods[0].Patch("v2")
		}),
		Tell("the middle first, by deletion", func(b *Builder) {
			_, pods := rolling(b, 3)
			pods[1].Terminating()
		}),
		Tell("a pod that waits for a node is patched", func(b *Builder) {
			b.Nodes(1)
			set := b.StatefulSet("set", 1, SetInPlace())
			pod := set.Pod(0, "")
			b.After(Long)
			set.Set(SetVersion("v2"))
			b.After(judge.Lag)
			pod.Patch("v2")
		}),
		Tell("below the partition", func(b *Builder) {
			_, pods := rolling(b, 3, SetInPlace(), SetPartition(2))
			back(pods[2].Patch("v2"))
			b.After(judge.Lag)
			pods[1].Patch("v2")
		}))
	Keeps(t, inplace.SetOrder(),
		Tell("from the largest down", func(b *Builder) {
			_, pods := rolling(b, 2, SetInPlace())
			back(pods[1].Patch("v2"))
			b.After(judge.Lag)
			back(pods[0].Patch("v2"))
		}),
		Tell("a pod above is being replaced, and nothing is lost by the other", func(b *Builder) {
			_, pods := rolling(b, 2)
			pods[0].Unready()
			b.After(Long)
			pods[1].Terminating()
			pods[0].Terminating()
		}))
	Ignores(t, inplace.SetOrder(),
		Tell("scaled down", func(b *Builder) {
			set, pods := rolling(b, 3)
			set.Set(func(object *appsv1.StatefulSet) { *object.Spec.Replicas = 2 })
			b.After(judge.Lag)
			pods[2].Terminating()
		}),
		Tell("the partition was set just now", func(b *Builder) {
			set, pods := rolling(b, 2, SetInPlace())
			back(pods[1].Patch("v2"))
			b.After(judge.Lag)
			pods[1].Terminating().Gone()
			set.Set(SetPartition(2))
		}))
}

func TestAPatchedPodOfAStatefulSetCountsAsUnavailable(t *testing.T) {
	Breaks(t, inplace.SetCounts(),
		Tell("the next is patched while the first says that it is Ready", func(b *Builder) {
			_, pods := rolling(b, 2, SetInPlace())
			pods[1].Patch("v2").Observed()
			b.After(Long)
			pods[0].Patch("v2")
		}),
		Tell("the next is patched at once after the template came", func(b *Builder) {
			set, pods := running(b, 2, SetInPlace(), SetMinReadySeconds(2))
			set.Set(SetVersion("v2"))
			back(pods[1].Patch("v2"))
			pods[0].Patch("v2")
		}),
		Tell("the next is deleted", func(b *Builder) {
			_, pods := rolling(b, 2, SetInPlace())
			pods[1].Patch("v2").Observed()
			pods[0].Terminating()
		}),
		Tell("before minReadySeconds have passed since the restart", func(b *Builder) {
			_, pods := rolling(b, 2, SetInPlace(), SetMinReadySeconds(10))
			back(pods[1].Patch("v2"))
			b.After(5 * judge.Lag)
			pods[0].Patch("v2")
		}),
		Tell("the status counts it", func(b *Builder) {
			set, pods := rolling(b, 2, SetInPlace())
			pods[1].Patch("v2").Observed()
			set.Status(func(status *appsv1.StatefulSetStatus) { status.AvailableReplicas = 1 })
			b.After(Long)
			set.Status(func(status *appsv1.StatefulSetStatus) { status.AvailableReplicas = 2 })
		}))
	Keeps(t, inplace.SetCounts(), Tell("one after the other", func(b *Builder) {
		set, pods := rolling(b, 2, SetInPlace(), SetMinReadySeconds(2))
		back(pods[1].Patch("v2"))
		b.After(Long)
		back(pods[0].Patch("v2"))
		b.After(Long)
		set.Status(func(status *appsv1.StatefulSetStatus) { status.AvailableReplicas = 2 })
	}))
	Ignores(t, inplace.SetCounts(),
		Tell("nothing is patched", func(b *Builder) {
			_, pods := rolling(b, 2)
			pods[1].Terminating()
		}),
		Tell("a pod that is not available waits for nothing", func(b *Builder) {
			_, pods := rolling(b, 2, SetInPlace())
			pods[0].Unready()
			b.After(Long)
			pods[1].Patch("v2")
			pods[0].Patch("v2")
		}))
}

func TestPodsOfAStatefulSetArePatchedOnlyWhereThatIsAskedFor(t *testing.T) {
	Breaks(t, inplace.SetPolicy(),
		Tell("without the policy", func(b *Builder) {
			_, pods := rolling(b, 2)
			pods[1].Patch("v2")
		}),
		Tell("with OnDelete", func(b *Builder) {
			_, pods := rolling(b, 2, SetInPlace(), SetOnDelete())
			pods[1].Patch("v2")
		}),
		Tell("the environment differs too", func(b *Builder) {
			set, pods := running(b, 2, SetInPlace())
			set.Set(SetVersion("v2"), setEnvironment)
			b.After(judge.Lag)
			pods[1].Patch("v2")
		}),
		Tell("the image of an init container", func(b *Builder) {
			set, pods := running(b, 1, SetInPlace(), setInitImage("v1"))
			set.Set(setInitImage("v2"))
			b.After(judge.Lag)
			pods[0].Edit(func(pod *corev1.Pod) { pod.Spec.InitContainers[0].Image = "v2" })
		}))
	Keeps(t, inplace.SetPolicy(),
		Tell("recreated for the image of an init container", func(b *Builder) {
			set, pods := running(b, 1, SetInPlace(), setInitImage("v1"))
			set.Set(setInitImage("v2"))
			b.After(judge.Lag)
			pods[0].Terminating()
		}),
		Tell("patched as asked", func(b *Builder) {
			_, pods := rolling(b, 2, SetInPlace())
			pods[1].Patch("v2")
		}),
		Tell("recreated", func(b *Builder) {
			_, pods := rolling(b, 2)
			pods[1].Terminating()
		}),
		Tell("the policy was taken back just now", func(b *Builder) {
			set, pods := rolling(b, 2, SetInPlace())
			set.Set(func(object *appsv1.StatefulSet) { object.Annotations = nil })
			pods[1].Patch("v2")
		}))
}

func TestWhatCanBePatchedOfAStatefulSetIsNotRecreated(t *testing.T) {
	Breaks(t, inplace.SetPatches(), Tell("deleted", func(b *Builder) {
		_, pods := rolling(b, 2, SetInPlace())
		pods[1].Terminating()
	}))
	Keeps(t, inplace.SetPatches(), Tell("patched", func(b *Builder) {
		_, pods := rolling(b, 2, SetInPlace())
		pods[1].Patch("v2")
	}))
	Ignores(t, inplace.SetPatches(), Tell("the environment differs too", func(b *Builder) {
		set, pods := running(b, 2, SetInPlace())
		set.Set(SetVersion("v2"), setEnvironment)
		b.After(judge.Lag)
		pods[1].Terminating()
	}))
}

func TestImagesAndLabelOfAStatefulSetGoTogether(t *testing.T) {
	Breaks(t, inplace.SetRevisions(),
		Tell("the image first", func(b *Builder) {
			_, pods := rolling(b, 2, SetInPlace())
			pods[1].SetImage("v2")
		}),
		Tell("the label first", func(b *Builder) {
			set, pods := rolling(b, 2, SetInPlace())
			set.Revision("v2", 2)
			pods[1].Edit(func(pod *corev1.Pod) { pod.Labels[RevisionLabel] = "v2" })
		}))
	Keeps(t, inplace.SetRevisions(), Tell("together", func(b *Builder) {
		_, pods := rolling(b, 2, SetInPlace())
		pods[1].Patch("v2")
	}))
}

func TestAnUpdateOfAStatefulSetIsOverWhenAllPodsAreUpdated(t *testing.T) {
	// says is a status with these revisions.
	says := func(set *StatefulSet, current, update string) {
		set.Status(func(status *appsv1.StatefulSetStatus) {
			status.CurrentRevision, status.UpdateRevision = current, update
		})
	}
	Breaks(t, inplace.SetRevisions(),
		Tell("one pod is left", func(b *Builder) {
			set, pods := rolling(b, 2, SetInPlace())
			says(set, "v1", "v2")
			back(pods[1].Patch("v2"))
			b.After(judge.Lag)
			says(set, "v2", "v2")
		}),
		Tell("no pod is updated", func(b *Builder) {
			set, _ := rolling(b, 2)
			says(set, "v1", "v1")
			b.After(Long)
			says(set, "v2", "v2")
		}),
		Tell("one pod is left, and it deletes the history that was current", func(b *Builder) {
			set, _ := rolling(b, 1, SetInPlace(), SetPartition(1))
			first := set.Revision("v1", 1)
			says(set, "v1", "v2")
			first.Gone()
			says(set, "v2", "v2")
		}),
		Tell("all but one below the partition", func(b *Builder) {
			set, pods := rolling(b, 2, SetInPlace(), SetPartition(1))
			says(set, "v1", "v2")
			back(pods[1].Patch("v2"))
			b.After(Long)
			says(set, "v2", "v2")
		}),
		Tell("one pod is left when another update overtakes it", func(b *Builder) {
			set, pods := rolling(b, 2, SetInPlace())
			set.Revision("v2", 2)
			says(set, "v1", "v2")
			back(pods[1].Patch("v2"))
			set.Set(SetVersion("v3"))
			set.Revision("v3", 3)
			says(set, "v2", "v3")
		}),
		Tell("the one below the partition terminates", func(b *Builder) {
			set, pods := rolling(b, 2, SetInPlace(), SetPartition(1))
			says(set, "v1", "v2")
			back(pods[1].Patch("v2"))
			pods[0].Terminating()
			says(set, "v2", "v2")
		}))
	Keeps(t, inplace.SetRevisions(),
		Tell("the one below the partition was updated, and terminates since just now", func(b *Builder) {
			set, pods := rolling(b, 2, SetInPlace())
			says(set, "v1", "v2")
			back(pods[1].Patch("v2"))
			back(pods[0].Patch("v2"))
			set.Set(SetPartition(1))
			b.After(judge.Lag)
			pods[0].Terminating()
			says(set, "v2", "v2")
		}),
		Tell("all are updated", func(b *Builder) {
			set, pods := rolling(b, 2, SetInPlace())
			says(set, "v1", "v2")
			back(pods[1].Patch("v2"))
			back(pods[0].Patch("v2"))
			says(set, "v2", "v2")
		}),
		Tell("all are updated, and one more than that", func(b *Builder) {
			set, pods := rolling(b, 2, SetInPlace())
			set.Revision("v2", 2)
			says(set, "v1", "v2")
			back(pods[1].Patch("v2"))
			back(pods[0].Patch("v2"))
			set.Set(SetVersion("v3"))
			set.Revision("v3", 3)
			back(pods[1].Patch("v3"))
			says(set, "v2", "v3")
		}),
		Tell("a rollback brings updateRevision back", func(b *Builder) {
			set, pods := rolling(b, 2, SetInPlace())
			says(set, "v1", "v2")
			back(pods[1].Patch("v2"))
			set.Set(SetVersion("v1"))
			b.After(judge.Lag)
			says(set, "v1", "v1")
		}),
		Tell("another template came just now", func(b *Builder) {
			set, pods := rolling(b, 1, SetInPlace())
			says(set, "v1", "v2")
			back(pods[0].Patch("v2"))
			set.Set(SetVersion("v3"))
			says(set, "v2", "v2")
		}))
	Ignores(t, inplace.SetRevisions(),
		Tell("nobody knows what the revision was made of that becomes current", func(b *Builder) {
			set, _ := rolling(b, 1)
			says(set, "v1", "v2")
			set.Set(SetVersion("v3"))
			b.After(judge.Lag)
			says(set, "v2", "v3")
		}),
		Tell("the first status", func(b *Builder) {
			set, _ := rolling(b, 2)
			says(set, "v2", "v2")
		}),
		Tell("somebody deletes the history that was current", func(b *Builder) {
			set, _ := rolling(b, 1, SetInPlace(), SetPartition(1))
			first := set.Revision("v1", 1)
			says(set, "v1", "v2")
			b.Stimulus(history.DeleteRevision, first)
			first.Gone()
			says(set, "v2", "v2")
		}))
}

// setInitImage gives the pods one init container, of that image.
func setInitImage(image string) SetOption {
	return func(object *appsv1.StatefulSet) {
		object.Spec.Template.Spec.InitContainers = []corev1.Container{{Name: "init", Image: image}}
	}
}

func setEnvironment(object *appsv1.StatefulSet) {
	object.Spec.Template.Spec.Containers[0].Env = []corev1.EnvVar{{Name: "A", Value: "b"}}
}
