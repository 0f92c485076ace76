package story

import (
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/reports"
	"github.com/rollcall-conformance/rollcall/reports/paragraph"
)

// Options says where a violation comes from.
type Options struct {
	// Recording is the path of the history's recording, relative to the report.
	Recording string
	// Spec that made the recording. Default: the scenario in the recording's header.
	Spec string
}

// Report returns the violation as a report carries it, with all that reports.Story needs. Violations of several promises, or several times, are for
// Findings.
func Report(h *history.History, v judge.Violation, options Options) reports.Violation {
	return report(h, v, options, refersByNumber(v))
}

func report(h *history.History, v judge.Violation, options Options, numbered bool) reports.Violation {
	shown := reports.Violation{
		Requirement:     v.Requirement,
		Promise:         v.Promise,
		Spec:            options.Spec,
		Node:            v.Node,
		ResourceVersion: v.ResourceVersion,
		Time:            momentOf(h, v),
		Got:             v.Got,
		Before:          v.Before,
		After:           v.After,
		Recording:       options.Recording,
	}
	if shown.Spec == "" {
		shown.Spec = h.Scenario
	}
	if !h.Start.IsZero() && !shown.Time.IsZero() {
		shown.Into = max(0, shown.Time.Sub(h.Start)).Round(time.Millisecond)
	}
	shown.Log = logOf(h, shown.Time)
	for _, gap := range h.Gaps {
		shown.Notes = append(shown.Notes, paragraph.Printable(gapText(gap)))
	}
	if at := causeOf(h, v); at.index >= 0 {
		seen := look(h, v, at, numbered)
		shown.Limits, shown.State, shown.Window, shown.Picture, shown.Budgets = seen.limits, seen.state, seen.window, seen.picture(), seen.budgets
		if seen.after != seen.before {
			shown.Before, shown.After = seen.before, seen.after
		}
	}
	return shown
}

// momentOf is when the violation happened: its own time or, if the judge gave none, that of its event.
func momentOf(h *history.History, v judge.Violation) time.Time {
	if v.Time.IsZero() {
		if at := causeOf(h, v); at.index >= 0 {
			return h.Entries[at.index].Time
		}
	}
	return v.Time
}
