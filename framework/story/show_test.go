package story_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/story"
	"github.com/rollcall-conformance/rollcall/reports/picture"
)

// twoNodes: a pod on each of two nodes, the first of which is updated after ten seconds; a budget, and a measurement on the second node.
func twoNodes(t *testing.T) *history.History {
	b := historytest.New(t).Nodes(2)
	agent := b.DaemonSet("agent", historytest.MaxSurge("1"))
	old := agent.Pod("old", "node-1").Ready()
	agent.Pod("other", "node-2").Ready()
	b.After(time.Second)
	guard := b.Budget("guard", "web")
	guard.Says(1, 3, 2, 3)
	b.After(9*time.Second).Stimulus(history.UpdateDaemonSet, agent)
	agent.Update("v2")
	b.After(time.Second)
	agent.Pod("new", "node-1").Ready()
	guard.Says(0, 2, 2, 3)
	b.After(time.Second)
	old.Terminating()
	b.After(time.Second)
	measured := lostRequests()
	measured.Node = "node-2"
	return b.Measured(measured).History()
}

func show(t *testing.T, part story.Part) *picture.Picture {
	t.Helper()
	shown, err := story.Show(twoNodes(t), part)
	if err != nil {
		t.Fatal(err)
	}
	if err := shown.Picture.Check(); err != nil {
		t.Fatal(err)
	}
	return shown.Picture
}

func lanesOf(p *picture.Picture) string {
	var names []string
	for _, node := range p.Nodes {
		for _, lane := range node.Lanes {
			names = append(names, node.Name+"/"+lane.Pod+"/"+lane.Revision)
		}
	}
	return strings.Join(names, " ")
}

func TestAWholeRecordingShowsEveryPodBudgetAndMeasurement(t *testing.T) {
	t.Parallel()
	shown, err := story.Show(twoNodes(t), story.Part{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := lanesOf(shown.Picture), "node-1/old/old node-1/new/updated node-2/other/old"; got != want {
		t.Errorf("got lanes %s, want %s", got, want)
	}
	if len(shown.Measurements) != 1 || shown.Measurements[0].Failed != 3 || shown.Measurements[0].FirstFailures[0].Error != "connection refused" {
		t.Errorf("got measurements %+v", shown.Measurements)
	}
	if len(shown.Budgets) != 1 || shown.Budgets[0].Name != "guard" {
		t.Fatalf("got budgets %+v", shown.Budgets)
	}
	instants := shown.Budgets[0].Instants
	first, last := instants[len(instants)-2], instants[len(instants)-1]
	if first.Reported != 3 || first.Allowed != 1 || last.Reported != 2 || last.Allowed != 0 || last.At <= first.At {
		t.Errorf("the budget's numbers are %+v", instants)
	}
	text := shown.Text(false)
	for _, want := range []string{"node node-2", "PodDisruptionBudget guard", "rollcall: update DaemonSet agent", "pod old (old v1) on node-1 began terminating", "sent 2000"} {
		if !strings.Contains(text, want) {
			t.Errorf("the text does not say %q:\n%s", want, text)
		}
	}
}

func TestAPartOfARecordingIsANodeOrATime(t *testing.T) {
	t.Parallel()
	if got, want := lanesOf(show(t, story.Part{Node: "node-2"})), "node-2/other/old"; got != want {
		t.Errorf("got lanes %s, want %s", got, want)
	}
	late := show(t, story.Part{From: 5 * time.Second, To: 10500 * time.Millisecond})
	if late.Steps[0] != 5*time.Second || late.Steps[len(late.Steps)-1] > 10500*time.Millisecond {
		t.Errorf("the picture goes from %s to %s", late.Steps[0], late.Steps[len(late.Steps)-1])
	}
	// Nothing happens to them at first, but they are there.
	if got, want := lanesOf(late), "node-1/old/old node-2/other/old"; got != want {
		t.Errorf("got lanes %s, want %s", got, want)
	}
	if life := late.Nodes[0].Lanes[0].Life; life[0] != byte(picture.Available) {
		t.Errorf("the old pod begins with %q", life)
	}
	shown, err := story.Show(twoNodes(t), story.Part{From: 11500 * time.Millisecond, Node: "node-1"})
	if err != nil {
		t.Fatal(err)
	}
	if len(shown.Events) != 1 || !strings.Contains(shown.Events[0].Event, "began terminating") || len(shown.Measurements) != 0 {
		t.Errorf("got %+v, %+v", shown.Events, shown.Measurements)
	}
}

func TestWhatARecordingDoesNotHaveIsNotShown(t *testing.T) {
	t.Parallel()
	for want, part := range map[string]story.Part{
		`node "node-7"; its nodes are [node-1 node-2]`: {Node: "node-7"},
		"ends after": {From: time.Hour},
	} {
		if _, err := story.Show(twoNodes(t), part); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got error %v, want one that says %q", err, want)
		}
	}
}

func TestWhatIsShownOfADamagedRecordingSaysSo(t *testing.T) {
	for damage, notes := range map[string]int{"": 0, "it was cut off after line 80": 1} {
		h := twoNodes(t)
		h.Damage = damage
		shown, err := story.Show(h, story.Part{})
		if err != nil || len(shown.Notes) != notes || !strings.Contains(strings.Join(shown.Notes, ""), damage) {
			t.Errorf("damage %q: %v, notes %q", damage, err, shown.Notes)
		}
	}
}

func TestATraceOfARecordingIsWhatPerfettoReads(t *testing.T) {
	t.Parallel()
	shown, err := story.Show(twoNodes(t), story.Part{})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := shown.WriteTrace(&out); err != nil {
		t.Fatal(err)
	}
	var trace struct {
		TraceEvents     []map[string]any
		DisplayTimeUnit string
	}
	if err := json.Unmarshal(out.Bytes(), &trace); err != nil || trace.DisplayTimeUnit != "ms" {
		t.Fatalf("%v, time in %q", err, trace.DisplayTimeUnit)
	}
	// What each phase must have beside a name and a process, by the format's description.
	needs := map[string][]string{"M": {"args"}, "X": {"ts", "dur", "tid"}, "i": {"ts", "s"}, "C": {"ts", "args"}}
	phases, threads := map[string]int{}, map[string]bool{}
	for _, event := range trace.TraceEvents {
		phase, _ := event["ph"].(string)
		fields, known := needs[phase]
		if !known {
			t.Fatalf("an event of phase %q: %v", phase, event)
		}
		phases[phase]++
		for _, field := range append(fields, "name", "pid") {
			if event[field] == nil {
				t.Errorf("an event of phase %s has no %s: %v", phase, field, event)
			}
		}
		if lasted, ok := event["dur"].(float64); ok && lasted < 0 {
			t.Errorf("it lasts less than nothing: %v", event)
		}
		if event["name"] == "thread_name" {
			threads[event["args"].(map[string]any)["name"].(string)] = true
		}
	}
	if phases["X"] < 5 || phases["C"] < 2 || phases["i"] < len(shown.Events) || !threads["old (old v1)"] || !threads["new (updated v2)"] {
		t.Errorf("got phases %v, threads %v", phases, threads)
	}
}
