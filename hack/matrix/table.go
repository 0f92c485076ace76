package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/rollcall-conformance/rollcall/hack/internal/sidebyside"
	"github.com/rollcall-conformance/rollcall/reports"
)

// columns are those of the Kubernetes versions, the oldest first. Runs of one version are parts of one.
func columns(runs []sidebyside.Run) []sidebyside.Column {
	var all []sidebyside.Column
	for _, run := range runs {
		version := run.Report.Provenance.KubernetesVersion
		at := slices.IndexFunc(all, func(column sidebyside.Column) bool { return column.Name == version })
		if at < 0 {
			at = len(all)
			all = append(all, sidebyside.Column{Name: version})
		}
		all[at].Runs = append(all[at].Runs, run)
	}
	slices.SortStableFunc(all, func(a, b sidebyside.Column) int { return compareVersions(a.Name, b.Name) })
	return all
}

// compareVersions compares versions that are given with or without the "v".
func compareVersions(a, b string) int {
	return semver.Compare("v"+strings.TrimPrefix(a, "v"), "v"+strings.TrimPrefix(b, "v"))
}

// decided reports whether any column says pass, fail or inconclusive.
func decided(row sidebyside.Row) bool {
	return row.Count(reports.Pass)+row.Count(reports.Fail)+row.Count(reports.Inconclusive) > 0
}

// unasked reports whether the requirement was not run because nobody asked for it.
func unasked(cell sidebyside.Cell) bool {
	return cell.Verdict == reports.NotRun && (cell.Reason == reports.NotSelected || cell.Reason == "")
}

// passes reports whether the requirement passes wherever it was asked for.
func passes(row sidebyside.Row) bool {
	return !slices.ContainsFunc(row.Cells, func(cell sidebyside.Cell) bool { return cell.Verdict != reports.Pass && !unasked(cell) })
}

// writeTable writes a row for each requirement that was decided somewhere and does not pass wherever it was asked for, then why cells of it were not decided.
func writeTable(out io.Writer, columns []sidebyside.Column) error {
	var text strings.Builder
	var names, line []string
	for _, column := range columns {
		names, line = append(names, column.Name), append(line, "---")
	}
	fmt.Fprintf(&text, "| requirement | | %s |\n|---|---|%s|\n", strings.Join(names, " | "), strings.Join(line, "|"))
	rows := sidebyside.Rows(columns)
	everywhere, nowhere := 0, 0
	var notes []string
	for _, row := range rows {
		switch {
		case !decided(row):
			nowhere++
			continue
		case passes(row):
			everywhere++
			continue
		}
		fmt.Fprintf(&text, "| %s | %s |", row.Requirement.ID, strings.ReplaceAll(row.Requirement.Title, "|", `\|`))
		for i, cell := range row.Cells {
			fmt.Fprintf(&text, " %s |", shown(cell))
			if cell.Verdict != reports.Pass && cell.Verdict != reports.Fail && !unasked(cell) {
				notes = append(notes, fmt.Sprintf("- %s on %s, %s: %s", row.Requirement.ID, columns[i].Name, cell.Verdict, strings.ReplaceAll(cell.Reason, "\n", " ")))
			}
		}
		text.WriteByte('\n')
	}
	var all []string
	for _, s := range statistics(rows, len(columns)) {
		all = append(all, sidebyside.Totals(s))
	}
	fmt.Fprintf(&text, "| all | | %s |\n", strings.Join(all, " | "))
	fmt.Fprintf(&text, "\nRequirements that pass wherever they were run: %d. Decided on none, since they are not claimed or were not run: %d.\n", everywhere, nowhere)
	if len(notes) > 0 {
		fmt.Fprintf(&text, "\n%s\n", strings.Join(notes, "\n"))
	}
	_, err := io.WriteString(out, text.String())
	return err
}

// shown is a verdict in the table: failures stand out, and what nobody asked for is empty.
func shown(cell sidebyside.Cell) string {
	switch {
	case cell.Verdict == reports.Fail:
		return "**fail**"
	case unasked(cell):
		return ""
	}
	return string(cell.Verdict)
}

// statistics are the totals of each column.
func statistics(rows []sidebyside.Row, columns int) []reports.Statistics {
	all := make([]reports.Statistics, columns)
	for _, row := range rows {
		for i, cell := range row.Cells {
			switch cell.Verdict {
			case reports.Pass:
				all[i].Passed++
			case reports.Fail:
				all[i].Failed++
			case reports.Inconclusive:
				all[i].Inconclusive++
			}
		}
	}
	return all
}
