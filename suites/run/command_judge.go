package run

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/reports"
)

// judgeRecordings is `rollcall judge`: every verdict again, from recordings alone.
func judgeRecordings(args []string, out io.Writer) (int, error) {
	flags := newFlags("judge", out)
	describe(flags, `rollcall judge PATH...

Judges recordings again, without a cluster: every verdict comes from them alone. A PATH is

  a recording              what its spec's checks and the standing rules say of it; the rules alone if no spec of this rollcall made it
  the folder of a run      its recordings, and whether report.yaml still says the same, byte for byte. If the run was killed before it
                           could write its report, report.yaml, report.html and junit.xml are made now, as far as the recordings go
  a folder of recordings   all of them
  recordings of a watch    what the rules of `+"`rollcall watch`"+` say of them, those that follow each other as one

Exit code: 0 all that was decided passed, 1 something failed, 2 a path cannot be judged, 3 something could not be decided, or the report says otherwise.
`)
	output := flags.String("output", "", "write the requirements with their verdicts to this `file`, as a report has them")
	if err := parseFlags(flags, args); err != nil {
		return exitUsage, err
	}
	if flags.NArg() == 0 {
		return exitUsage, usagef("name the recordings to judge, such as _artifacts/recordings/*.jsonl, or the folder of a run, such as _artifacts")
	}
	if err := checkOutput(*output); err != nil {
		return exitUsage, usagef("-output: %w", err)
	}
	specs := specTree()
	catalogue, err := requirements.Load()
	if err != nil {
		return exitHarness, err
	}
	var all []judged
	var watches []watched
	code := exitConformant
	for _, path := range flags.Args() {
		recordings, root, err := recordingsIn(path)
		if err != nil {
			return exitUsage, usageError{err}
		}
		recordings, watchedHere := splitWatched(recordings)
		watches = append(watches, watchedHere...)
		for _, recording := range recordings {
			j, err := judgeRecording(recording, root, catalogue)
			if errors.Is(err, history.ErrEmpty) && recording != path {
				fmt.Fprintf(out, "%s: nothing was recorded: the run was killed first, or could not write\n", recording)
				code = worse(code, exitHarness)
				continue
			}
			if err != nil {
				return exitUsage, usageError{err}
			}
			code = worse(code, j.print(out, catalogue))
			all = append(all, j)
		}
	}
	if len(watches) > 0 {
		of, err := judgeWatched(out, watches, catalogue)
		code = worse(code, of)
		if err != nil || len(all) == 0 {
			return code, err
		}
	}
	if flags.NArg() == 1 && lacksReport(flags.Arg(0)) {
		made, err := reportKilled(out, flags.Arg(0), all, specs, catalogue)
		code = worse(code, made)
		if err != nil || *output == "" {
			return code, err
		}
	}
	if flags.NArg() != 1 && *output == "" {
		return code, nil
	}
	report, err := reports.Assemble(outcomesAgain(all, specs, catalogue))
	if err != nil {
		return exitHarness, err
	}
	if *output != "" {
		if err := writeRequirements(*output, report); err != nil {
			return exitHarness, err
		}
	}
	return worse(code, compare(out, flags.Arg(0), report)), nil
}

// checkOutput fails for a file that cannot be written, before anything is judged.
func checkOutput(path string) error {
	if path == "" {
		return nil
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return fmt.Errorf("%s is a folder: name a file", path)
	}
	if _, err := os.Stat(filepath.Dir(path)); err != nil {
		return fmt.Errorf("%s cannot be written: %w", path, err)
	}
	return nil
}

// recordingsIn returns the recordings that a path stands for, and the folder that reports name them relative to: a recording, or the folder of a run,
// or of recordings.
func recordingsIn(path string) (recordings []string, root string, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, "", fmt.Errorf("open recording: %w", err)
	}
	if !info.IsDir() {
		return []string{path}, filepath.Dir(filepath.Dir(path)), nil
	}
	for _, folder := range []string{filepath.Join(path, recordingsFolder), path} {
		if recordings, err = filepath.Glob(filepath.Join(folder, "*.jsonl")); err != nil || len(recordings) > 0 {
			return recordings, path, err
		}
	}
	if reports.Marked(path) {
		return nil, "", fmt.Errorf("%s holds no recordings: its run ended before it recorded anything", path)
	}
	return nil, "", fmt.Errorf("%s holds no recordings: name the folder of a run, or its recordings", path)
}

// worse is the more serious of two exit codes: a failure is one whatever else could not be decided.
func worse(a, b int) int {
	if a == exitNotConformant || b == exitNotConformant {
		return exitNotConformant
	}
	return max(a, b)
}

// writeRequirements writes the requirements as a report has them.
func writeRequirements(path string, report *reports.ConformanceReport) error {
	var text bytes.Buffer
	if err := reports.WriteRequirements(&text, report); err != nil {
		return err
	}
	return os.WriteFile(path, text.Bytes(), 0o644)
}

// compare says whether the report of the run, if its folder was named and has one, gives the same requirements the same verdicts, byte for byte.
func compare(out io.Writer, folder string, again *reports.ConformanceReport) int {
	path := filepath.Join(folder, reports.YAMLFile)
	before, err := readReport(path)
	switch {
	case errors.Is(err, os.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return exitConformant
	case err != nil:
		fmt.Fprintf(out, "%s cannot be compared: %v\n", path, err)
		return exitHarness
	}
	declareDeviations(again, before.Implementation.KnownDeviations)
	takeReasons(again, before)
	var was, is bytes.Buffer
	if err := reports.WriteRequirements(&was, before); err != nil {
		return exitHarness
	}
	if err := reports.WriteRequirements(&is, again); err != nil {
		return exitHarness
	}
	if bytes.Equal(was.Bytes(), is.Bytes()) {
		fmt.Fprintf(out, "%d requirements: the same as in %s, byte for byte\n", len(again.Requirements), path)
		return exitConformant
	}
	fmt.Fprintf(out, "not the same as in %s:\n%s", path, differences(before.Requirements, again.Requirements))
	return exitHarness
}

func readReport(path string) (*reports.ConformanceReport, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return reports.ReadYAML(file)
}

// differences lists the requirements whose verdicts or reasons differ. Where none do, something else about them does: their texts, if another rollcall made
// the report, or their violations.
func differences(before, after []reports.RequirementResult) string {
	var text strings.Builder
	for _, now := range after {
		i := slices.IndexFunc(before, func(then reports.RequirementResult) bool { return then.ID == now.ID })
		if i < 0 {
			fmt.Fprintf(&text, "  %-14s is new: %s %s\n", now.ID, now.Verdict, now.Reason)
		} else if then := before[i]; then.Verdict != now.Verdict || then.Reason != now.Reason {
			fmt.Fprintf(&text, "  %-14s was %s %s, is %s %s\n", now.ID, then.Verdict, then.Reason, now.Verdict, now.Reason)
		}
	}
	if text.Len() == 0 {
		return "  every verdict is the same; the requirements' texts or their violations differ\n"
	}
	return text.String()
}

// takeReasons takes over why something did not run, which is in no recording.
func takeReasons(again, before *reports.ConformanceReport) {
	why := map[requirements.ID]string{}
	for _, then := range before.Requirements {
		if then.Verdict == reports.NotRun {
			why[then.ID] = then.Reason
		}
	}
	for i, now := range again.Requirements {
		if reason, ran := why[now.ID]; ran && now.Verdict == reports.NotRun {
			again.Requirements[i].Reason = reason
		}
	}
}

func declareDeviations(report *reports.ConformanceReport, deviations []reports.KnownDeviation) {
	for _, deviation := range deviations {
		for i := range report.Requirements {
			if report.Requirements[i].ID == deviation.Requirement {
				report.Requirements[i].KnownDeviation = deviation.Issue
			}
		}
	}
}
