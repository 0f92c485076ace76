package story_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// tooFewAtTheEnd: a rollout stops half way on four of five nodes, one of which has no pod that is available. No event shows what did not happen.
func tooFewAtTheEnd(t *testing.T) example {
	b := historytest.New(t).Nodes(5)
	agent := b.DaemonSet("agent", historytest.MaxSurge("40%"))
	var old []*historytest.Pod
	for i := range 5 {
		old = append(old, agent.Pod(fmt.Sprintf("agent-old%d", i+1), fmt.Sprintf("node-%d", i+1)).Ready())
	}
	b.After(2 * time.Second)
	agent.Update("v2")
	for i := range 2 {
		agent.Pod(fmt.Sprintf("agent-new%d", i+1), fmt.Sprintf("node-%d", i+1))
	}
	b.After(time.Second)
	old[0].Terminating()
	deleted := newest(b)
	old[4].Unready()
	b.After(20 * time.Second).End(history.Ending{})
	end := newest(b)
	return example{h: b.History(), spec: "SURGE goes on", violation: judge.Violation{
		Requirement: "SURGE-011", Promise: "at least 5 × v1 pod deleted", Got: "only 1 × v1 pod deleted",
		ResourceVersion: end.ResourceVersion, Time: end.Time, Window: []history.Entry{deleted},
	}}
}

// overdrawn: two evictions are accepted where the budget allows one. The implementation logged what it did.
func overdrawn(t *testing.T) example {
	b := historytest.New(t).Nodes(3)
	agent := b.DaemonSet("web")
	var pods []*historytest.Pod
	for i := range 3 {
		pods = append(pods, agent.Pod(fmt.Sprintf("web-%d", i+1), fmt.Sprintf("node-%d", i+1)).Ready())
	}
	budget := b.Budget("keep", "web", historytest.MinAvailable("2")).Says(1, 3, 2, 3)
	b.After(3 * time.Second)
	evict := func(pod *historytest.Pod, code int) {
		b.Stimulus(history.EvictPod, pod)
		if code == http.StatusCreated {
			budget.Disrupts(pod)
			pod.Evicted().Terminating()
		}
		b.Answer(history.Exchange{Verb: "create", Resource: "pods", Subresource: "eviction", Namespace: historytest.Namespace, Name: pod.Object().Name, Code: code})
		b.After(200 * time.Millisecond)
	}
	evict(pods[0], http.StatusCreated)
	budget.Says(1, 3, 2, 3)
	wrong := newest(b)
	b.After(time.Second)
	evict(pods[1], http.StatusCreated)
	h := b.History()
	broke := h.Entries[len(h.Entries)-2]
	evict(pods[2], http.StatusTooManyRequests)
	h = b.History()
	at := broke.Time.Sub(h.Start)
	h.Health = &history.Health{Beside: []history.LogLine{
		{At: at - time.Minute, Text: "I0101 11:59:04.000000 1 main.go:9] started"},
		{At: at - 1200*time.Millisecond, Text: "I0101 12:00:03.000000 1 budget.go:40] wrote the status of keep: allowed 1"},
	}}
	return example{h: h, spec: "EVICT counts what is under way", violation: brokenBy(judge.Violation{
		Requirement: "EVICT-010", Promise: "no eviction of a healthy pod leaves a budget fewer healthy pods than it desires", Node: "node-2",
		Got: "PodDisruptionBudget keep: 1 healthy pods left of 2 desired by the eviction of pod web-2",
	}, wrong, broke)}
}
