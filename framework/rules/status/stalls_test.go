package status_test

import (
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	. "github.com/rollcall-conformance/rollcall/framework/rules/rulestest"
	"github.com/rollcall-conformance/rollcall/framework/rules/status"
)

// unreported is longer than a stall may go without a report.
const unreported = judge.Lag + judge.ReportWithin + 500*time.Millisecond

// unpullable makes the pod wait for an image that cannot be had.
func unpullable(pod *corev1.Pod) {
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{{
		Image: "daemon:v2", State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ImagePullBackOff", Message: "no such image"}},
	}}
}

// unschedulable makes the pod wait for a node that takes it.
func unschedulable(pod *corev1.Pod) {
	pod.Status.Conditions = []corev1.PodCondition{{
		Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable, Message: "Insufficient cpu",
	}}
}

// says writes the condition.
func says(ds *DaemonSet, status corev1.ConditionStatus, message string) {
	ds.Status(func(s *appsv1.DaemonSetStatus) {
		s.Conditions = []appsv1.DaemonSetCondition{{Type: "Stalled", Status: status, Reason: "Because", Message: message}}
	})
}

// surging begins a rollout with maxSurge on two nodes: the first has an updated pod beside the old one.
func surging(b *Builder, edits ...func(*corev1.Pod)) (*DaemonSet, []*Pod, *Pod) {
	ds, old := Running(b, 2, MaxSurge("1"))
	ds.Update("v2")
	updated := ds.PodOf("v2", "new-a", NodeName(0), edits...)
	return ds, old, updated
}

// yielding does so with maxUnavailable: the first has an updated pod in the place of the old one.
func yielding(b *Builder, edits ...func(*corev1.Pod)) (*DaemonSet, *Pod) {
	ds, old := Running(b, 2, MaxUnavailable("1"))
	ds.Update("v2")
	old[0].Terminating()
	old[0].Gone()
	return ds, ds.PodOf("v2", "new-a", NodeName(0), edits...)
}

func TestAStallIsReported(t *testing.T) {
	rule := status.StallReported()
	Omits(t, rule,
		Tell("an image cannot be pulled, with maxSurge", func(b *Builder) {
			surging(b, unpullable)
			b.After(unreported).Mark("end")
		}),
		Tell("an image cannot be pulled, with maxUnavailable", func(b *Builder) {
			yielding(b, unpullable)
			b.After(unreported).Mark("end")
		}),
		Tell("no node takes the pod, and a condition says something else", func(b *Builder) {
			ds, _, _ := surging(b, unschedulable)
			says(ds, corev1.ConditionTrue, "it is as it is")
			b.After(unreported).Mark("end")
		}),
		Tell("the report goes while the stall lasts", func(b *Builder) {
			ds, _, _ := surging(b, unpullable)
			says(ds, corev1.ConditionTrue, "pod new-a waits")
			b.After(unreported)
			says(ds, corev1.ConditionFalse, "all is well")
			b.After(unreported).Mark("end")
		}),
		Tell("a condition names the node, as it did before the rollout", func(b *Builder) {
			ds, _ := Running(b, 2, MaxSurge("1"))
			says(ds, corev1.ConditionTrue, "runs on "+NodeName(0)+" and "+NodeName(1))
			b.After(judge.Lag)
			ds.Update("v2")
			ds.PodOf("v2", "new-a", NodeName(0), unpullable)
			says(ds, corev1.ConditionTrue, "runs on "+NodeName(0))
			b.After(unreported).Mark("end")
		}),
		Tell("no node is left to go on with, though the limit is not used up", func(b *Builder) {
			ds, _ := Running(b, 1, MaxSurge("5"))
			ds.Update("v2")
			ds.PodOf("v2", "new-a", NodeName(0), unpullable)
			b.After(unreported).Mark("end")
		}),
	)
	Keeps(t, rule,
		Tell("it names the pod in time", func(b *Builder) {
			ds, _, _ := surging(b, unpullable)
			b.After(20 * time.Second)
			says(ds, corev1.ConditionTrue, "pod new-a waits")
			b.After(unreported).Mark("end")
		}),
		Tell("a condition names the pod that named the node before the rollout", func(b *Builder) {
			ds, _ := Running(b, 2, MaxSurge("1"))
			says(ds, corev1.ConditionTrue, "runs on "+NodeName(0)+" and "+NodeName(1))
			b.After(judge.Lag)
			ds.Update("v2")
			ds.PodOf("v2", "new-a", NodeName(0), unpullable)
			b.After(20 * time.Second)
			says(ds, corev1.ConditionTrue, "pod new-a waits on "+NodeName(0))
			b.After(unreported).Mark("end")
		}),
		Tell("a condition names the node that did so with another status before the rollout", func(b *Builder) {
			ds, _ := Running(b, 2, MaxSurge("1"))
			says(ds, corev1.ConditionFalse, "runs on "+NodeName(0)+" and "+NodeName(1))
			b.After(judge.Lag)
			ds.Update("v2")
			ds.PodOf("v2", "new-a", NodeName(0), unpullable)
			b.After(20 * time.Second)
			says(ds, corev1.ConditionTrue, "waits on "+NodeName(0))
			b.After(unreported).Mark("end")
		}),
		Tell("it has the words of the scheduler, in a condition that is False", func(b *Builder) {
			ds, _ := yielding(b, unschedulable)
			b.After(20 * time.Second)
			says(ds, corev1.ConditionFalse, "Insufficient cpu")
			b.After(unreported).Mark("end")
		}),
	)
	Ignores(t, rule,
		Tell("a stall of the first rollout goes on in the next", func(b *Builder) {
			ds := b.Nodes(2).DaemonSet("agent", MaxSurge("1"))
			first := ds.PodOf("v1", "a", NodeName(0), unpullable)
			ds.Pod("b", NodeName(1)).Ready()
			says(ds, corev1.ConditionTrue, "waits on "+NodeName(0))
			b.After(judge.Lag)
			ds.Update("v2")
			first.Terminating()
			first.Gone()
			ds.PodOf("v2", "new-a", NodeName(0), unpullable)
			ds.PodOf("v2", "new-b", NodeName(1), unpullable)
			b.After(unreported).Mark("end")
		}),
		Tell("the limit is not used up", func(b *Builder) {
			ds, _ := Running(b, 3, MaxSurge("2"))
			ds.Update("v2")
			ds.PodOf("v2", "new-a", NodeName(0), unpullable)
			b.After(unreported).Mark("end")
		}),
		Tell("the pod says nothing", func(b *Builder) {
			surging(b)
			b.After(unreported).Mark("end")
		}),
		Tell("it recovers in time", func(b *Builder) {
			_, _, updated := surging(b, unpullable)
			b.After(20 * time.Second)
			updated.Edit(func(pod *corev1.Pod) { pod.Status.ContainerStatuses = nil })
			b.After(unreported).Mark("end")
		}),
		Tell("it breaks down once the rollout is over", func(b *Builder) {
			ds, old := Running(b, 1, MaxUnavailable("1"))
			ds.Update("v2")
			old[0].Terminating()
			old[0].Gone()
			updated := ds.PodOf("v2", "new-a", NodeName(0)).Ready()
			b.After(Long)
			updated.Unready()
			updated.Edit(unpullable)
			b.After(unreported).Mark("end")
		}),
		Tell("it is the first rollout", func(b *Builder) {
			ds := b.Nodes(1).DaemonSet("agent")
			ds.Pod("a", NodeName(0)).Edit(unpullable)
			b.After(unreported).Mark("end")
		}),
		Tell("with OnDelete", func(b *Builder) {
			ds, old := Running(b, 1, OnDelete())
			ds.Update("v2")
			b.Stimulus(history.DeletePod, old[0])
			old[0].Gone()
			ds.PodOf("v2", "new-a", NodeName(0), unpullable)
			b.After(unreported).Mark("end")
		}),
	)
}

// cured ends the rollout by a template whose pods become Ready.
func cured(b *Builder, ds *DaemonSet, stuck *Pod) {
	b.After(judge.Lag)
	ds.Update("v3")
	stuck.Terminating()
	stuck.Gone()
	for i, name := range []string{"good-a", "good-b"} {
		ds.PodOf("v3", name, NodeName(i)).Ready()
	}
}

func TestTheReportOfAStallIsTakenBack(t *testing.T) {
	rule := status.StallCleared()
	// stuck is a rollout whose stall is reported.
	stuck := func(b *Builder) (*DaemonSet, func()) {
		ds, old, updated := surging(b, unpullable)
		says(ds, corev1.ConditionTrue, "pod new-a waits")
		return ds, func() {
			cured(b, ds, updated)
			b.After(judge.Lag)
			for _, pod := range old {
				pod.Terminating()
				pod.Gone()
			}
		}
	}
	// emptied is one on the last node, which must not run the pod any more.
	emptied := func(b *Builder) (*DaemonSet, *Pod) {
		ds, old := Running(b, 1, MaxUnavailable("1"))
		ds.Update("v2")
		old[0].Terminating()
		old[0].Gone()
		updated := ds.PodOf("v2", "new-a", NodeName(0), unpullable)
		says(ds, corev1.ConditionTrue, "pod new-a waits")
		b.After(judge.Lag)
		b.Node(NodeName(0)).Taint("dedicated", corev1.TaintEffectNoExecute)
		return ds, updated.Terminating()
	}
	Omits(t, rule, Tell("it stands once the next rollout is over", func(b *Builder) {
		_, cure := stuck(b)
		cure()
		b.After(late).Mark("end")
	}), Tell("it stands once the last node is empty", func(b *Builder) {
		_, last := emptied(b)
		last.Gone()
		b.After(late).Mark("end")
	}), Tell("it stands in other words", func(b *Builder) {
		ds, cure := stuck(b)
		cure()
		says(ds, corev1.ConditionTrue, "it was pod new-a")
		b.After(late).Mark("end")
	}))
	Keeps(t, rule, Tell("it turns False", func(b *Builder) {
		ds, cure := stuck(b)
		cure()
		b.After(judge.Prompt)
		says(ds, corev1.ConditionFalse, "")
	}), Tell("it goes", func(b *Builder) {
		ds, cure := stuck(b)
		cure()
		b.After(judge.Prompt)
		ds.Status(func(s *appsv1.DaemonSetStatus) { s.Conditions = nil })
	}), Tell("it turns False once the last node is empty", func(b *Builder) {
		ds, last := emptied(b)
		last.Gone()
		b.After(judge.Prompt)
		says(ds, corev1.ConditionFalse, "")
	}))
	// goesOn writes a condition that is True while all is well.
	goesOn := func(ds *DaemonSet, status corev1.ConditionStatus, message string) {
		ds.Status(func(s *appsv1.DaemonSetStatus) {
			s.Conditions = []appsv1.DaemonSetCondition{{Type: "GoesOn", Status: status, Reason: "Because", Message: message}}
		})
	}
	// changing is a stall in which the condition has one status after the other.
	changing := func(b *Builder, first, second corev1.ConditionStatus) (*DaemonSet, func()) {
		ds, old, updated := surging(b, unpullable)
		goesOn(ds, first, "pod new-a is waited for")
		b.After(judge.Prompt)
		goesOn(ds, second, "pod new-a waits")
		return ds, func() {
			cured(b, ds, updated)
			b.After(judge.Lag)
			for _, pod := range old {
				pod.Terminating()
				pod.Gone()
			}
		}
	}
	// overtaken is a rollout that cannot go on, after one that was overtaken. Its pod becomes Ready after a while.
	overtaken := func(b *Builder, edits ...func(*corev1.Pod)) {
		ds, old := Running(b, 2, MaxSurge("1"))
		goesOn(ds, corev1.ConditionTrue, "done")
		b.After(judge.Lag)
		ds.Update("v2")
		first := ds.PodOf("v2", "new-a", NodeName(0), edits...)
		goesOn(ds, corev1.ConditionFalse, "pod new-a waits")
		b.After(judge.Lag)
		ds.Update("v3")
		first.Terminating()
		first.Gone()
		second := ds.PodOf("v3", "newer-a", NodeName(0), unpullable)
		goesOn(ds, corev1.ConditionTrue, "pod newer-a is waited for")
		b.After(judge.Prompt)
		second.Edit(func(pod *corev1.Pod) { pod.Status.ContainerStatuses = nil })
		second.Ready()
		old[0].Terminating()
		old[0].Gone()
		ds.PodOf("v3", "newer-b", NodeName(1)).Ready()
		b.After(judge.Lag)
		old[1].Terminating()
		old[1].Gone()
		b.After(late).Mark("end")
	}
	Omits(t, rule, Tell("it names the stall with one status after the other, and keeps the last", func(b *Builder) {
		_, cure := changing(b, corev1.ConditionFalse, corev1.ConditionTrue)
		cure()
		b.After(late).Mark("end")
	}))
	Keeps(t, rule, Tell("it names the stall with one status after the other, and has the first again", func(b *Builder) {
		ds, cure := changing(b, corev1.ConditionTrue, corev1.ConditionFalse)
		cure()
		b.After(judge.Prompt)
		goesOn(ds, corev1.ConditionTrue, "done")
		b.After(late).Mark("end")
	}))
	Ignores(t, rule, Tell("it is called Progressing, and goes on being True", func(b *Builder) {
		progressing := func(ds *DaemonSet, message string) {
			ds.Status(func(s *appsv1.DaemonSetStatus) {
				s.Conditions = []appsv1.DaemonSetCondition{{Type: "Progressing", Status: corev1.ConditionTrue, Reason: "Because", Message: message}}
			})
		}
		ds, old, updated := surging(b, unpullable)
		progressing(ds, "pod new-a is waited for")
		cured(b, ds, updated)
		b.After(judge.Lag)
		for _, pod := range old {
			pod.Terminating()
			pod.Gone()
		}
		progressing(ds, "done")
		b.After(late).Mark("end")
	}), Tell("it names the stall with one status after the other, and has the first again before the rollout is over", func(b *Builder) {
		ds, cure := changing(b, corev1.ConditionTrue, corev1.ConditionFalse)
		goesOn(ds, corev1.ConditionTrue, "it goes on")
		cure()
		b.After(late).Mark("end")
	}), Tell("a condition that is True when all is well is False in a stall, and names the next one when it is True again", func(b *Builder) {
		overtaken(b, unpullable)
	}), Tell("a condition that is True when all is well is False in a rollout that is overtaken, and names the next stall when it is True again", func(b *Builder) {
		// Nothing that is known keeps the first from going on.
		overtaken(b)
	}), Tell("the rollout never ends", func(b *Builder) {
		stuck(b)
		b.After(unreported).Mark("end")
	}), Tell("the last pod has yet to leave the last node", func(b *Builder) {
		emptied(b)
		b.After(late).Mark("end")
	}), Tell("a condition was there before, and stays", func(b *Builder) {
		ds, old := Running(b, 1, MaxUnavailable("1"))
		says(ds, corev1.ConditionTrue, "pod new-a is expected")
		b.After(judge.Lag)
		ds.Update("v2")
		old[0].Terminating()
		old[0].Gone()
		updated := ds.PodOf("v2", "new-a", NodeName(0), unpullable)
		b.After(judge.Prompt)
		updated.Edit(func(pod *corev1.Pod) { pod.Status.ContainerStatuses = nil })
		updated.Ready()
		b.After(late).Mark("end")
	}))
}
