// Package sidebyside makes several runs of the suite, and compares their reports, requirement by requirement.
package sidebyside

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/rollcall-conformance/rollcall/reports"
)

// Run is the report of a run.
type Run struct {
	// Folder has the run's artifacts; the report's paths are relative to it.
	Folder string
	Report *reports.ConformanceReport
}

// ReadAll reads the reports in the folders of runs. Runs that are not Comparable are an error.
func ReadAll(folders []string) ([]Run, error) {
	var runs []Run
	for _, folder := range folders {
		run, err := Read(folder)
		if err != nil {
			return nil, err
		}
		runs = append(runs, run)
	}
	return runs, Comparable(runs)
}

// Read reads the report in the folder of a run. A run that is not Whole is an error.
func Read(folder string) (Run, error) {
	file, err := os.Open(filepath.Join(folder, reports.YAMLFile))
	if err != nil {
		return Run{}, fmt.Errorf("name the folder of a run: %w", err)
	}
	defer file.Close()
	report, err := reports.ReadYAML(file)
	if err != nil {
		return Run{}, fmt.Errorf("%s: %w", folder, err)
	}
	if err := Whole(report); err != nil {
		return Run{}, fmt.Errorf("%s: %w", folder, err)
	}
	return Run{Folder: folder, Report: report}, nil
}

// Whole returns an error if the run did not decide all that was selected: the harness failed, or the run was interrupted or ended early.
func Whole(report *reports.ConformanceReport) error {
	p := report.Provenance
	switch {
	case p.HarnessFailure != "":
		return fmt.Errorf("the harness failed: %s", p.HarnessFailure)
	case p.Interrupted:
		return errors.New("the run was interrupted")
	case p.EndedEarly != "":
		return fmt.Errorf("the run ended early: %s", p.EndedEarly)
	}
	return nil
}

// Comparable returns an error if two runs are of different implementations or catalogues.
func Comparable(runs []Run) error {
	for _, run := range runs {
		first, other := runs[0].Report, run.Report
		if a, b := first.Implementation.Name, other.Implementation.Name; a != b {
			return fmt.Errorf("%s is of %s, %s of %s: compare runs of one implementation", runs[0].Folder, a, run.Folder, b)
		}
		if a, b := first.Provenance.Catalogue.Digest, other.Provenance.Catalogue.Digest; a != b {
			return fmt.Errorf("%s and %s were made with different catalogues: run one of them again", runs[0].Folder, run.Folder)
		}
	}
	return nil
}

// Column is one run, or several that are parts of one, such as runs of different families.
type Column struct {
	Name string
	Runs []Run
}

// Row is what each column says of a requirement.
type Row struct {
	Requirement reports.Requirement
	Cells       []Cell
}

// Cell is what the runs of a column say of a requirement.
type Cell struct {
	Verdict reports.Verdict
	// Reason for every verdict but pass and fail.
	Reason string
	// Violations, with paths of recordings under the folder of their run.
	Violations []reports.Violation
}

// Rows are those of all requirements, in the order of the first run's catalogue.
func Rows(columns []Column) []Row {
	var rows []Row
	place := map[reports.ID]int{}
	for i, column := range columns {
		for _, run := range column.Runs {
			for _, result := range run.Report.Requirements {
				at, known := place[result.ID]
				if !known {
					at = len(rows)
					place[result.ID] = at
					row := Row{Requirement: result.Requirement, Cells: make([]Cell, len(columns))}
					for c := range row.Cells {
						row.Cells[c].Verdict = reports.NotRun
					}
					rows = append(rows, row)
				}
				rows[at].Cells[i].add(run.Folder, result)
			}
		}
	}
	return rows
}

// add adds what a run says. The reason is that of the verdict that stands.
func (c *Cell) add(folder string, result reports.RequirementResult) {
	merged := reports.Merge(c.Verdict, result.Verdict)
	if merged == result.Verdict && (c.Verdict != merged || c.Reason == "") {
		c.Reason = result.Reason
	}
	c.Verdict = merged
	for _, violation := range result.Violations {
		if violation.Recording != "" {
			violation.Recording = filepath.Join(folder, filepath.FromSlash(violation.Recording))
		}
		c.Violations = append(c.Violations, violation)
	}
}

// Alike reports whether all columns have the same verdict.
func (r Row) Alike() bool {
	return r.Count(r.Cells[0].Verdict) == len(r.Cells)
}

// Count is the number of columns with the verdict.
func (r Row) Count(verdict reports.Verdict) int {
	n := 0
	for _, cell := range r.Cells {
		if cell.Verdict == verdict {
			n++
		}
	}
	return n
}
