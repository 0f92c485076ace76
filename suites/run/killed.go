package run

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"k8s.io/kubectl/pkg/util/term"

	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/reports"
	"github.com/rollcall-conformance/rollcall/reports/formats"
)

// killed is the reason why a run has no report of its own.
const killed = "the run was killed before it could write its report; this one was made from its recordings by `rollcall judge`"

// lacksReport reports whether the path is the folder of a run that has no report, which `rollcall judge` then makes.
func lacksReport(path string) bool {
	_, noReport := os.Stat(filepath.Join(path, reports.YAMLFile))
	info, err := os.Stat(filepath.Join(path, recordingsFolder))
	return err == nil && info.IsDir() && os.IsNotExist(noReport) && reports.Marked(path)
}

// reportKilled writes the report of the run whose folder it is, from its recordings and what was known of it when it began.
func reportKilled(out io.Writer, folder string, all []judged, specs []specReport, catalogue *requirements.Catalogue) (int, error) {
	lock, err := claimFolder(folder)
	if err != nil {
		return exitUsage, usageError{err}
	}
	// The lock ends with the process at the latest.
	defer func() { _ = lock.Unlock() }()
	known, err := readRunFile(folder)
	if err != nil {
		return exitUsage, usageError{err}
	}
	run := outcomesAgain(all, specs, catalogue)
	if known != nil {
		run.Implementation, run.Provenance = known.Implementation, known.Provenance
		for i, outcome := range run.Outcomes {
			if outcome.Verdict == reports.NotRun && outcome.Reason == reports.NotSelected && slices.Contains(known.Selected, outcome.Spec) {
				run.Outcomes[i].Reason = "the run was killed before"
			}
		}
	}
	run.Provenance.Rollcall, run.Provenance.Catalogue.Digest = build(), catalogue.Digest()
	run.Provenance.Interrupted, run.Provenance.HarnessFailure = true, killed
	report, err := reports.Assemble(run)
	if err != nil {
		return exitHarness, err
	}
	if err := formats.WriteFiles(folder, report); err != nil {
		return exitHarness, err
	}
	if err := os.RemoveAll(filepath.Join(folder, runFile)); err != nil {
		return exitHarness, err
	}
	fmt.Fprintln(out)
	err = reports.Summary(out, report, reports.SummaryOptions{Color: term.IsTerminal(os.Stdout), Paths: []reports.Path{{Label: "report", Path: filepath.Join(folder, reports.YAMLFile)}}})
	return reports.ExitCode(report), err
}
