package run

import (
	"bytes"
	"fmt"
	"io"
	"os"

	"github.com/rollcall-conformance/rollcall/reports/formats"
)

// convertReport is `rollcall report`: a report in another format.
func convertReport(args []string, out io.Writer) (int, error) {
	flags := newFlags("report", out)
	describe(flags, `rollcall report [-format FORMAT] [-output FILE] REPORT

Writes a report, or that in the folder of a run, in another format, from the report alone: html is a page that needs no other file, markdown is for the summary
of a CI system, junit for its table of tests, github is commands that make annotations of what failed in a workflow of GitHub Actions. Links to recordings are relative to the report's folder: that is where the page belongs.

Exit code: 0 written, whatever the report says; 2 the report cannot be read, the file cannot be written, or there is no such format.
`)
	format := flags.String("format", "html", "`format` to write: html, markdown, junit or github")
	output := flags.String("output", "", "write to this `file` (default: standard output)")
	if err := parseFlags(flags, args); err != nil {
		return exitUsage, err
	}
	chosen, err := formats.Find(*format)
	if err != nil {
		return exitUsage, usagef("-format: %w", err)
	}
	if flags.NArg() != 1 {
		return exitUsage, usagef("name one report, such as _artifacts/report.yaml, or the folder of a run; flags come before it")
	}
	report, err := readReportAt(flags.Arg(0))
	if err != nil {
		return exitUsage, usageError{err}
	}
	var text bytes.Buffer
	if err := chosen.Write(&text, report); err != nil {
		return exitHarness, err
	}
	return exitConformant, deliver(out, *output, text.Bytes())
}

// deliver writes to the file or, without one, to out.
func deliver(out io.Writer, path string, text []byte) error {
	if path == "" {
		_, err := out.Write(text)
		return err
	}
	if err := os.WriteFile(path, text, 0o644); err != nil {
		return usagef("-output: %w", err)
	}
	_, err := fmt.Fprintln(out, path)
	return err
}
