package run

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/reports"
	"github.com/rollcall-conformance/rollcall/suites/spec"
	"github.com/rollcall-conformance/rollcall/suites/stress"
)

// judged is a recording that was judged again.
type judged struct {
	// path of the recording, and the folder that reports name it relative to.
	path, root string
	history    *history.History
	judgement  spec.Judgement
	// known: the spec that made the recording is one of this rollcall's, so that its own checks were asked, too.
	known bool
}

// judgeRecording judges a recording by its spec's checks and the standing rules, or by these alone where nobody knows the spec.
func judgeRecording(path, root string, catalogue *requirements.Catalogue) (judged, error) {
	h, err := history.Open(path)
	if err != nil {
		return judged{}, err
	}
	s := cmp.Or(spec.Registered(h.Scenario), stress.Explored(h.Scenario))
	j := judged{path: path, root: root, history: h, known: s != nil}
	if s == nil {
		s = &spec.Spec{Text: h.Scenario}
	}
	j.judgement = s.Judge(h, catalogue)
	relative, err := filepath.Rel(root, path)
	if err != nil {
		relative = path
	}
	j.judgement.Tell(relative)
	return j, nil
}

// print prints what the recording says.
func (j judged) print(out io.Writer, catalogue *requirements.Catalogue) {
	fmt.Fprintf(out, "%s: %s (%d entries)\n", j.path, j.history.Scenario, len(j.history.Entries))
	j.printDamage(out)
	if !j.known {
		fmt.Fprintln(out, "  no spec of this rollcall made it: the standing rules alone judge it")
	}
	told := map[requirements.ID]bool{}
	if stories := j.judgement.Stories(catalogue, j.root); stories != "" {
		fmt.Fprintln(out, stories)
	} else {
		for _, text := range j.judgement.Told() {
			fmt.Fprintln(out, text)
		}
	}
	for _, outcome := range j.judgement.Outcomes {
		told[outcome.Requirement] = true
		fmt.Fprintln(out, strings.TrimRight(fmt.Sprintf("  %-14s %s %s", outcome.Requirement, outcome.Verdict, outcome.Reason), " "))
	}
	for _, ruled := range j.judgement.Standing {
		switch {
		case told[ruled.Requirement] || ruled.Outcome == judge.Broken:
		case ruled.Outcome == judge.Inconclusive && !j.known:
			fmt.Fprintf(out, "  %-14s inconclusive: %s\n", ruled.Requirement, ruled.Reason)
		case ruled.Outcome == judge.Holds && ruled.Exercised:
			fmt.Fprintf(out, "  %-14s holds\n", ruled.Requirement)
		}
	}
}

func (j judged) printDamage(out io.Writer) {
	if j.history.Damage != "" {
		fmt.Fprintf(out, "  it is not whole: %s. What it shows before that counts; all else is undecided.\n", j.history.Damage)
	}
}

// exitCode is that which goes with what the recording says.
func (j judged) exitCode() int {
	code := exitConformant
	decided := map[requirements.ID]bool{}
	for _, outcome := range j.judgement.Outcomes {
		decided[outcome.Requirement] = true
		switch outcome.Verdict {
		case reports.Fail:
			code = worse(code, exitNotConformant)
		case reports.Inconclusive:
			code = worse(code, exitHarness)
		}
	}
	for _, ruled := range j.judgement.Standing {
		if !decided[ruled.Requirement] && ruled.Outcome == judge.Inconclusive && !j.known {
			code = worse(code, exitHarness)
		}
	}
	return code
}

// event is what the recording says as -json prints it.
func (j judged) event(catalogue *requirements.Catalogue) reports.Event {
	verdicts := spec.EventVerdicts(j.judgement.Outcomes, catalogue)
	event := reports.Event{Event: reports.EventSpecEnded, Spec: j.history.Scenario, Recording: j.path, Verdict: spec.VerdictOf(verdicts), Requirements: verdicts}
	if len(j.judgement.Outcomes) > 0 {
		event.Seconds = j.judgement.Outcomes[0].Duration.Seconds()
	}
	return event
}

// outcomesAgain is what recordings alone say of a run. A spec without a recording did not run: the recordings' headers say whether it could have.
func outcomesAgain(all []judged, specs []specReport, catalogue *requirements.Catalogue) reports.Run {
	run := recordedRun(all)
	run.Catalogue = catalogue.All()
	for _, report := range unrecorded(all, specs) {
		s := spec.Registered(report.FullText())
		if s == nil || len(all) == 0 {
			continue
		}
		outcomes := s.NotRun(all[0].history.Header, catalogue)
		if outcomes == nil {
			for _, id := range s.Decides {
				outcomes = append(outcomes, reports.Outcome{Requirement: id, Spec: s.Text, Verdict: reports.NotRun, Reason: reports.NotSelected})
			}
		}
		run.Outcomes = append(run.Outcomes, outcomes...)
	}
	return run
}

// recordedRun is what the recordings say of the specs that made them.
func recordedRun(all []judged) reports.Run {
	run := reports.Run{Situations: spec.Situations()}
	for _, j := range all {
		run.Outcomes = append(run.Outcomes, j.judgement.Outcomes...)
		for _, text := range j.judgement.Observations {
			run.Observations = append(run.Observations, reports.Observation{Spec: j.history.Scenario, Text: text})
		}
		run.Measurements = append(run.Measurements, j.judgement.Measurements...)
		run.Sightings = append(run.Sightings, j.judgement.Sightings()...)
		if j.judgement.Circumstances != nil {
			run.Circumstances = append(run.Circumstances, *j.judgement.Circumstances)
		}
	}
	return run
}

// unrecorded are the specs that made none of the recordings.
func unrecorded(all []judged, specs []specReport) []specReport {
	return slices.DeleteFunc(slices.Clone(specs), func(report specReport) bool {
		return slices.ContainsFunc(all, func(j judged) bool { return j.history.Scenario == report.FullText() })
	})
}
