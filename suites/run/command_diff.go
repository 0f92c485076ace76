package run

import (
	"fmt"
	"io"
	"os"

	"github.com/rollcall-conformance/rollcall/reports"
	"github.com/rollcall-conformance/rollcall/reports/paragraph"
)

// diffReports is `rollcall diff`: what differs between two reports.
func diffReports(args []string, out io.Writer) (int, error) {
	flags := newFlags("diff", out)
	describe(flags, `rollcall diff [-json] OLD NEW

Compares two reports, or those in the folders of two runs, such as _artifacts/previous and _artifacts: which requirements have another verdict. What NEW was
not to run is left out. `+"`rollcall run -baseline OLD`"+` does the same at the end of a run.

Exit code: 0 nothing is worse, 1 something is (it fails and did not, or it passed and is inconclusive or no longer claimed; or, of the same implementation, Kubernetes
and provider, a spec that ran in OLD could not run), 2 a report cannot be read.
`)
	asJSON := flags.Bool("json", false, jsonUsage)
	if err := parseFlags(flags, args); err != nil {
		return exitUsage, err
	}
	if flags.NArg() != 2 {
		return exitUsage, usagef("name two reports: the older one first")
	}
	before, err := readReportAt(flags.Arg(0))
	if err != nil {
		return exitUsage, usageError{err}
	}
	after, err := readReportAt(flags.Arg(1))
	if err != nil {
		return exitUsage, usageError{err}
	}
	changes := reports.Compare(before, after)
	text, told := streams(*asJSON, out, os.Stderr)
	printChanges(text, flags.Arg(0), before, after, changes)
	told.tell(reports.ChangeEvents(changes)...)
	code := exitConformant
	if reports.AnyWorse(changes) {
		code = exitNotConformant
	}
	told.tell(reports.Event{Event: reports.EventSummary, Summary: &reports.EventResult{ExitCode: code}})
	return code, nil
}

// compareWithBaseline says what differs from the baseline, and returns the run's exit code. That nothing is worse counts for a run that got to its end, with an
// implementation that did not fail.
func compareWithBaseline(out io.Writer, told *events, path string, baseline, report *reports.ConformanceReport) int {
	changes := reports.Compare(baseline, report)
	printChanges(out, path, baseline, report, changes)
	told.tell(reports.ChangeEvents(changes)...)
	switch {
	case reports.AnyWorse(changes):
		return exitNotConformant
	case report.Provenance.ImplementationFailure != "":
		return reports.ExitImplementation
	case report.Provenance.Interrupted, report.Provenance.EndedEarly != "", report.Provenance.HarnessFailure != "":
		return exitHarness
	}
	return exitConformant
}

func printChanges(out io.Writer, path string, before, after *reports.ConformanceReport, changes []reports.Change) {
	if then, now := reports.Subject(before), reports.Subject(after); then != now {
		fmt.Fprint(out, paragraph.Hang("  note", fmt.Sprintf("%s is of %s; this is %s", path, then, now), 9, summaryColumns))
	}
	worse := 0
	for _, change := range changes {
		if change.Worse {
			worse++
		}
	}
	if len(changes) == 0 {
		fmt.Fprintf(out, "nothing differs from %s\n", path)
		return
	}
	fmt.Fprintf(out, "%d worse, %d other changes since %s\n", worse, len(changes)-worse, path)
	for _, bad := range []bool{true, false} {
		for _, change := range changes {
			if change.Worse != bad {
				continue
			}
			mark := map[bool]string{true: "worse", false: ""}[bad]
			fmt.Fprint(out, paragraph.Hang("  "+mark, change.String(), 9, summaryColumns))
		}
	}
}

// summaryColumns is the width of what a run prints at its end.
const summaryColumns = 100
