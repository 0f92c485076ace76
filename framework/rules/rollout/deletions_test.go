package rollout_test

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	. "github.com/rollcall-conformance/rollcall/framework/rules/rulestest"
)

// deletedEarly and deletedInTime are told of SURGE-006, -008 and -016 alike: an old pod that is deleted in a surge rollout.
func deletedEarly() []Story {
	return []Story{
		Tell("delete first, as without maxSurge", func(b *Builder) {
			ds, pods := Running(b, 2, MaxSurge("1"))
			ds.Update("v2")
			pods[0].Terminating()
		}),
		Tell("the updated pod is not ready", func(b *Builder) {
			ds, pods := Running(b, 2, MaxSurge("1"))
			ds.Update("v2").Pod("new-a", NodeName(0))
			b.After(Long)
			pods[0].Terminating()
		}),
		Tell("the updated pod has been ready for one second less than minReadySeconds", func(b *Builder) {
			ds, pods := Running(b, 2, MaxSurge("1"), MinReadySeconds(10))
			young := ds.Update("v2").Pod("new-a", NodeName(0)).Ready()
			b.After(young.Object().Status.Conditions[0].LastTransitionTime.Add(9 * time.Second).Sub(b.Now()))
			pods[0].Terminating()
		}),
		Tell("the updated pod is available on another node", func(b *Builder) {
			ds, pods := Running(b, 2, MaxSurge("1"))
			ds.Update("v2").Pod("new-a", NodeName(0)).Ready()
			b.After(Long)
			pods[1].Terminating()
		}),
		Tell("the updated pod is terminating by the implementation's own hand", func(b *Builder) {
			ds, pods := Running(b, 2, MaxSurge("1"))
			ds.Update("v2").Pod("new-a", NodeName(0)).Ready().Terminating()
			pods[0].Terminating()
		}),
		Tell("the updated pod vanished by the implementation's own hand", func(b *Builder) {
			ds, pods := Running(b, 2, MaxSurge("1"))
			ds.Update("v2").Pod("new-a", NodeName(0)).Ready().Gone()
			pods[0].Terminating()
		}),
		Tell("the updated pod was deleted by the harness too long before it would have been available", func(b *Builder) {
			ds, pods := Running(b, 2, MaxSurge("1"), MinReadySeconds(10))
			young := ds.Update("v2").Pod("new-a", NodeName(0)).Ready()
			b.After(5 * time.Second)
			b.Stimulus(history.DeletePod, young)
			young.Terminating()
			pods[0].Terminating()
		}),
		Tell("the updated pod has failed", func(b *Builder) {
			ds, pods := Running(b, 2, MaxSurge("1"))
			ds.Update("v2").Pod("new-a", NodeName(0)).Failed()
			b.After(Long)
			pods[0].Terminating()
		}),
		Tell("the old pod vanishes without terminating", func(b *Builder) {
			ds, pods := Running(b, 2, MaxSurge("1"))
			ds.Update("v2").Pod("new-a", NodeName(0))
			pods[0].Gone()
		}),
		Tell("the harness acted on another pod", func(b *Builder) {
			ds, pods := Running(b, 2, MaxSurge("1"))
			ds.Update("v2")
			b.Stimulus(history.DeletePod, pods[1])
			pods[1].Terminating()
			pods[0].Terminating()
		}),
		Tell("maxUnavailable was allowed long ago", func(b *Builder) {
			ds, pods := Running(b, 2, MaxUnavailable("1"))
			ds.Set(MaxSurge("1"), Version("v2"))
			b.After(judge.Lag)
			pods[0].Terminating()
		}),
	}
}

func deletedInTime() []Story {
	return []Story{
		Tell("as soon as the updated pod has been ready for minReadySeconds", func(b *Builder) {
			ds, pods := Running(b, 2, MaxSurge("1"), MinReadySeconds(10))
			young := ds.Update("v2").Pod("new-a", NodeName(0)).Ready()
			b.After(young.Object().Status.Conditions[0].LastTransitionTime.Add(10 * time.Second).Sub(b.Now()))
			pods[0].Terminating()
		}),
		Tell("as soon as the updated pod is ready, without minReadySeconds", func(b *Builder) {
			ds, pods := Running(b, 2, MaxSurge("1"))
			ds.Update("v2").Pod("new-a", NodeName(0)).Ready()
			pods[0].Terminating()
		}),
		Tell("the updated pod was available until just now", func(b *Builder) {
			ds, pods := Running(b, 2, MaxSurge("1"))
			young := ds.Update("v2").Pod("new-a", NodeName(0)).Ready()
			b.After(Long)
			young.Unready()
			b.After(judge.Lag - 5*time.Millisecond)
			pods[0].Terminating()
		}),
		Tell("minReadySeconds was raised just now", func(b *Builder) {
			ds, pods := Running(b, 2, MaxSurge("1"))
			ds.Update("v2").Pod("new-a", NodeName(0)).Ready()
			ds.Set(MinReadySeconds(15))
			pods[0].Terminating()
		}),
		Tell("the harness deleted the updated pod just before it became available", func(b *Builder) {
			ds, pods := Running(b, 2, MaxSurge("1"), MinReadySeconds(2))
			young := ds.Update("v2").Pod("new-a", NodeName(0)).Ready()
			b.After(young.Object().Status.Conditions[0].LastTransitionTime.Add(1500 * time.Millisecond).Sub(b.Now()))
			b.Stimulus(history.DeletePod, young)
			young.Terminating()
			b.After(600 * time.Millisecond)
			pods[0].Terminating()
		}),
		Tell("the harness evicted the updated pod just now", func(b *Builder) {
			ds, pods := Running(b, 2, MaxSurge("1"))
			young := ds.Update("v2").Pod("new-a", NodeName(0)).Ready()
			b.After(Long)
			b.Stimulus(history.EvictPod, young)
			young.Gone()
			pods[0].Terminating()
		}),
	}
}

// nobodysFault are deletions that are not the implementation's, or not of an available pod that it had to keep.
func nobodysFault() []Story {
	return []Story{
		Tell("the old pod is not ready", func(b *Builder) {
			ds, pods := Running(b, 2, MaxSurge("1"))
			ds.Update("v2").Pod("new-a", NodeName(0))
			pods[0].Unready()
			pods[0].Terminating()
		}),
		Tell("the old pod was ready again too late to be known", func(b *Builder) {
			ds, pods := Running(b, 2, MaxSurge("1"))
			ds.Update("v2").Pod("new-a", NodeName(0))
			pods[0].Unready()
			b.After(Long)
			pods[0].Ready()
			b.After(judge.Lag - 5*time.Millisecond)
			pods[0].Terminating()
		}),
		Tell("the harness deletes the old pod", func(b *Builder) {
			ds, pods := Running(b, 2, MaxSurge("1"))
			ds.Update("v2")
			b.Stimulus(history.DeletePod, pods[0])
			pods[0].Terminating()
		}),
		Tell("the harness deletes every pod", func(b *Builder) {
			ds, pods := Running(b, 2, MaxSurge("1"))
			ds.Update("v2")
			b.Stimulus(history.DeleteCollection, Object(history.KindPod, ""))
			pods[0].Terminating()
			pods[1].Terminating()
		}),
		Tell("the harness reboots the node", func(b *Builder) {
			ds, pods := Running(b, 2, MaxSurge("1"))
			ds.Update("v2")
			b.Stimulus(history.RebootNode, b.Node(NodeName(0)))
			b.After(Long)
			pods[0].Terminating()
		}),
		Tell("the node is being deleted", func(b *Builder) {
			ds, pods := Running(b, 2, MaxSurge("1"))
			ds.Update("v2")
			b.Node(NodeName(0)).Edit(func(node *corev1.Node) {
				now := metav1.NewTime(b.Now())
				node.DeletionTimestamp = &now
			})
			pods[0].Terminating()
		}),
		Tell("the node is deleted", func(b *Builder) {
			ds, pods := Running(b, 2, MaxSurge("1"))
			ds.Update("v2")
			b.Node(NodeName(0)).Leave()
			pods[0].Terminating()
			b.After(Long)
		}),
		Tell("the node is deleted and comes back", func(b *Builder) {
			ds, pods := Running(b, 2, MaxSurge("1"))
			ds.Update("v2")
			b.Node(NodeName(0)).Leave()
			b.Node(NodeName(0)).Join()
			b.After(Long)
			pods[0].Terminating()
		}),
		Tell("the taint manager evicts the old pod", func(b *Builder) {
			ds, pods := Running(b, 2, MaxSurge("1"))
			ds.Update("v2")
			b.Node(NodeName(0)).Taint("maintenance", corev1.TaintEffectNoExecute)
			b.After(Long)
			pods[0].Terminating()
		}),
		Tell("the scheduler preempts the old pod", func(b *Builder) {
			ds, pods := Running(b, 2, MaxSurge("1"))
			ds.Update("v2")
			pods[0].Edit(func(pod *corev1.Pod) {
				pod.Status.Conditions = append(pod.Status.Conditions, corev1.PodCondition{
					Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue, Reason: corev1.PodReasonPreemptionByScheduler,
				})
			}).Terminating()
		}),
		Tell("the node is no longer wanted", func(b *Builder) {
			ds, pods := Running(b, 2, MaxSurge("1"))
			ds.Update("v2")
			b.Node(NodeName(0)).Taint("dedicated", corev1.TaintEffectNoSchedule)
			pods[0].Terminating()
		}),
		Tell("the node was not wanted until just now", func(b *Builder) {
			ds, pods := Running(b, 2, MaxSurge("1"))
			b.Node(NodeName(0)).Taint("dedicated", corev1.TaintEffectNoSchedule)
			ds.Update("v2")
			b.After(Long)
			b.Node(NodeName(0)).Edit(func(node *corev1.Node) { node.Spec.Taints = nil })
			b.After(judge.Lag - 5*time.Millisecond)
			pods[0].Terminating()
		}),
		Tell("the DaemonSet is being deleted", func(b *Builder) {
			ds, pods := Running(b, 2, MaxSurge("1"))
			ds.Update("v2").Terminating()
			pods[0].Terminating()
		}),
		Tell("the harness deletes the DaemonSet", func(b *Builder) {
			ds, pods := Running(b, 2, MaxSurge("1"))
			ds.Update("v2")
			b.Stimulus(history.DeleteDaemonSet, ds)
			pods[0].Terminating()
		}),
		Tell("the namespace goes", func(b *Builder) {
			ds, pods := Running(b, 2, MaxSurge("1"))
			ds.Update("v2")
			b.Stimulus(history.DeleteNamespace, Object(history.KindNamespace, Namespace))
			b.After(Long)
			pods[0].Terminating()
		}),
		Tell("maxUnavailable was allowed until just now", func(b *Builder) {
			ds, pods := Running(b, 2, MaxUnavailable("1"))
			ds.Update("v2")
			ds.Set(MaxSurge("1"))
			pods[0].Terminating()
		}),
		Tell("maxUnavailable is allowed too", func(b *Builder) {
			ds, pods := Running(b, 2, Limits("1", "1"))
			ds.Update("v2")
			pods[0].Terminating()
		}),
	}
}

// hit are the stories in which the harness hits a pod of the node: SURGE-008 leaves that node alone from then on.
func hit() []string {
	return []string{
		"the updated pod was deleted by the harness too long before it would have been available",
		"the harness deleted the updated pod just before it became available",
		"the harness evicted the updated pod just now",
	}
}

// without leaves out the stories of those names, only keeps no others.
func without(stories []Story, names ...string) []Story {
	return slices.DeleteFunc(stories, func(story Story) bool { return slices.Contains(names, story.Name()) })
}

func only(stories []Story, names ...string) []Story {
	return slices.DeleteFunc(stories, func(story Story) bool { return !slices.Contains(names, story.Name()) })
}
