package matchers_test

import (
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/history/historytest"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
)

// stalledTwice is a history of two stalls, with Events of these reasons, one in each and one between them.
func stalledTwice(t *testing.T, reasons ...string) *history.History {
	b := historytest.New(t).Nodes(1)
	ds := b.DaemonSet("agent")
	ds.Pod("old", "node-1").Ready()
	var at []time.Time
	stall := func(version string, from, to history.Mark) {
		b.After(time.Second).Mark(from)
		ds.Update(version)
		ds.Pod("pod-of-"+version, "node-1").Edit(func(pod *corev1.Pod) {
			pod.Status.ContainerStatuses = []corev1.ContainerStatus{{
				State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ImagePullBackOff", Message: "no such image"}},
			}}
		})
		at = append(at, b.After(time.Second).Now())
		b.After(time.Minute).Mark(to)
		at = append(at, b.After(time.Second).Now())
	}
	stall("v2", "first begins", "first ends")
	stall("v3", "second begins", "second ends")
	h := b.History()
	for i, reason := range reasons {
		if reason != "" {
			event := &corev1.Event{Reason: reason, InvolvedObject: corev1.ObjectReference{UID: ds.Object().UID}}
			h.Evidence = append(h.Evidence, history.Entry{Time: at[i], Kind: history.KindEvent, Object: event})
		}
	}
	return h
}

func TestALaterStallIsToldOfByAnEventOfItsOwn(t *testing.T) {
	first := StallBetween{From: "first begins", To: "first ends", Known: 20 * time.Second}
	second := StallBetween{From: "second begins", To: "second ends", Known: 20 * time.Second, Earlier: &first}
	keeps(t, stalledTwice(t, "Stalled", "Resumed", "Stalled"), first.Event())
	keeps(t, stalledTwice(t, "Stalled", "Resumed", "Stalled"), second.Event())
	keeps(t, stalledTwice(t, "Stalled", "Stalled", "Stalled"), second.Event())
	breaks(t, stalledTwice(t, "Stalled", "Resumed", ""), second.Event(), "no Event")
	breaks(t, stalledTwice(t, "Stalled", "Stalled", ""), second.Event(), "no Event")
	breaks(t, stalledTwice(t, "SuccessfulDelete", "Changed", "Changed"), second.Event(), "no Event")
	breaks(t, stalledTwice(t, "", "", "Stalled"), first.Event(), "no Event")
	breaks(t, stalledTwice(t, "Stalled", "Resumed", "Resumed"), second.Event(), "no Event")
	breaks(t, stalledTwice(t, "Stalled", "", "SuccessfulCreate"), second.Event(), "no Event")
}

func TestAStallIsOfTheDaemonSetThatIsNamed(t *testing.T) {
	b := historytest.New(t).Nodes(1)
	stalls := func(name string, conditions ...appsv1.DaemonSetCondition) *appsv1.DaemonSet {
		ds := b.DaemonSet(name)
		ds.Pod(name+"-pod", "node-1").Edit(func(pod *corev1.Pod) {
			pod.Status.ContainerStatuses = []corev1.ContainerStatus{{
				State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ImagePullBackOff", Message: "no such image"}},
			}}
		})
		ds.Status(func(s *appsv1.DaemonSetStatus) { s.Conditions = conditions })
		return ds.Object()
	}
	b.After(time.Second).Mark("begins")
	told, untold := stalls("told", appsv1.DaemonSetCondition{Type: "Stalled", Status: corev1.ConditionTrue, Message: "no such image"}), stalls("untold")
	at := b.After(time.Second).Now()
	b.After(time.Minute).Mark("ends")
	h := b.History()
	h.Evidence = append(h.Evidence, history.Entry{Time: at, Kind: history.KindEvent, Object: &corev1.Event{Reason: "Stalled", InvolvedObject: corev1.ObjectReference{UID: told.UID}}})
	stall := StallBetween{From: "begins", To: "ends", Known: 20 * time.Second}
	stall.Of = told.Name
	keeps(t, h, stall.Event())
	keeps(t, h, stall.Condition())
	stall.Of = untold.Name
	breaks(t, h, stall.Event(), "no Event")
	breaks(t, h, stall.Condition(), "no new condition")
}

func TestTheLatestConditionOfAStallIsTakenBack(t *testing.T) {
	stalled := func(first, second, end corev1.ConditionStatus, says string) *history.History {
		b := historytest.New(t).Nodes(1)
		ds := b.DaemonSet("agent")
		write := func(status corev1.ConditionStatus, message string) {
			ds.Status(func(s *appsv1.DaemonSetStatus) {
				s.Conditions = []appsv1.DaemonSetCondition{{Type: "Condition", Status: status, Message: message}}
			})
		}
		b.Mark("begun")
		ds.Update("v2")
		ds.PodOf("v2", "new", "node-1").Edit(func(pod *corev1.Pod) {
			pod.Status.ContainerStatuses = []corev1.ContainerStatus{{State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ImagePullBackOff"}}}}
		})
		write(first, "pod new is waited for")
		b.After(time.Second)
		write(second, "pod new waits")
		b.After(time.Second).Mark("over")
		write(end, says)
		b.After(time.Minute).Mark("end")
		return b.History()
	}
	takenBack := StallBetween{From: "begun", To: "over", Known: 20 * time.Second}.TakenBack()
	keeps(t, stalled(corev1.ConditionTrue, corev1.ConditionFalse, corev1.ConditionTrue, "done"), takenBack)
	keeps(t, stalled(corev1.ConditionFalse, corev1.ConditionTrue, corev1.ConditionFalse, "done"), takenBack)
	keeps(t, stalled(corev1.ConditionFalse, corev1.ConditionTrue, corev1.ConditionTrue, "done"), takenBack)
	breaks(t, stalled(corev1.ConditionFalse, corev1.ConditionTrue, corev1.ConditionTrue, "pod new waits"), takenBack, "still Condition True")
	breaks(t, stalled(corev1.ConditionTrue, corev1.ConditionTrue, corev1.ConditionTrue, "done"), takenBack, "still Condition True")
}

func TestAStallIsToldOfInTime(t *testing.T) {
	const known = 20 * time.Second
	told := func(after time.Duration, second bool) *history.History {
		b := historytest.New(t).Nodes(2)
		ds := b.DaemonSet("agent")
		hinder := func(node string) {
			ds.Pod("pod-on-"+node, node).Edit(func(pod *corev1.Pod) {
				pod.Status.ContainerStatuses = []corev1.ContainerStatus{{State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ImagePullBackOff"}}}}
			})
		}
		b.After(time.Second).Mark("begins")
		hinder("node-1")
		if second {
			b.After(known / 2)
			hinder("node-2")
			after -= known / 2
		}
		at := b.After(after).Now()
		ds.Status(func(s *appsv1.DaemonSetStatus) {
			s.Conditions = []appsv1.DaemonSetCondition{{Type: "Stalled", Status: corev1.ConditionTrue, Message: "node-1"}}
		})
		b.After(time.Minute).Mark("ends")
		h := b.History()
		h.Evidence = append(h.Evidence, history.Entry{Time: at, Kind: history.KindEvent, Object: &corev1.Event{Reason: "Stalled", InvolvedObject: corev1.ObjectReference{UID: ds.Object().UID}}})
		return h
	}
	stall := StallBetween{From: "begins", To: "ends", Known: known}
	for _, report := range []Matcher{stall.Event(), stall.Condition()} {
		keeps(t, told(known, false), report)
		breaks(t, told(known+5*time.Second, false), report, "25.00")
		// The rollout may have gone on until the second was hindered.
		keeps(t, told(known+5*time.Second, true), report)
		breaks(t, told(2*known, true), report, "30.00")
	}
}

func TestAConditionIsTakenBackInTime(t *testing.T) {
	left := func(after time.Duration) *history.History {
		b := historytest.New(t).Nodes(1)
		ds := b.DaemonSet("agent")
		b.Mark("begun")
		pod := ds.Pod("new", "node-1")
		pod.Edit(func(pod *corev1.Pod) {
			pod.Status.ContainerStatuses = []corev1.ContainerStatus{{State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ImagePullBackOff"}}}}
		})
		ds.Status(func(s *appsv1.DaemonSetStatus) {
			s.Conditions = []appsv1.DaemonSetCondition{{Type: "Stalled", Status: corev1.ConditionTrue, Message: "node-1"}}
		})
		b.After(time.Second).Mark("over")
		pod.Gone()
		b.After(after).Mark("end")
		return b.History()
	}
	takenBack := StallBetween{From: "begun", To: "over", Known: 20 * time.Second}.TakenBack()
	isUntested(t, left(10*time.Second), takenBack, "things still change")
	breaks(t, left(20*time.Second), takenBack, "still Stalled True")
}
