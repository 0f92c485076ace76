package story_test

import (
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// example is a history written by hand and what broke in it.
type example struct {
	h         *history.History
	violation judge.Violation
	statement string
	spec      string
}

// newest is the entry last written.
func newest(b *historytest.Builder) history.Entry {
	entries := b.History().Entries
	return entries[len(entries)-1]
}

// brokenBy is the violation, broken by the last entry of its window.
func brokenBy(violation judge.Violation, window ...history.Entry) judge.Violation {
	broke := window[len(window)-1]
	violation.ResourceVersion, violation.Time, violation.Window = broke.ResourceVersion, broke.Time, window
	return violation
}

func starting(pod *corev1.Pod) { pod.Status.Phase = corev1.PodRunning }

// thirdPodOnANode: the surge goes over a failed pod, 4 ms after it failed.
func thirdPodOnANode(t *testing.T) example {
	b := historytest.New(t)
	agent := b.DaemonSet("agent", historytest.MaxSurge("1"))
	b.After(100 * time.Millisecond)
	old := agent.Pod("agent-x7k2p", "node-3")
	b.After(700 * time.Millisecond)
	old.Edit(starting)
	b.After(500 * time.Millisecond)
	old.Ready()
	b.After(2600*time.Millisecond).Stimulus(history.UpdateDaemonSet, agent)
	b.After(20 * time.Millisecond)
	agent.Update("v2")
	b.After(100 * time.Millisecond)
	failing := agent.Pod("agent-9h2lm", "node-3")
	created := newest(b)
	b.After(600 * time.Millisecond)
	failing.Edit(starting)
	b.After(300*time.Millisecond).Stimulus(history.FailPod, failing)
	b.After(200 * time.Millisecond)
	failing.Failed()
	failed := newest(b)
	b.After(3 * time.Millisecond)
	third := agent.Pod("agent-c4d5e", "node-3")
	broke := newest(b)
	b.After(700 * time.Millisecond)
	third.Edit(starting)
	b.After(500 * time.Millisecond)
	third.Ready()
	b.After(100 * time.Millisecond)
	old.Terminating()
	b.After(100 * time.Millisecond)
	failing.Gone()
	b.After(2 * time.Second)
	old.Gone()
	return example{
		h: b.History(), spec: "SURGE replaces pods node by node and counts a failed one",
		statement: "every node runs at most two pods of one DaemonSet, one old and one new, so a node's resources at most double",
		violation: brokenBy(judge.Violation{
			Requirement: "SURGE-009", Promise: "a node has at most two pods of a DaemonSet that are not terminating", Node: "node-3",
			Got:    "3 pods: agent-x7k2p (old), agent-9h2lm (failed), agent-c4d5e (updated)",
			Before: "1 old pod, 1 failed updated pod", After: "1 old pod, 1 failed and 1 pending updated pod",
		}, created, failed, broke),
	}
}

// oldPodGoneTooEarly: minReadySeconds had not passed. Availability changes without an event, and another node matters.
func oldPodGoneTooEarly(t *testing.T) example {
	b := historytest.New(t)
	agent := b.DaemonSet("agent", historytest.MaxSurge("1"), historytest.MinReadySeconds(5))
	var old []*historytest.Pod
	for i := range 4 {
		old = append(old, agent.Pod(fmt.Sprintf("agent-old%d", i+1), fmt.Sprintf("worker-%d", i+1)))
	}
	b.After(time.Second)
	for _, pod := range old {
		pod.Ready()
	}
	b.After(9 * time.Second)
	agent.Update("v2")
	first := agent.Pod("agent-new1", "worker-1")
	b.After(time.Second)
	first.Ready()
	ready := newest(b)
	b.After(6 * time.Second)
	old[0].Terminating()
	b.After(time.Second)
	old[0].Gone()
	second := agent.Pod("agent-new2", "worker-2")
	created := newest(b)
	b.After(time.Second)
	second.Ready()
	becameReady := newest(b)
	b.After(2350 * time.Millisecond)
	old[1].Terminating()
	broke := newest(b)
	agent.Pod("agent-new3", "worker-3")
	b.After(time.Second)
	old[1].Gone()
	return example{
		h: b.History(), spec: "SURGE waits for minReadySeconds",
		violation: brokenBy(judge.Violation{
			Requirement: "SURGE-006", Promise: "an old pod is deleted only after the updated pod on its node is available", Node: "worker-2",
			Got:    "agent-old2 deleted 2.35 s after agent-new2 became Ready, with minReadySeconds 5",
			Before: "agent-old2 available, agent-new2 Ready for 2.35 s", After: "agent-old2 terminating, agent-new2 not yet available",
		}, ready, created, becameReady, broke),
	}
}

// tooManyAtOnce concerns no single node.
func tooManyAtOnce(t *testing.T) example {
	b := historytest.New(t).Nodes(3)
	agent := b.DaemonSet("agent", historytest.MaxUnavailable("1"))
	var pods []*historytest.Pod
	for i := range 3 {
		pods = append(pods, agent.Pod(fmt.Sprintf("agent-%d", i+1), fmt.Sprintf("node-%d", i+1)))
	}
	b.After(time.Second)
	for _, pod := range pods {
		pod.Ready()
	}
	b.After(time.Second)
	agent.Update("v2")
	pods[0].Terminating()
	first := newest(b)
	b.Node("node-2").Taint("dedicated", corev1.TaintEffectNoSchedule)
	pods[2].Terminating()
	broke := newest(b)
	b.After(800 * time.Millisecond)
	pods[0].Gone()
	return example{
		h: b.History(), spec: "ROLLING keeps maxUnavailable",
		statement: "at most maxUnavailable eligible nodes are without an available pod through the controller's doing",
		violation: brokenBy(judge.Violation{
			Requirement: "ROLLING-002", Promise: "at most maxUnavailable pods are disrupted at once", Got: "2 nodes without an available pod, 1 allowed",
		}, first, broke),
	}
}

// nothingHappened is broken by the passing of time: no event has its resourceVersion.
func nothingHappened(t *testing.T) example {
	b := historytest.New(t).Nodes(1)
	agent := b.DaemonSet("agent", historytest.MaxSurge("1"), historytest.MinReadySeconds(3))
	old := agent.Pod("agent-old", "node-1")
	old.Ready()
	b.After(10 * time.Second)
	fresh := agent.Update("v2").Pod("agent-new", "node-1")
	b.After(time.Second)
	fresh.Ready()
	ready := newest(b)
	return example{h: b.History(), spec: "SURGE notices availability without an event", violation: judge.Violation{
		Requirement: "AVAIL-003", Promise: "an old pod goes within 5 s of the updated pod's being available", Node: "node-1",
		ResourceVersion: ready.ResourceVersion + 1, Time: ready.Time.Add(8 * time.Second), Got: "agent-old still there after 5 s",
		Window: []history.Entry{ready},
	}}
}

// dueAndMissing is nothingHappened as a matcher reports it: by the event from which on something was due, and the time at which it was overdue.
func dueAndMissing(t *testing.T) example {
	overdue := nothingHappened(t)
	ready := overdue.violation.Window[0]
	overdue.violation.ResourceVersion = ready.ResourceVersion
	return overdue
}

// statusOnly has no window, touches no node, and was recorded with a gap.
func statusOnly(t *testing.T) example {
	b := historytest.New(t)
	agent := b.DaemonSet("agent")
	b.Gap(history.KindPod, "410 Gone")
	agent.Counts(3, 3, 2, 2, 3)
	broke := newest(b)
	return example{h: b.History(), spec: "STATUS adds up", violation: judge.Violation{
		Requirement: "STATUS-006", Promise: "available and unavailable add up to desired", ResourceVersion: broke.ResourceVersion, Time: broke.Time,
		Got: "2 + 0, want 3", Before: "2 + 1 = 3", After: "2 + 0 of 3",
	}}
}

// longHistory has more before the violation than a picture holds, names that are long, and text that a terminal would obey.
func longHistory(t *testing.T) example {
	b := historytest.New(t)
	agent := b.DaemonSet("agent", historytest.MaxSurge("1"))
	pod := agent.Pod("kube-network-observability-agent-daemon-x7k2p", "ip-10-0-133-217.eu-central-1.compute.internal")
	var window []history.Entry
	for range 20 {
		b.After(time.Second)
		pod.Ready()
		window = append(window, newest(b))
		b.After(700*time.Millisecond).Stimulus(history.BecomeUnready, pod)
		b.After(300 * time.Millisecond)
		pod.Unready()
		window = append(window, newest(b))
	}
	return example{h: b.History(), spec: "a flapping \x1b[31mpod\x1b[0m", violation: brokenBy(judge.Violation{
		Requirement: "SURGE-016", Promise: "with maxUnavailable 0 no eligible node loses its only available pod through the controller",
		Node: "ip-10-0-133-217.eu-central-1.compute.internal", Got: "no available pod",
	}, window...)}
}
