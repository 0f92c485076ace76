// Package verdict turns what a recording says about a requirement into the requirement's verdict. It is pure: no recording, no clock, no Ginkgo.
package verdict

import (
	"slices"
	"strings"

	"github.com/rollcall-conformance/rollcall/reports"
)

// Answer is what one check, or one standing rule, says about a promise.
type Answer struct {
	// Broken: the recording shows the promise broken.
	Broken bool
	// Untested says why the recording does not put the promise to the test; empty if it does, or if it is Broken.
	Untested string
}

// Evidence is all that one spec found out about one requirement.
type Evidence struct {
	// Unclaimed says that the implementation does not claim the requirement's feature; empty if it does.
	Unclaimed string
	// Impossible says why the scenario cannot be played on this cluster.
	Impossible string
	// Aborted says why the scenario did not reach its end.
	Aborted string
	// Incomplete says why the recording may not hold everything that happened.
	Incomplete string
	// Unmet says which assumption of the scenario was not met.
	Unmet string
	// Answers of the checks and rules that decide the requirement. Without any nothing was decided.
	Answers []Answer
}

// nothingTested is the reason where no check and no rule had anything to say.
const nothingTested = "nothing in the recording puts it to the test"

// Of returns the verdict and, unless it is pass or fail, the reason.
//
// The order of precedence: nobody is held to what they do not claim; what was seen broken is broken, whatever became of the scenario; then the reasons
// why nothing could be decided, the first cause first; then what was not tested. Only what was tested, and kept in every respect, passes.
func Of(e Evidence) (reports.Verdict, string) {
	switch {
	case e.Unclaimed != "":
		return reports.Unsupported, e.Unclaimed
	case e.broken():
		return reports.Fail, ""
	case e.Impossible != "":
		return reports.NotRun, e.Impossible
	case e.Aborted != "":
		return reports.Inconclusive, e.Aborted
	case e.Incomplete != "":
		return reports.Inconclusive, "the recording is incomplete: " + e.Incomplete
	case e.Unmet != "":
		return reports.Inconclusive, "an assumption was not met: " + e.Unmet
	}
	if untested := e.untested(); untested != "" {
		return reports.Inconclusive, untested
	}
	return reports.Pass, ""
}

func (e Evidence) broken() bool {
	for _, answer := range e.Answers {
		if answer.Broken {
			return true
		}
	}
	return false
}

func (e Evidence) untested() string {
	if len(e.Answers) == 0 {
		return nothingTested
	}
	var reasons []string
	for _, answer := range e.Answers {
		if answer.Untested != "" && !slices.Contains(reasons, answer.Untested) {
			reasons = append(reasons, answer.Untested)
		}
	}
	return strings.Join(reasons, "; ")
}
