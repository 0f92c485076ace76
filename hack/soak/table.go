package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/rollcall-conformance/rollcall/hack/internal/sidebyside"
	"github.com/rollcall-conformance/rollcall/reports"
)

// compare returns the requirements whose verdicts differ between the runs.
func compare(runs []sidebyside.Run) []sidebyside.Row {
	var columns []sidebyside.Column
	for _, run := range runs {
		columns = append(columns, sidebyside.Column{Name: nameOf(run), Runs: []sidebyside.Run{run}})
	}
	var differing []sidebyside.Row
	for _, row := range sidebyside.Rows(columns) {
		if !row.Alike() {
			differing = append(differing, row)
		}
	}
	return differing
}

func nameOf(run sidebyside.Run) string {
	return fmt.Sprintf("%s, seed %d", filepath.Base(run.Folder), run.Report.Provenance.Seed)
}

// writeTable writes a row per requirement whose verdict differed, then what became of it in each run that did not pass it.
func writeTable(out io.Writer, runs []sidebyside.Run, differing []sidebyside.Row) error {
	if len(differing) > 0 {
		table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
		fmt.Fprintln(table, "requirement\tpass\tfail\tinconclusive\tother")
		for _, row := range differing {
			pass, fail, inconclusive := row.Count(reports.Pass), row.Count(reports.Fail), row.Count(reports.Inconclusive)
			fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%d\n", row.Requirement.ID, pass, fail, inconclusive, len(runs)-pass-fail-inconclusive)
		}
		if err := table.Flush(); err != nil {
			return fmt.Errorf("write the table: %w", err)
		}
	}
	for _, row := range differing {
		fmt.Fprintf(out, "\n%s %s: %s\n", row.Requirement.ID, inWords(row, len(runs)), row.Requirement.Statement)
		for i, cell := range row.Cells {
			for _, line := range lines(cell) {
				fmt.Fprintf(out, "  %s: %s\n", nameOf(runs[i]), line)
			}
		}
	}
	if len(differing) > 0 {
		fmt.Fprintln(out)
	}
	_, err := fmt.Fprintf(out, "%d runs; requirements whose verdicts differ: %d\n", len(runs), len(differing))
	return err
}

// inWords is what became of a requirement, without the runs that passed it: "failed in 1 of 5, inconclusive in 2 of 5".
func inWords(row sidebyside.Row, runs int) string {
	var words []string
	for _, verdict := range []struct {
		is   reports.Verdict
		word string
	}{{reports.Fail, "failed"}, {reports.Inconclusive, "inconclusive"}, {reports.NotRun, "not run"}, {reports.Unsupported, "unsupported"}} {
		if n := row.Count(verdict.is); n > 0 {
			words = append(words, fmt.Sprintf("%s in %d of %d", verdict.word, n, runs))
		}
	}
	return strings.Join(words, ", ")
}

// lines say of a run why the requirement did not pass: for a failure each recording that shows it, with its spec.
func lines(cell sidebyside.Cell) []string {
	if cell.Verdict == reports.Pass {
		return nil
	}
	if len(cell.Violations) == 0 {
		return []string{fmt.Sprintf("%s: %s", cell.Verdict, cell.Reason)}
	}
	var all []string
	for _, violation := range cell.Violations {
		all = append(all, fmt.Sprintf("%s: %s\n    in %s\n    %s", cell.Verdict, violation.Got, violation.Spec, violation.Recording))
	}
	return all
}
