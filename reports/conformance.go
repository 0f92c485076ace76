package reports

// Conformance is the answer to the question that a run asks.
type Conformance string

// The answers.
const (
	Conformant    Conformance = "conformant"
	NotConformant Conformance = "not conformant"
	// Partial: all that was selected passed, but not everything was selected, or this is one shard of a run, so it is no statement about the implementation.
	Partial Conformance = "partial"
	// Undecided: nothing was seen to fail, but the run is no proof of conformance.
	Undecided Conformance = "undecided"
)

// Exit codes of the rollcall command that follow from a report. Bad usage is 2 and never gets as far as one.
const (
	ExitConformant    = 0
	ExitNotConformant = 1
	ExitUndecided     = 3
	// ExitImplementation: no requirement failed, but the implementation could not be built or started, stayed not ready, or ended by itself.
	ExitImplementation = 4
)

// conformanceOf answers from the counts alone: one failure is enough for a no, and a yes needs at least one success and no doubt.
// What was not run does not stand against it: a focused run answers for what it selected. Nor does what a component of Kubernetes breaks.
func conformanceOf(statistics Statistics) Conformance {
	switch {
	case statistics.ItsOwn() > 0:
		return NotConformant
	case statistics.Inconclusive > 0, statistics.Passed == 0:
		return Undecided
	}
	return Conformant
}

// Judge answers for a whole report from its requirements, whatever its Conformance field says. A run that was interrupted or ended early, or in which the implementation
// or the harness failed, cannot be conformant, and one that was focused, or is a shard, is at best partial. Known deviations change nothing.
func Judge(report *ConformanceReport) Conformance {
	answer := conformanceOf(count(report.Requirements))
	switch {
	case answer != Conformant:
		return answer
	case report.Provenance.CutShort():
		return Undecided
	case report.Provenance.Focus != "", report.Provenance.Shard != nil:
		return Partial
	}
	return Conformant
}

// ExitCode returns what the rollcall command exits with for the report: 0, 1, 3 or 4. A requirement that failed weighs more than an implementation that
// did, and that more than anything undecided.
func ExitCode(report *ConformanceReport) int {
	switch answer := Judge(report); {
	case answer == Conformant, answer == Partial:
		return ExitConformant
	case answer == NotConformant:
		return ExitNotConformant
	case report.Provenance.ImplementationFailure != "":
		return ExitImplementation
	}
	return ExitUndecided
}
