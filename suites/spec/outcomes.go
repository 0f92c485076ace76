package spec

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
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
	Outcomes      []reports.Outcome
	Observations  []string
	Circumstances *reports.Circumstances `json:",omitempty"`
	Measurements  []reports.Measurement  `json:",omitempty"`
	Sightings     []reports.Sighting     `json:",omitempty"`
}

func attach(outcomes Outcomes) {
	ginkgo.AddReportEntry(OutcomeEntry, outcomes, ginkgo.ReportEntryVisibilityNever)
}

// NotRun returns the outcomes of a spec that cannot run: nothing that it decides is claimed, or the implementation or the cluster lacks what it takes, as
// the headers of the run's recordings say; nil if it can.
func (s *Spec) NotRun(run history.Header, catalogue *requirements.Catalogue) []reports.Outcome {
	missing, possible := s.wants.missingOn(run.Place), false
	var outcomes []reports.Outcome
	for _, id := range s.Decides {
		evidence := verdict.Evidence{Unclaimed: unclaimed(catalogue, run.Features, id), Impossible: cmp.Or(missing, s.wants.foreign(run, id))}
		possible = possible || evidence.Unclaimed == "" && evidence.Impossible == ""
		outcomes = append(outcomes, s.outcome(id, evidence))
	}
	if possible {
		return nil
	}
	return outcomes
}

// undecided is the judgement of a scenario that ended before anything was recorded.
func (s *Spec) undecided(run history.Header, ending history.Ending) Judgement {
	j := Judgement{}
	for _, id := range s.Decides {
		evidence := verdict.Evidence{Aborted: ending.Aborted, Impossible: cmp.Or(ending.Impossible, s.wants.foreign(run, id))}
		j.Outcomes = append(j.Outcomes, s.outcome(id, evidence))
	}
	return j
}

func (s *Spec) outcome(id requirements.ID, evidence verdict.Evidence) reports.Outcome {
	outcome := reports.Outcome{Requirement: id, Spec: s.Text}
	outcome.Verdict, outcome.Reason = verdict.Of(evidence)
	return outcome
}

// report attaches the judgement to Ginkgo's report, with its violations as the report carries them, and returns their stories.
func (c *Case) report(j *Judgement) []Story {
	j.Tell(c.recording())
	attach(Outcomes{Outcomes: j.Outcomes, Observations: j.Observations, Circumstances: j.Circumstances, Measurements: j.Measurements, Sightings: j.Sightings()})
	// Stories are read where the run was started.
	return j.stories(c.process.catalogue, c.process.session.ArtifactsAsNamed)
}

// recording is the path of the recording, relative to the folder of the run; empty if there is none.
func (c *Case) recording() string {
	if c.Scenario == nil {
		return ""
	}
	path := c.RecordingPath()
	if relative, err := filepath.Rel(c.process.session.Artifacts, path); err == nil {
		return relative
	}
	return path
}

// Tell puts the violations into the outcomes, as a report carries them. recording is the path that the report names, relative to its folder. Of an event
// that broke several requirements the one that comes first tells it.
func (j *Judgement) Tell(recording string) {
	place := map[requirements.ID]int{}
	for i, outcome := range j.Outcomes {
		place[outcome.Requirement] = i
	}
	violations := slices.Clone(j.Violations)
	slices.SortStableFunc(violations, func(a, b judge.Violation) int { return cmp.Compare(place[a.Requirement], place[b.Requirement]) })
	j.Circumstances, j.Measurements = j.circumstances(recording), story.Measurements(j.history, recording)
	for _, violation := range story.Findings(j.history, violations, story.Options{Recording: recording}) {
		outcome := &j.Outcomes[place[violation.Requirement]]
		outcome.Violations = append(outcome.Violations, violation)
	}
}

// Story is the text of one violation.
type Story struct {
	Requirement reports.ID `json:"requirement"`
	Text        string     `json:"text"`
}

// Stories is the text of all violations, with the circumstances, or nothing. folder is where the report is, as the reader names it.
func (j *Judgement) Stories(catalogue *requirements.Catalogue, folder string) string {
	var texts []string
	for _, story := range j.stories(catalogue, folder) {
		texts = append(texts, story.Text)
	}
	if len(texts) == 0 {
		return ""
	}
	return strings.Join(append(texts, j.Told()...), "\n\n")
}

func (j *Judgement) stories(catalogue *requirements.Catalogue, folder string) []Story {
	var stories []Story
	for _, outcome := range j.Outcomes {
		requirement, _ := catalogue.Get(outcome.Requirement)
		for _, violation := range outcome.Violations {
			stories = append(stories, Story{outcome.Requirement, reports.Story(requirement, violation, reports.StoryOptions{Unicode: true, Folder: folder})})
		}
	}
	return stories
}

// Told is the text of the circumstances, if there are any to tell.
func (j *Judgement) Told() []string {
	if j.Circumstances == nil {
		return nil
	}
	return []string{j.Circumstances.Text()}
}

// undecided says which requirements could not be decided, and the circumstances; or nothing.
func (j *Judgement) undecided() string {
	lines := j.doubts()
	if len(lines) == 0 {
		return ""
	}
	if strings.Contains(lines[0], EndedEarly) {
		// The run has told why.
		return lines[0]
	}
	return strings.Join(append(lines, j.Told()...), "\n")
}

// doubts says which requirements could not be decided, those with the same reason in one line.
func (j *Judgement) doubts() []string {
	var reasons []string
	with := map[string][]string{}
	for _, outcome := range j.Outcomes {
		if outcome.Verdict == reports.Inconclusive {
			if with[outcome.Reason] == nil {
				reasons = append(reasons, outcome.Reason)
			}
			with[outcome.Reason] = append(with[outcome.Reason], string(outcome.Requirement))
		}
	}
	var lines []string
	for _, reason := range reasons {
		lines = append(lines, fmt.Sprintf("%s: undecided: %s", strings.Join(with[reason], ", "), reason))
	}
	return lines
}
