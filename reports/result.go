package reports

import "time"

// RequirementResult is the outcome for one requirement.
type RequirementResult struct {
	Requirement `yaml:",inline"`
	Verdict     Verdict `yaml:"verdict"`
	// Reason for every verdict but pass: why it was not run, what the harness could not tell, which assertion failed.
	Reason string `yaml:"reason,omitempty"`
	// Nodes are the kinds of nodes that it was decided on, sorted; empty if it took none.
	Nodes []string `yaml:"nodes,omitempty,flow"`
	// Specs that decided it, sorted by name; SpecsNotRun would have had a say but did not run.
	Specs       []string `yaml:"specs,omitempty"`
	SpecsNotRun []string `yaml:"specsNotRun,omitempty"`
	// Violations in the order of recording and resource version.
	Violations []Violation `yaml:"violations,omitempty"`
	// KnownDeviation is the issue under which the implementation declares that it breaks this requirement.
	KnownDeviation string `yaml:"knownDeviation,omitempty"`
}

// Violation is one broken promise and the evidence for it.
type Violation struct {
	Requirement ID `yaml:"requirement"`
	// Promise is the guarantee in words.
	Promise string `yaml:"promise"`
	// Spec during which it was broken; empty for a recording that was judged afterwards.
	Spec string `yaml:"spec,omitempty"`
	// Node on which it was broken; empty if it is not about one node.
	Node string `yaml:"node,omitempty"`
	// ResourceVersion and Time of the first event that broke it.
	ResourceVersion uint64    `yaml:"resourceVersion"`
	Time            time.Time `yaml:"time"`
	// Got says what was seen instead; Before and After are the state that the event changed.
	Got    string `yaml:"got"`
	Before string `yaml:"before,omitempty"`
	After  string `yaml:"after,omitempty"`
	// Window is the smallest run of events that shows it.
	Window []WindowEvent `yaml:"window,omitempty"`
	// Recording that it was found in, as a path relative to the report.
	Recording string `yaml:"recording,omitempty"`
	// Story is the violation drawn for a person. It goes to the terminal and into JUnit, not into the YAML, which has its parts.
	Story string `yaml:"-"`
}

// WindowEvent is one event of a violation's window.
type WindowEvent struct {
	ResourceVersion uint64 `yaml:"resourceVersion"`
	// Offset from the violation: negative before it.
	Offset time.Duration `yaml:"offset"`
	Node   string        `yaml:"node,omitempty"`
	// Event in words.
	Event string `yaml:"event"`
}
