package main

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/history/historytest"
	. "github.com/rollcall-conformance/rollcall/framework/rules/rulestest"
)

// follow has a progress of two nodes, in a phase of image v1 that begins at once, follow what is told.
func follow(t *testing.T, tell func(b *Builder, ds *DaemonSet)) (*rolloutProgress, bool) {
	t.Helper()
	p := newRolloutProgress(2)
	b := New(t)
	b.Nodes(2)
	ds := b.DaemonSet("daemon")
	over := p.begin(wanted{image: imageOf(ds)})
	b.Stimulus(history.UpdateDaemonSet, ds)
	tell(b, ds)
	for _, entry := range b.History().Entries {
		p.observe(entry)
	}
	select {
	case <-over:
		return p, true
	default:
		return p, false
	}
}

func imageOf(ds *DaemonSet) string { return ds.Object().Spec.Template.Spec.Containers[0].Image }

func TestAPhaseIsOverWhenEveryNodeHasOnePodOfTheImageAndReady(t *testing.T) {
	for name, tt := range map[string]struct {
		over bool
		tell func(b *Builder, ds *DaemonSet)
	}{
		"both Ready": {true, func(_ *Builder, ds *DaemonSet) {
			ds.Pod("a", NodeName(0)).Ready()
			ds.Pod("b", NodeName(1)).Ready()
		}},
		"one not Ready": {false, func(_ *Builder, ds *DaemonSet) {
			ds.Pod("a", NodeName(0)).Ready()
			ds.Pod("b", NodeName(1))
		}},
		"an old pod is left": {false, func(_ *Builder, ds *DaemonSet) {
			ds.PodOf("v0", "old", NodeName(0)).Ready()
			ds.Pod("a", NodeName(0)).Ready()
			ds.Pod("b", NodeName(1)).Ready()
		}},
		"the old pod is gone": {true, func(_ *Builder, ds *DaemonSet) {
			old := ds.PodOf("v0", "old", NodeName(0)).Ready()
			ds.Pod("a", NodeName(0)).Ready()
			ds.Pod("b", NodeName(1)).Ready()
			old.Terminating().Gone()
		}},
		"one is old": {false, func(_ *Builder, ds *DaemonSet) {
			ds.PodOf("v0", "old", NodeName(0)).Ready()
			ds.Pod("b", NodeName(1)).Ready()
		}},
		"one is terminating": {false, func(_ *Builder, ds *DaemonSet) {
			ds.Pod("a", NodeName(0)).Ready().Terminating()
			ds.Pod("b", NodeName(1)).Ready()
		}},
	} {
		if p, over := follow(t, tt.tell); over != tt.over {
			t.Errorf("%s: over is %t: %s", name, over, p.state())
		}
	}
}

func TestAPhaseLastsFromItsStimulusToTheLastPod(t *testing.T) {
	p, over := follow(t, func(b *Builder, ds *DaemonSet) {
		ds.Pod("a", NodeName(0)).Ready()
		last := ds.Pod("b", NodeName(1))
		b.After(time.Minute)
		last.Ready()
		b.After(time.Minute)
		b.Node("stranger").Join()
	})
	spent, err := p.measured()
	if !over || err != nil || spent.took < time.Minute || spent.took > time.Minute+time.Second {
		t.Errorf("over %t, %s, %v: want a minute", over, spent.took, err)
	}
}

func TestWhereNodesAreLostNothingWasMeasured(t *testing.T) {
	p, _ := follow(t, func(b *Builder, ds *DaemonSet) {
		ds.Pod("a", NodeName(0)).Ready()
		ds.Pod("b", NodeName(1)).Ready()
		node := b.Node(NodeName(1))
		for _, status := range []corev1.ConditionStatus{corev1.ConditionTrue, corev1.ConditionUnknown} {
			node.Edit(func(node *corev1.Node) {
				node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: status}}
			})
		}
	})
	if _, err := p.measured(); err == nil || !strings.Contains(err.Error(), "1 of 2") {
		t.Errorf("got %v", err)
	}
}

const metrics = `# TYPE process_cpu_seconds_total counter
process_cpu_seconds_total 2.5
# TYPE process_resident_memory_bytes gauge
process_resident_memory_bytes 1e+08
# TYPE rest_client_requests_total counter
rest_client_requests_total{code="200",host="h",method="GET"} 7
rest_client_requests_total{code="201",host="h",method="POST"} 3
rest_client_requests_total{code="409",host="h",method="PUT"} 2
`

func TestWhatWasUsedIsReadFromTheMetrics(t *testing.T) {
	used, err := readUsage(metrics)
	if want := (usage{cpu: 2.5, memory: 1e8, writes: 5}); err != nil || used != want {
		t.Errorf("got %+v, %v, want %+v", used, err, want)
	}
	if spent := used.since(usage{cpu: 1, memory: 5e7, writes: 4}); spent != (usage{cpu: 1.5, memory: 1e8, writes: 1}) {
		t.Errorf("since: got %+v", spent)
	}
	for _, name := range []string{cpuMetric, memoryMetric, requestsMetric} {
		if _, err := readUsage(strings.ReplaceAll(metrics, name, "another")); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("without %s: %v", name, err)
		}
	}
}

func TestTheTableHasMediansAndRatios(t *testing.T) {
	of := func(seconds float64) turn {
		return turn{"first pods": {took: time.Duration(seconds * float64(time.Second)), used: usage{writes: 20}}}
	}
	measured := table{rollouts{10}, []result{{"one", []turn{of(9), of(3), of(4)}}, {"two", []turn{of(1), of(3), of(2)}}}}
	var text strings.Builder
	if err := measured.write(&text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"10 nodes, medians of 3 rounds", "| phase |  | one | two | ratio |", "|---|---|---|---|---|", "| first pods | seconds | 4.00 | 2.00 | 2.00 |", "| first pods | writes a node | 2.00 | 2.00 | 1.00 |", "| 0.00 | 0.00 | – |"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
	if strings.Contains(text.String(), "status") {
		t.Errorf("rollouts wait for no status:\n%s", text.String())
	}
}

func TestBadInputIsNamed(t *testing.T) {
	for args, says := range map[string]string{
		"-nodes=5": "-nodes 5", "-budgets=3 -pods=2": "-pods 2", "-nodes=0 -budgets=0": "nothing", "-rounds=0": "-rounds 0", "no-such": "no-such", "./none.yaml": "none.yaml",
	} {
		if code, err := parseAndRun(t.Context(), strings.Fields(args)); code != 2 || err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %d, %v", args, code, err)
		}
	}
}
