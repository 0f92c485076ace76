package run

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"k8s.io/kubectl/pkg/util/term"

	"github.com/rollcall-conformance/rollcall/reports"
	"github.com/rollcall-conformance/rollcall/reports/formats"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// mergeShards is `rollcall merge`: one report of the shards of a run.
func mergeShards(args []string, out io.Writer) (int, error) {
	flags := newFlags("merge", out)
	describe(flags, `rollcall merge [-artifacts FOLDER] SHARD...

Makes one run of its shards: each SHARD is the folder of a run with -shard, and together they are all of them, with the same -seed. Report, recordings and logs
of all are in FOLDER then, as those of one run: `+"`rollcall judge`"+` and `+"`rollcall diff`"+` take it.

Exit code: as of `+"`rollcall run`"+`; 2 also if a shard is missing or is of another run. Nothing is written then.
`)
	folder := flags.String("artifacts", "_artifacts", "`folder` for the report, recordings and logs of all shards")
	if err := parseFlags(flags, args); err != nil {
		return exitUsage, err
	}
	if flags.NArg() == 0 {
		return exitUsage, usagef("name the folders of all shards, such as shard-1 shard-2")
	}
	return mergeInto(*folder, flags.Args(), out)
}

// mergeInto makes one run of the shards in these folders, in that folder. Nothing is written if they are none.
func mergeInto(folder string, paths []string, out io.Writer) (int, error) {
	var shards []*reports.ConformanceReport
	for _, path := range paths {
		report, err := readReportIn(path)
		if err != nil {
			return exitUsage, usagef("shard %s: %w", path, err)
		}
		shards = append(shards, report)
	}
	merged, err := reports.MergeShards(shards)
	if err != nil {
		return exitUsage, usageError{err}
	}
	if err := sameFolder(folder, paths); err != nil {
		return exitUsage, usageError{err}
	}
	opened, err := openArtifacts(folder, "")
	if err != nil {
		return exitUsage, usageError{err}
	}
	defer opened.release()
	for i, path := range paths {
		shard := shards[i].Provenance.Shard
		if err := errors.Join(
			copyIfThere(opened.recordings, filepath.Join(path, recordingsFolder)),
			copyIfThere(filepath.Join(opened.root, spec.UndecidedFolder), filepath.Join(path, spec.UndecidedFolder)),
			copyIfThere(filepath.Join(opened.logs, fmt.Sprintf("shard-%d", shard.Index)), filepath.Join(path, logsFolder)),
		); err != nil {
			return exitHarness, fmt.Errorf("copy what shard %s recorded: %w", shard, err)
		}
	}
	if err := formats.WriteFiles(folder, merged); err != nil {
		return exitHarness, err
	}
	err = reports.Summary(out, merged, reports.SummaryOptions{Color: term.IsTerminal(os.Stdout), Paths: []reports.Path{
		{Label: "report", Path: filepath.Join(folder, reports.YAMLFile)},
		{Label: "page", Path: filepath.Join(folder, reports.HTMLFile)},
		{Label: "recordings", Path: opened.recordings},
		{Label: "logs", Path: opened.logs},
	}})
	fmt.Fprint(out, merged.Statistics.Closing())
	return reports.ExitCode(merged), err
}

// sameFolder refuses the folder of a shard as that of all: its results would be moved away before they are read.
func sameFolder(folder string, shards []string) error {
	target, err := os.Stat(folder)
	if err != nil {
		return nil // a new folder is none of them
	}
	for _, path := range shards {
		if info, err := os.Stat(path); err == nil && os.SameFile(target, info) {
			return fmt.Errorf("-artifacts %s: it is the folder of a shard, name another one", folder)
		}
	}
	return nil
}

// copyIfThere copies what is in a folder into another, which is made if need be. A file that is there already is an error.
func copyIfThere(to, from string) error {
	if _, err := os.Stat(from); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return os.CopyFS(to, os.DirFS(from))
}
