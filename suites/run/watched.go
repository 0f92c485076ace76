package run

import (
	"fmt"
	"io"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/passive"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/reports"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// watched is a recording of `rollcall watch`.
type watched struct {
	path   string
	header history.Header
}

// splitWatched takes the recordings of `rollcall watch` out of some. What cannot be read is left to whoever judges it.
func splitWatched(paths []string) (scenarios []string, watches []watched) {
	for _, path := range paths {
		header, err := history.OpenHeader(path)
		if err != nil || len(header.Watched) == 0 {
			scenarios = append(scenarios, path)
			continue
		}
		watches = append(watches, watched{path, header})
	}
	return scenarios, watches
}

// judgeWatched judges them, those that follow each other as one, and returns the exit code.
func judgeWatched(out io.Writer, told *events, watches []watched, catalogue *requirements.Catalogue) (int, error) {
	code := exitConformant
	for len(watches) > 0 {
		parts, err := openFollowing(watches)
		if err != nil {
			return exitUsage, err
		}
		var paths []string
		for _, one := range watches[:len(parts)] {
			paths = append(paths, one.path)
		}
		code, watches = worse(code, judgeWatch(out, told, history.Join(parts...), paths, catalogue)), watches[len(parts):]
	}
	return code, nil
}

// openFollowing opens the first of the recordings, and those that go on where the one before ended. One in which events are missing, or may be, is the last of these: nobody
// knows the state that the next one goes on from, which is why the watch began again with it.
func openFollowing(watches []watched) (parts []*history.History, err error) {
	for i, one := range watches {
		if i > 0 {
			before := watches[i-1].header
			if one.header.Series != before.Series || one.header.Part != before.Part+1 || len(parts[i-1].Gaps) > 0 || !parts[i-1].CaughtUp {
				break
			}
		}
		part, err := history.Open(one.path)
		if err != nil {
			return nil, usageError{err}
		}
		parts = append(parts, part)
	}
	return parts, nil
}

func judgeWatch(out io.Writer, told *events, h *history.History, paths []string, catalogue *requirements.Catalogue) int {
	verdicts := passive.Judge(h)
	fmt.Fprintf(out, "%s: %s (%d entries)\n", someOf(paths), h.Scenario, len(h.Entries))
	if h.Damage != "" {
		fmt.Fprintf(out, "  it is not whole: %s. What it shows before that counts; all else is undecided.\n", h.Damage)
	}
	for _, found := range watchStories(h, verdicts.Violations(), paths) {
		requirement, _ := catalogue.Get(found.Requirement)
		fmt.Fprintf(out, "%s\n\n", reports.Story(requirement, found.Violation, reports.StoryOptions{Unicode: true}))
	}
	code := exitConformant
	var outcomes []reports.Outcome
	add := func(id requirements.ID, of reports.Verdict, reason string) {
		outcomes = append(outcomes, reports.Outcome{Requirement: id, Verdict: of, Reason: reason})
	}
	for _, verdict := range verdicts {
		switch {
		case verdict.Outcome == judge.Broken:
			code = exitNotConformant
			add(verdict.Requirement, reports.Fail, "")
			fmt.Fprintf(out, "  %-14s fail\n", verdict.Requirement)
		case verdict.Outcome == judge.Inconclusive:
			code = worse(code, exitHarness)
			add(verdict.Requirement, reports.Inconclusive, verdict.Reason)
			fmt.Fprintf(out, "  %-14s inconclusive: %s\n", verdict.Requirement, verdict.Reason)
		case verdict.Exercised:
			add(verdict.Requirement, reports.Pass, "")
			fmt.Fprintf(out, "  %-14s holds\n", verdict.Requirement)
		}
	}
	found := spec.EventVerdicts(outcomes, catalogue)
	told.tell(reports.Event{Event: reports.EventSpecEnded, Spec: h.Scenario, Recording: someOf(paths), Verdict: spec.VerdictOf(found), Requirements: found})
	return code
}
