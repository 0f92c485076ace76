package picture

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
)

// Event is something to be marked in a trace beside the lives: what happened, and when, on the scale of the picture's steps.
type Event struct {
	At   time.Duration
	Node string
	Text string
}

// traceEvent is one event of the Trace Event Format, which ui.perfetto.dev and chrome://tracing open. Times are in microseconds.
type traceEvent struct {
	Name  string         `json:"name"`
	Phase string         `json:"ph"`
	PID   int            `json:"pid"`
	TID   int            `json:"tid"`
	TS    *int64         `json:"ts,omitempty"`
	Dur   *int64         `json:"dur,omitempty"`
	Scope string         `json:"s,omitempty"`
	Cat   string         `json:"cat,omitempty"`
	Args  map[string]any `json:"args,omitempty"`
}

// What a trace holds beside the pods: a process for what rollcall did and the budgets' numbers. Nodes are the processes after it, and their pods the threads.
const tracedHarness = 1

// lastStep is how long the last step of a picture is drawn, which nothing ends.
const lastStep = time.Second

// WriteTrace writes the picture in the Trace Event Format: a process per node, a thread per pod, a slice per stage of its life; marks and events as instants,
// budgets' numbers as counters. A nil picture has no slices.
func WriteTrace(out io.Writer, title string, p *Picture, budgets []Budget, events []Event) error {
	if p == nil {
		p = &Picture{}
	}
	t := trace{picture: p, nodes: map[string]int{}}
	t.name(tracedHarness, 0, "process_name", "rollcall")
	for i, node := range p.Nodes {
		t.node(tracedHarness+1+i, node)
	}
	for _, mark := range p.Marks {
		t.instant("mark", tracedHarness, "g", mark.At, mark.Text)
	}
	for _, budget := range budgets {
		t.budget(budget)
	}
	for _, event := range events {
		pid, known := t.nodes[event.Node]
		if !known {
			pid = tracedHarness
		}
		t.instant("event", pid, "p", event.At, event.Text)
	}
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", " ")
	err := encoder.Encode(struct {
		Events []traceEvent      `json:"traceEvents"`
		Unit   string            `json:"displayTimeUnit"`
		Other  map[string]string `json:"otherData"`
	}{t.events, "ms", map[string]string{"scenario": title}})
	if err != nil {
		return fmt.Errorf("write the trace: %w", err)
	}
	return nil
}

type trace struct {
	picture *Picture
	nodes   map[string]int
	events  []traceEvent
}

// name gives a process or a thread its name.
func (t *trace) name(pid, tid int, what, name string) {
	t.events = append(t.events, traceEvent{Name: what, Phase: "M", PID: pid, TID: tid, Args: map[string]any{"name": name}})
}

func (t *trace) node(pid int, node Node) {
	t.nodes[node.Name] = pid
	t.name(pid, 0, "process_name", "node "+node.Name)
	t.name(pid, 0, "thread_name", "events")
	for i, lane := range node.Lanes {
		name := lane.Pod
		if called := strings.TrimSpace(lane.Revision + " " + lane.Version); called != "" {
			name += " (" + called + ")"
		}
		t.name(pid, i+1, "thread_name", name)
		for from := 0; from < len(lane.Life); {
			to := from + 1
			for to < len(lane.Life) && lane.Life[to] == lane.Life[from] {
				to++
			}
			if stage := Stage(lane.Life[from]); stage != Absent {
				began, lasted := t.begins(from), t.begins(to)-t.begins(from)
				t.events = append(t.events, traceEvent{Name: stage.String(), Phase: "X", PID: pid, TID: i + 1, TS: micros(began), Dur: micros(lasted), Cat: "pod"})
			}
			from = to
		}
	}
}

// begins is when a step does, and the end of the last for the one after it.
func (t *trace) begins(step int) time.Duration {
	if step == len(t.picture.Steps) {
		return t.picture.Steps[step-1] + lastStep
	}
	return t.picture.Steps[step]
}

func (t *trace) instant(category string, pid int, scope string, at time.Duration, text string) {
	t.events = append(t.events, traceEvent{Name: text, Phase: "i", PID: pid, TS: micros(at), Scope: scope, Cat: category})
}

func (t *trace) budget(budget Budget) {
	for _, instant := range budget.Instants {
		t.events = append(t.events, traceEvent{Name: "PodDisruptionBudget " + budget.Name, Phase: "C", PID: tracedHarness, TS: micros(instant.At), Args: map[string]any{
			"healthy": instant.Healthy, "reported": instant.Reported, "desired": instant.Desired, "allowed": instant.Allowed,
		}})
	}
}

func micros(d time.Duration) *int64 {
	us := d.Microseconds()
	return &us
}
