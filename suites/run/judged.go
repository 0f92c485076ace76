package run

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"

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

// print prints what the recording says and returns the exit code that goes with it.
func (j judged) print(out io.Writer, catalogue *requirements.Catalogue) int {
	fmt.Fprintf(out, "%s: %s (%d entries)\n", j.path, j.history.Scenario, len(j.history.Entries))
	if j.history.Damage != "" {
		fmt.Fprintf(out, "  it is not whole: %s. What it shows before that counts; all else is undecided.\n", j.history.Damage)
	}
	if !j.known {
		fmt.Fprintln(out, "  no spec of this rollcall made it: the standing rules alone judge it")
	}
	code := exitConformant
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
		switch outcome.Verdict {
		case reports.Fail:
			code = exitNotConformant
			fmt.Fprintf(out, "  %-14s %s\n", outcome.Requirement, outcome.Verdict)
		case reports.Inconclusive:
			code = worse(code, exitHarness)
			fallthrough
		default:
			fmt.Fprintf(out, "  %-14s %s %s\n", outcome.Requirement, outcome.Verdict, outcome.Reason)
		}
	}
	for _, ruled := range j.judgement.Standing {
		switch {
		case told[ruled.Requirement] || ruled.Outcome == judge.Broken:
		case ruled.Outcome == judge.Inconclusive && !j.known:
			code = worse(code, exitHarness)
			fmt.Fprintf(out, "  %-14s inconclusive: %s\n", ruled.Requirement, ruled.Reason)
		case ruled.Outcome == judge.Holds && ruled.Exercised:
			fmt.Fprintf(out, "  %-14s holds\n", ruled.Requirement)
		}
	}
	return code
}

// outcomesAgain is what recordings alone say of a run. A spec without a recording did not run: the recordings' headers say whether it could have.
func outcomesAgain(all []judged, specs []specReport, catalogue *requirements.Catalogue) reports.Run {
	run := reports.Run{Catalogue: catalogue.All(), Situations: spec.Situations()}
	played := map[string]bool{}
	for _, j := range all {
		played[j.history.Scenario] = true
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
	for _, report := range specs {
		s := spec.Registered(report.FullText())
		if s == nil || played[s.Text] || len(all) == 0 {
			continue
		}
		outcomes := s.NotRun(all[0].history.Header, catalogue)
		if outcomes == nil {
			for _, id := range s.Decides {
				outcomes = append(outcomes, reports.Outcome{Requirement: id, Spec: s.Text, Verdict: reports.NotRun, Reason: notSelected})
			}
		}
		run.Outcomes = append(run.Outcomes, outcomes...)
	}
	return run
}
