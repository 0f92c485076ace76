// Package schedule has sequences of stimuli, as plain text: what a rollout begins with, and what is done to it when. A schedule is drawn from a seed, played in
// the simulation or on a real control plane, and made smaller while it still shows what it is kept for. The package knows neither of the two worlds.
package schedule

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Schedule is what happens to a DaemonSet.
type Schedule struct {
	// Title says what the schedule shows; it may be empty.
	Title string
	// Nodes, Strategy and MinReadySeconds are what it begins with.
	Nodes           int
	Strategy        Strategy
	MinReadySeconds int
	// Form is the name of the form in which the DaemonSet is written all the time; empty for the plain one: see Forms.
	Form string
	// Faults are what the controller's writes meet meanwhile. The simulation knows none.
	Faults []Fault
	// Late is what the controller hears late of. The simulation knows nothing of it.
	Late Late
	// Steps in their order.
	Steps Steps
}

// Steps are acts, one after the other.
type Steps []Step

// Step is one act.
type Step struct {
	// Wait is the time since the act before.
	Wait time.Duration
	// Act is the name of a lever: see Levers.
	Act string
	// A and B choose what it is done to, and how: each act takes them modulo what there is.
	A, B int
}

// OnController reports whether something happens to the controller itself, to its writes or its watches, and not only to what it looks after.
func (s Schedule) OnController() bool {
	return s.OnRequests() || slices.ContainsFunc(s.Steps, func(step Step) bool { return slices.Contains(onController, step.Act) })
}

// OnRequests reports whether something happens to the controller's writes or its watches.
func (s Schedule) OnRequests() bool { return len(s.Faults) > 0 || s.Late.By > 0 }

// String is the step as a line of the text.
func (s Step) String() string { return fmt.Sprintf("after %s: %s (%d, %d)", s.Wait, s.Act, s.A, s.B) }

// String is a line for each step, indented.
func (s Steps) String() string {
	var text strings.Builder
	for _, step := range s {
		fmt.Fprintf(&text, "  %s\n", step)
	}
	return text.String()
}

// String is the text that Parse reads.
func (s Schedule) String() string {
	var text strings.Builder
	if s.Title != "" {
		fmt.Fprintf(&text, "# %s\n", s.Title)
	}
	fmt.Fprintf(&text, "nodes %d\nstrategy %s\nminReadySeconds %d\n", s.Nodes, s.Strategy, s.MinReadySeconds)
	if s.Form != "" {
		fmt.Fprintf(&text, "form %s\n", s.Form)
	}
	if s.Late.By > 0 {
		fmt.Fprintf(&text, "%s\n", s.Late)
	}
	for _, fault := range s.Faults {
		fmt.Fprintf(&text, "%s\n", fault)
	}
	for _, step := range s.Steps {
		fmt.Fprintf(&text, "%s\n", step)
	}
	return text.String()
}
