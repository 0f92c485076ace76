package run

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rollcall-conformance/rollcall/framework/implementation"
	"github.com/rollcall-conformance/rollcall/framework/redact"
	"github.com/rollcall-conformance/rollcall/reports"
	"github.com/rollcall-conformance/rollcall/reports/publication"
)

// publishedFolder is where publications are, below the folder that the command is called in.
var publishedFolder = filepath.Join("reports", "published")

// publishReport is `rollcall publish`: the report of a run, in the form in which others can check it.
func publishReport(args []string, out io.Writer) (int, error) {
	flags := newFlags("publish", out)
	describe(flags, `rollcall publish [-root FOLDER] RUN

Puts the report in RUN, the folder of a whole run, below -root, as ORGANIZATION-PROJECT/VERSION/PROVIDER: with the digests of the report and of the recordings
that it was made from, and how to make it again; one that was there for the same is replaced. The table of all publications is made anew. Sign it with

  ssh-keygen -Y sign -n rollcall -f ~/.ssh/id_ed25519 .../SHA256SUMS

and keep the recordings where readers find them: `+"`rollcall verify`"+` judges them again. docs/publishing.md says what is asked of a publication.

Exit code: 0 published, whatever the report says; 2 it cannot be: it is not of a whole run, its recordings do not give its verdicts, or one of the files names
a folder of this machine.
`)
	root := flags.String("root", publishedFolder, "`folder` of all publications")
	if err := parseFlags(flags, args); err != nil {
		return exitUsage, err
	}
	if flags.NArg() != 1 {
		return exitUsage, usagef("name the folder of one run, such as _artifacts")
	}
	run := flags.Arg(0)
	report, err := readReportIn(run)
	if err != nil {
		return exitUsage, usageError{err}
	}
	place, err := publication.Place(report)
	if err := errors.Join(publication.Check(report), err); err != nil {
		return exitUsage, usagef("%s: %w", run, err)
	}
	if err := judgedAs(run, run); err != nil {
		return exitUsage, usagef("the recordings in %s do not give the report's verdicts: %w", run, err)
	}
	sums, err := publication.SumsOf(os.DirFS(run))
	if err != nil {
		return exitUsage, usageError{err}
	}
	if err := namesNoFolder(run, sums); err != nil {
		return exitUsage, usageError{err}
	}
	file := "FILE"
	if slices.Contains(implementation.Shipped(), report.Implementation.Name) {
		file = report.Implementation.Name
	}
	text, err := os.ReadFile(filepath.Join(run, reports.YAMLFile))
	if err != nil {
		return exitHarness, err
	}
	folder := filepath.Join(*root, place)
	for name, content := range map[string][]byte{
		reports.YAMLFile: text, publication.SumsFile: sums.Text(), publication.GuideFile: []byte(publication.Guide(report, file)),
	} {
		if err := writeBelow(folder, name, content); err != nil {
			return exitHarness, err
		}
	}
	// That of another report vouches for nothing here.
	if err := os.RemoveAll(filepath.Join(folder, publication.SignatureFile)); err != nil {
		return exitHarness, err
	}
	all, err := publication.All(*root)
	if err != nil {
		return exitHarness, err
	}
	fmt.Fprintf(out, "published in %s, with the digests of %d recordings\n", folder, len(sums.Recordings()))
	return exitConformant, writeBelow(*root, publication.GuideFile, []byte(publication.Table(all)))
}

// namesNoFolder is an error that says where one of the files of a run, which others are going to read, names a folder of this machine. Runs leave such paths
// out of what they record: see Session.folders of the specs.
func namesNoFolder(run string, sums publication.Sums) error {
	root, err := filepath.Abs(run)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		text, err := os.ReadFile(filepath.Join(run, filepath.FromSlash(name)))
		if err != nil {
			return err
		}
		number := 0
		for line := range strings.Lines(string(text)) {
			number++
			for _, folder := range redact.Here(redact.Folder{Path: root, Name: "ARTIFACTS"}) {
				// Temporary files are where they are on every machine.
				if folder.Path != os.TempDir() && folder.Text(line) != line {
					return fmt.Errorf("%s:%d names a folder of this machine, %s: a run of this version of rollcall leaves such paths out, so run the suites again",
						filepath.Join(run, name), number, folder.Path)
				}
			}
		}
	}
	return nil
}

func writeBelow(folder, name string, content []byte) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, name), content, 0o644)
}
