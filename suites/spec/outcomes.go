package spec

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/onsi/ginkgo/v2"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/framework/story"
	"github.com/rollcall-conformance/rollcall/framework/verdict"
	"github.com/rollcall-conformance/rollcall/reports"
)

// Outcomes is the value of an OutcomeEntry.
type Outcomes struct {
	Outcomes     []reports.Outcome
	Observations []string
}

func attach(outcomes Outcomes) {
	ginkgo.AddReportEntry(OutcomeEntry, outcomes, ginkgo.ReportEntryVisibilityNever)
}

// NotRun returns the outcomes of a spec that cannot run: nothing that it decides is claimed, or the cluster lacks what it takes; nil if it can.
func (s *Spec) NotRun(place history.Place, features []string, catalogue *requirements.Catalogue) []reports.Outcome {
	missing, claimed := s.wants.missingOn(place), false
	var outcomes []reports.Outcome
	for _, id := range s.Decides {
		evidence := verdict.Evidence{Unclaimed: unclaimed(catalogue, features, id), Impossible: missing}
		claimed = claimed || evidence.Unclaimed == ""
		outcomes = append(outcomes, s.outcome(id, evidence))
	}
	if claimed && missing == "" {
		return nil
	}
	return outcomes
}

// undecided is the judgement of a scenario that ended before anything was recorded.
func (s *Spec) undecided(ending history.Ending) Judgement {
	j := Judgement{}
	for _, id := range s.Decides {
		j.Outcomes = append(j.Outcomes, s.outcome(id, verdict.Evidence{Aborted: ending.Aborted, Impossible: ending.Impossible}))
	}
	return j
}

func (s *Spec) outcome(id requirements.ID, evidence verdict.Evidence) reports.Outcome {
	outcome := reports.Outcome{Requirement: string(id), Spec: s.Text}
	outcome.Verdict, outcome.Reason = verdict.Of(evidence)
	return outcome
}

// report attaches the judgement to Ginkgo's report, with its violations as a reader sees them, and returns their stories.
func (c *Case) report(j *Judgement) string {
	var recording, shown string
	if c.Scenario != nil {
		recording = c.RecordingPath()
		if relative, err := filepath.Rel(c.process.session.Artifacts, recording); err == nil {
			// The story is read where the run was started, the report anywhere.
			recording, shown = relative, filepath.Join(c.process.session.ArtifactsAsNamed, relative)
		}
	}
	j.Tell(c.process.catalogue, recording, shown)
	attach(Outcomes{Outcomes: j.Outcomes, Observations: j.Observations})
	return j.stories()
}

// Tell puts the violations into the outcomes, as a report shows them. recording is the path that the report names, shown the one that a reader can open.
func (j *Judgement) Tell(catalogue *requirements.Catalogue, recording, shown string) {
	for i := range j.Outcomes {
		outcome := &j.Outcomes[i]
		requirement, _ := catalogue.Get(requirements.ID(outcome.Requirement))
		for _, violation := range j.of(outcome.Requirement) {
			options := story.Options{Statement: requirement.Statement, Spec: outcome.Spec, Unicode: true, Recording: shown}
			told := story.Report(j.history, violation, options)
			told.Recording = recording
			outcome.Violations = append(outcome.Violations, told)
		}
	}
}

func (j *Judgement) of(id string) []judge.Violation {
	var its []judge.Violation
	for _, violation := range j.Violations {
		if string(violation.Requirement) == id {
			its = append(its, violation)
		}
	}
	return its
}

// stories are those of the violations, or nothing.
func (j *Judgement) stories() string {
	var stories []string
	for _, outcome := range j.Outcomes {
		for _, violation := range outcome.Violations {
			stories = append(stories, violation.Story)
		}
	}
	return strings.Join(stories, "\n\n")
}

// undecided says which declared requirements could not be decided, or nothing.
func (j *Judgement) undecided() string {
	var lines []string
	for _, outcome := range j.Outcomes {
		if outcome.Verdict == reports.Inconclusive {
			lines = append(lines, fmt.Sprintf("%s: undecided: %s", outcome.Requirement, outcome.Reason))
		}
	}
	return strings.Join(lines, "\n")
}
