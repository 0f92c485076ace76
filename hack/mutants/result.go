package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/reports"
)

// result is what became of a mutant.
type result struct {
	mutant mutant
	// verdicts of its runs, by requirement; those that were not run are left out. A failed one is a fail with a violation.
	verdicts map[requirements.ID]reports.Verdict
	// failure says why the mutant could not be tried.
	failure error
	// artifacts is the folder with its reports, recordings and logs.
	artifacts string
	took      time.Duration
}

// read adds a report's verdicts to those there are.
func (r *result) read(report *reports.ConformanceReport) {
	for _, requirement := range report.Requirements {
		id := requirements.ID(requirement.ID)
		verdict := requirement.Verdict
		if verdict == reports.NotRun || verdict == reports.Unsupported {
			continue
		}
		named := func(v reports.Violation) bool { return v.Requirement == requirement.ID }
		if verdict == reports.Fail && !slices.ContainsFunc(requirement.Violations, named) {
			// A failure that nothing shows catches no mutant.
			verdict = reports.Inconclusive
		}
		if before, known := r.verdicts[id]; known {
			verdict = reports.Merge(before, verdict)
		}
		r.verdicts[id] = verdict
	}
}

// killed says whether every requirement that the mutant breaks was found broken.
func (r *result) killed() bool {
	return r.failure == nil && len(r.unnoticed()) == 0
}

// unnoticed are the requirements that the mutant breaks and that did not fail.
func (r *result) unnoticed() []string {
	var missing []string
	for _, id := range r.mutant.breaks {
		if verdict := r.verdicts[id]; verdict != reports.Fail {
			if verdict == "" {
				verdict = reports.NotRun
			}
			missing = append(missing, fmt.Sprintf("%s %s", id, verdict))
		}
	}
	return missing
}

// others are the requirements that failed too.
func (r *result) others() []string {
	var others []string
	for _, id := range slices.Sorted(maps.Keys(r.verdicts)) {
		if r.verdicts[id] == reports.Fail && !slices.Contains(r.mutant.breaks, id) {
			others = append(others, string(id))
		}
	}
	return others
}

// verdict is the result in a word or few.
func (r *result) verdict() string {
	switch {
	case r.failure != nil:
		return "not tried"
	case r.killed():
		return "killed"
	}
	return "SURVIVED (" + strings.Join(r.unnoticed(), ", ") + ")"
}

// writeTable writes a row per mutant, then what there is to say about those that were not killed.
func writeTable(out io.Writer, results []result) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "mutant\tbreaks\tverdict\tfailed too")
	for _, r := range results {
		var breaks []string
		for _, id := range r.mutant.breaks {
			breaks = append(breaks, string(id))
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", r.mutant.name, strings.Join(breaks, " "), r.verdict(), strings.Join(r.others(), " "))
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("write the table: %w", err)
	}
	killed := 0
	for _, r := range results {
		switch {
		case r.killed():
			killed++
		case r.failure != nil:
			fmt.Fprintf(out, "\n%s: %v\n", r.mutant.name, r.failure)
		default:
			fmt.Fprintf(out, "\n%s survived: %s\n  %s\n", r.mutant.name, r.mutant.says, r.artifacts)
		}
	}
	_, err := fmt.Fprintf(out, "\n%d of %d mutants killed\n", killed, len(results))
	return err
}
