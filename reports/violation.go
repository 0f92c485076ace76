package reports

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rollcall-conformance/rollcall/reports/picture"
)

// Violation is one broken promise and the evidence for it: all that Story needs.
type Violation struct {
	Requirement ID `yaml:"requirement"`
	// Promise is what was asked of the recording, in words: a standing rule's promise, or a spec's own question.
	Promise string `yaml:"promise"`
	// Spec during which it was broken; empty for a recording that was judged afterwards.
	Spec string `yaml:"spec,omitempty"`
	// Node on which it was broken; empty if it is not about one node.
	Node string `yaml:"node,omitempty"`
	// ResourceVersion and Time of the first event that broke it; Into is the time since the recording began.
	ResourceVersion uint64        `yaml:"resourceVersion"`
	Time            time.Time     `yaml:"time"`
	Into            time.Duration `yaml:"into,omitempty"`
	// Got says what was seen instead; Before and After are the state that the event changed.
	Got    string `yaml:"got"`
	Before string `yaml:"before,omitempty"`
	After  string `yaml:"after,omitempty"`
	// Limits is the arithmetic of the workload's limits when the promise broke, for example "maxUnavailable 20% of 10 nodes is 2: 3 nodes without an available
	// pod (n1, n4, n7)"; empty if there are none.
	Limits string `yaml:"limits,omitempty"`
	// SameEventAs is the requirement whose violation, in the same recording, has the window and the picture of the event that broke this one too;
	// this violation then has neither. AlsoBreaks are, under that requirement, those that refer to it.
	SameEventAs ID   `yaml:"sameEventAs,omitempty"`
	AlsoBreaks  []ID `yaml:"alsoBreaks,omitempty,flow"`
	// More are the requirement's other violations in the same recording, in the order of their events: this one comes first and leads them.
	More []Further `yaml:"more,omitempty"`
	// State is, where no event broke the promise, the state that did: a line per workload, per budget and per group of nodes.
	State []string `yaml:"state,omitempty"`
	// Window is the smallest run of events that shows it, Picture the lives of the pods around it.
	Window  []WindowEvent    `yaml:"window,omitempty"`
	Picture *picture.Picture `yaml:"picture,omitempty"`
	// Budgets are the numbers of the PodDisruptionBudgets that it is about, around it.
	Budgets []picture.Budget `yaml:"budgets,omitempty"`
	// Log are the lines of the implementation's log around it, as far as they say when they were printed.
	Log []LogLine `yaml:"log,omitempty"`
	// Notes say what a reader must know of the recording, such as gaps in it.
	Notes []string `yaml:"notes,omitempty"`
	// Recording that it was found in, as a path relative to the report.
	Recording string `yaml:"recording,omitempty"`
}

// Further is a violation that another one leads, in brief.
type Further struct {
	Node            string `yaml:"node,omitempty"`
	ResourceVersion uint64 `yaml:"resourceVersion"`
	// Promise and Got where they are not those of the violation that leads.
	Promise string `yaml:"promise,omitempty"`
	Got     string `yaml:"got,omitempty"`
}

// LogLine is a line of the implementation's log.
type LogLine struct {
	// Offset from the violation, by the line itself: negative before it.
	Offset time.Duration `yaml:"offset"`
	Text   string        `yaml:"text"`
}

// WindowEvent is one event of a violation's window.
type WindowEvent struct {
	ResourceVersion uint64 `yaml:"resourceVersion"`
	// Offset from the violation: negative before it.
	Offset time.Duration `yaml:"offset"`
	Node   string        `yaml:"node,omitempty"`
	// Event in words.
	Event string `yaml:"event"`
	// Broke marks the event that broke the promise.
	Broke bool `yaml:"broke,omitempty"`
}

// others says in words which violations this one leads: "and 4 more times on this node, and on 3 more nodes"; empty for none.
func (v Violation) others() string {
	var parts []string
	here, elsewhere, nodes := 0, 0, v.otherNodes()
	for _, further := range v.More {
		switch further.Node {
		case v.Node:
			here++
		case "":
			elsewhere++
		}
	}
	if v.Node == "" {
		here, elsewhere = 0, here
	}
	if here > 0 {
		parts = append(parts, "and "+counted(here, "more time")+" on this node")
	}
	if elsewhere > 0 {
		parts = append(parts, "and "+counted(elsewhere, "more time")+" in this recording")
	}
	if len(nodes) > 0 {
		parts = append(parts, "and on "+counted(len(nodes), "more node"))
	}
	return strings.Join(parts, ", ")
}

// otherNodes are the nodes of the violations that this one leads, in order.
func (v Violation) otherNodes() []string {
	var nodes []string
	for _, further := range v.More {
		if further.Node != v.Node && further.Node != "" {
			nodes = append(nodes, further.Node)
		}
	}
	return sorted(nodes)
}

// otherPromises are the further promises that were broken, each with the first thing that was got instead, in the order of their events.
func (v Violation) otherPromises() []Further {
	var others []Further
	for _, further := range v.More {
		known := func(other Further) bool { return other.Promise == further.Promise }
		if further.Promise != "" && !slices.ContainsFunc(others, known) {
			others = append(others, further)
		}
	}
	return others
}

// alsoBreaks says which other requirements the event breaks; empty for none.
func (v Violation) alsoBreaks() string {
	if len(v.AlsoBreaks) == 0 {
		return ""
	}
	return fmt.Sprintf("the same %s also breaks %s", v.cause(), strings.Join(ranges(v.AlsoBreaks), ", "))
}

// cause is what broke the promise: an event or, where no event did, a state.
func (v Violation) cause() string {
	if len(v.State) > 0 {
		return "state"
	}
	return "event"
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// byRecording orders violations by recording and resource version, and where these are the same by what they say.
func byRecording(a, b Violation) int {
	return cmp.Or(strings.Compare(a.Recording, b.Recording), cmp.Compare(a.ResourceVersion, b.ResourceVersion),
		strings.Compare(a.Spec, b.Spec), strings.Compare(a.Node, b.Node), strings.Compare(a.Promise, b.Promise), strings.Compare(a.Got, b.Got))
}
