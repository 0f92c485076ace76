package spec

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/onsi/ginkgo/v2"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/framework/story"
	"github.com/rollcall-conformance/rollcall/reports"
)

// findings is what a spec's recording, and the API server's answers, said.
type findings struct {
	catalogue  *requirements.Catalogue
	history    *history.History
	recording  string
	violations []judge.Violation
	standing   judge.Verdicts
	decided    map[requirements.ID]bool
	// aborted says why the scenario did not reach its end, incomplete why the recording cannot be trusted to hold everything.
	aborted, incomplete string

	outcomes     []reports.Outcome
	observations []string
}

// verdict is the requirement's verdict in this spec, and for one that is not pass or fail the reason.
func (f *findings) verdict(id requirements.ID) (reports.Verdict, string) {
	if f.shows(id) {
		return reports.Fail, ""
	}
	if f.aborted != "" {
		return reports.Inconclusive, f.aborted
	}
	if f.incomplete != "" {
		return reports.Inconclusive, "the recording is incomplete: " + f.incomplete
	}
	standing, judged := f.standing.Of(id)
	if judged && standing.Outcome == judge.Inconclusive {
		return reports.Inconclusive, standing.Reason
	}
	if judged && !standing.Exercised || !judged && !f.decided[id] {
		return reports.Inconclusive, "nothing in the recording puts it to the test"
	}
	return reports.Pass, ""
}

// shows tells whether the requirement was seen broken, whatever became of the scenario afterwards.
func (f *findings) shows(id requirements.ID) bool {
	return slices.ContainsFunc(f.violations, func(v judge.Violation) bool { return v.Requirement == id })
}

// failure is the story of the violations, or nothing. The stories are read where the run was started: folder is the report's, as named there.
func (f *findings) failure(folder string) string {
	var stories []string
	for _, outcome := range f.outcomes {
		requirement, _ := f.catalogue.Get(outcome.Requirement)
		for _, violation := range outcome.Violations {
			stories = append(stories, reports.Story(requirement, violation, reports.StoryOptions{Unicode: true, Folder: folder}))
		}
	}
	return strings.Join(stories, "\n\n")
}

// undecided says which declared requirements the spec could not decide, or nothing.
func (f *findings) undecided() string {
	var lines []string
	for _, outcome := range f.outcomes {
		if outcome.Verdict == reports.Inconclusive {
			lines = append(lines, fmt.Sprintf("%s: undecided: %s", outcome.Requirement, outcome.Reason))
		}
	}
	return strings.Join(lines, "\n")
}

// report attaches one outcome per requirement to Ginkgo's report: those that the spec declares, and any other that its recording broke. With
// a verdict given, every requirement has that one that the recording does not show broken.
func (c *Case) report(began time.Time, f *findings, reason string, verdict reports.Verdict) {
	ids := slices.Clone(c.decides)
	for _, violation := range f.violations {
		if !slices.Contains(ids, violation.Requirement) {
			ids = append(ids, violation.Requirement)
		}
	}
	took := time.Since(began).Round(time.Millisecond)
	told := c.tell(f, ids)
	for _, id := range ids {
		outcome := reports.Outcome{Requirement: id, Spec: c.text, Verdict: verdict, Reason: reason, Duration: took}
		feature, claimed := c.claims(id)
		if c.Scenario != nil {
			outcome.Nodes = string(c.NodeKind())
		}
		if !claimed {
			outcome.Verdict, outcome.Reason = reports.Unsupported, NotClaimed(feature)
		} else if verdict == "" || f.shows(id) {
			outcome.Verdict, outcome.Reason = f.verdict(id)
			outcome.Violations = told[id]
		}
		f.outcomes = append(f.outcomes, outcome)
	}
	ginkgo.AddReportEntry(OutcomeEntry, Outcomes{Outcomes: f.outcomes, Observations: f.observations}, ginkgo.ReportEntryVisibilityNever)
}

// NotClaimed is the reason of what is unsupported.
func NotClaimed(feature requirements.Feature) string {
	return fmt.Sprintf("the implementation does not claim %s", feature)
}

// Outcomes is the value of an OutcomeEntry.
type Outcomes struct {
	Outcomes     []reports.Outcome
	Observations []string
}

// tell returns the violations as the report carries them, by requirement. The requirement named first tells an event that broke several.
func (c *Case) tell(f *findings, order []requirements.ID) map[requirements.ID][]reports.Violation {
	if len(f.violations) == 0 {
		return nil
	}
	options := story.Options{Spec: c.text}
	if relative, err := filepath.Rel(c.process.session.Artifacts, f.recording); err == nil {
		options.Recording = relative
	}
	violations := slices.Clone(f.violations)
	slices.SortStableFunc(violations, func(a, b judge.Violation) int {
		return cmp.Compare(slices.Index(order, a.Requirement), slices.Index(order, b.Requirement))
	})
	told := map[requirements.ID][]reports.Violation{}
	for _, violation := range story.Findings(f.history, violations, options) {
		told[violation.Requirement] = append(told[violation.Requirement], violation)
	}
	return told
}
