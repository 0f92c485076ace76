package reports

// RequirementResult is the outcome for one requirement.
type RequirementResult struct {
	Requirement `yaml:",inline"`
	Verdict     Verdict `yaml:"verdict"`
	// Reason for every verdict but pass: why it was not run, why it could not be decided, which assertion failed.
	Reason string `yaml:"reason,omitempty"`
	// Cause is the reason without what differs between specs, if all that were undecided have the same one.
	Cause string `yaml:"cause,omitempty"`
	// Nodes are the kinds of nodes that it was decided on, sorted; empty if it took none.
	Nodes []string `yaml:"nodes,omitempty,flow"`
	// Specs that decided it, sorted by name.
	Specs []string `yaml:"specs,omitempty"`
	// SpecsNotRun would have had a say but did not run, sorted by name.
	SpecsNotRun []SpecNotRun `yaml:"specsNotRun,omitempty"`
	// Violations in the order of recording and resource version: one a recording, with the others that it leads.
	Violations []Violation `yaml:"violations,omitempty"`
	// Situations says in how many of the situations that its standing rule names it was put to the test and kept; nil if none is named, or no spec
	// was to decide it and none is seen.
	Situations *Situations `yaml:"situations,omitempty"`
	// KnownDeviation is the issue under which the implementation declares that it breaks this requirement.
	KnownDeviation string `yaml:"knownDeviation,omitempty"`
}
