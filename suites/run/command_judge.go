package run

import (
	"bytes"
	"cmp"
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

// judging is one `rollcall judge` under way.
type judging struct {
	text      io.Writer
	events    *events
	catalogue *requirements.Catalogue
	// verbose: what is in folders is told as if it was named.
	verbose bool

	all     []judged
	watches []watched
	// folders reports whether one was named.
	folders bool
	code    int
}

// judgeRecordings is `rollcall judge`: every verdict again, from recordings alone.
func judgeRecordings(args []string, out io.Writer) (int, error) {
	flags := newFlags("judge", out)
	describe(flags, `rollcall judge [flags] PATH...

Judges recordings again, without a cluster: every verdict comes from them alone. A PATH is

  a recording              what its spec's checks and the standing rules say of it; the rules alone if no spec of this rollcall made it
  the folder of a run      its recordings, in the summary of a run, and whether report.yaml still says the same, byte for byte. If the run was killed
                           before it could write its report, report.yaml, report.html and junit.xml are made now, as far as the recordings go
  a folder of recordings   all of them, in the summary of a run
  recordings of a watch    what the rules of `+"`rollcall watch`"+` say of them, those that follow each other as one

A failure has its story where the recording is named, or with -v. There "holds" is a standing rule that was put to the test and not broken in a scenario that
is about something else: no pass, since that takes a spec that declares it.

Exit code: 0 all that was decided passed, 1 something failed, 2 a path cannot be judged, 3 something could not be decided, or the report says otherwise.
`)
	output := flags.String("output", "", "write the requirements with their verdicts to this `file`, as a report has them")
	verbose := flags.Bool("v", false, "tell of every recording in a folder, too, what it says")
	asJSON := flags.Bool("json", false, jsonUsage)
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
	j := &judging{catalogue: catalogue, verbose: *verbose}
	j.text, j.events = streams(*asJSON, out, os.Stderr)
	for _, path := range flags.Args() {
		if err := j.judge(path); err != nil {
			return exitUsage, usageError{err}
		}
	}
	if len(j.watches) > 0 {
		of, err := judgeWatched(j.text, j.events, j.watches, catalogue)
		j.code = worse(j.code, of)
		if err != nil {
			return j.code, err
		}
	}
	return j.sumUp(flags.Args(), *output, specs)
}

// judge judges the recordings of one path.
func (j *judging) judge(path string) error {
	recordings, root, err := recordingsIn(path)
	if err != nil {
		return err
	}
	recordings, watchedHere := splitWatched(recordings)
	j.watches = append(j.watches, watchedHere...)
	inFolder := !slices.Contains(recordings, path)
	j.folders = j.folders || inFolder && len(recordings) > 0
	for _, recording := range recordings {
		one, err := judgeRecording(recording, root, j.catalogue)
		if errors.Is(err, history.ErrEmpty) && inFolder {
			fmt.Fprintf(j.text, "%s: nothing was recorded: the run was killed first, or could not write\n", recording)
			j.code = worse(j.code, exitHarness)
			continue
		}
		if err != nil {
			return err
		}
		switch {
		case !inFolder || j.verbose:
			one.print(j.text, j.catalogue)
		case one.history.Damage != "":
			fmt.Fprintf(j.text, "%s\n", recording)
			one.printDamage(j.text)
		}
		j.events.tell(one.event(j.catalogue))
		j.code = worse(j.code, one.exitCode())
		j.all = append(j.all, one)
	}
	return nil
}

// sumUp says what all recordings come to, and returns the exit code.
func (j *judging) sumUp(paths []string, output string, specs []specReport) (int, error) {
	if len(j.all) == 0 && len(j.watches) > 0 {
		j.events.tell(reports.Event{Event: reports.EventSummary, Summary: &reports.EventResult{ExitCode: j.code}})
		return j.code, nil
	}
	if len(paths) == 1 && lacksReport(paths[0]) {
		made, err := reportKilled(j.text, paths[0], j.all, specs, j.catalogue)
		if j.code = worse(j.code, made); err != nil {
			return j.code, err
		}
		// The rest is what it says now.
		j.folders = false
	}
	again, err := reports.Assemble(outcomesAgain(j.all, specs, j.catalogue))
	if err != nil {
		return exitHarness, err
	}
	if output != "" {
		if err := writeRequirements(output, again); err != nil {
			return exitHarness, err
		}
	}
	// A part of a run, unless a report says of what run.
	again.Provenance.Focus = "these recordings"
	path := filepath.Join(paths[0], reports.YAMLFile)
	before, unread := readReport(path)
	if len(paths) > 1 {
		before, unread = nil, nil
	}
	if before != nil {
		align(again, before)
		again.Implementation, again.Provenance = before.Implementation, before.Provenance
	}
	if j.folders {
		if err := reports.Summary(j.text, again, reports.SummaryOptions{}); err != nil {
			return exitHarness, err
		}
	}
	if len(paths) == 1 {
		j.code = worse(j.code, compare(j.text, path, before, unread, again))
	}
	j.events.tell(reports.ResultOf(again, "", j.code))
	return j.code, nil
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

// compare reports whether a run's report gives the same requirements the same verdicts, byte for byte. Where there is none, that is no difference.
func compare(out io.Writer, path string, before *reports.ConformanceReport, unread error, again *reports.ConformanceReport) int {
	switch {
	case errors.Is(unread, os.ErrNotExist), errors.Is(unread, syscall.ENOTDIR):
		return exitConformant
	case unread != nil:
		fmt.Fprintf(out, "%s cannot be compared: %v\n", path, unread)
		return exitHarness
	}
	align(again, before)
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

// align takes over what no recording has: known deviations, and why something did not run.
func align(again, before *reports.ConformanceReport) {
	declareDeviations(again, before.Implementation.KnownDeviations)
	takeReasons(again, before)
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

// takeReasons takes over why something did not run, which is in no recording; and that nobody asked for it, where recordings say that it is not even claimed.
func takeReasons(again, before *reports.ConformanceReport) {
	why, whyNot := map[requirements.ID]string{}, map[string]string{}
	for _, then := range before.Requirements {
		if then.Verdict == reports.NotRun {
			why[then.ID] = then.Reason
		}
		for _, spec := range then.SpecsNotRun {
			whyNot[spec.Spec] = spec.Reason
		}
	}
	for i, now := range again.Requirements {
		for k, spec := range now.SpecsNotRun {
			now.SpecsNotRun[k].Reason = cmp.Or(whyNot[spec.Spec], spec.Reason)
		}
		reason, notRun := why[now.ID]
		if notRun && (now.Verdict == reports.NotRun || now.Verdict == reports.Unsupported && reports.Unasked(reason)) {
			again.Requirements[i].Verdict, again.Requirements[i].Reason = reports.NotRun, reason
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
