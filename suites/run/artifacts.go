package run

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gofrs/flock"

	"github.com/rollcall-conformance/rollcall/reports"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// The folders of a run's results, and that of the run before it.
const (
	recordingsFolder = "recordings"
	logsFolder       = "logs"
	previousFolder   = "previous"
)

// results are the files and folders of an artifacts folder that a run makes. What else is in the folder is never touched.
func results() []string {
	return []string{reports.YAMLFile, reports.HTMLFile, reports.JUnitFile, runFile, recordingsFolder, spec.UndecidedFolder, logsFolder}
}

// artifacts are the folder of a run's results, and what is in it.
type artifacts struct {
	root, recordings, logs string
	// work holds what is of no use after the run, and nobody else's business: keys and certificates among it. It is not in root.
	work string
	// ginkgo is Ginkgo's own report in work.
	ginkgo string
	lock   *flock.Flock
}

// openArtifacts makes the folder ready for a run: results of an earlier one become the previous ones. Only one run may use it at a time.
func openArtifacts(root, work string) (_ artifacts, err error) {
	a := artifacts{
		root: root, recordings: filepath.Join(root, recordingsFolder), logs: filepath.Join(root, logsFolder),
		work: work, ginkgo: filepath.Join(work, "ginkgo.json"),
	}
	if a.lock, err = claimFolder(root); err != nil {
		return a, err
	}
	if err := keepPrevious(root); err != nil {
		return a, errors.Join(fmt.Errorf("keep the earlier run's results: %w", err), a.lock.Unlock())
	}
	for _, dir := range []string{a.recordings, a.logs} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			return a, errors.Join(fmt.Errorf("make the artifacts folder: %w", err), a.lock.Unlock())
		}
	}
	return a, nil
}

// progress is the file in which specs tell how they get on.
func (a artifacts) progress() string { return filepath.Join(a.work, "progress.jsonl") }

// release ends the use of the folder.
func (a artifacts) release() {
	if err := a.lock.Unlock(); err != nil {
		fmt.Fprintf(os.Stderr, "rollcall: tidy up %s: %v\n", a.root, err)
	}
}

// refuseForeign returns an error if the folder holds a file and nothing says that it is rollcall's.
func refuseForeign(root string) error {
	foreign, err := foreignIn(root)
	if err != nil {
		return fmt.Errorf("-artifacts %s: %w", root, err)
	}
	if len(foreign) == 0 {
		return nil
	}
	const shown = 3
	if len(foreign) > shown {
		foreign = append(foreign[:shown:shown], fmt.Sprintf("%d more", len(foreign)-shown))
	}
	return fmt.Errorf("-artifacts %s: the folder is not rollcall's and holds other files (%s): name a new or empty folder, or, if rollcall may replace %s in this one, say so with `touch %s`",
		root, strings.Join(foreign, ", "), strings.Join(append(results(), previousFolder), ", "), filepath.Join(root, reports.MarkFile))
}

// foreignIn names what is in the folder and holds files, unless the folder is marked as rollcall's. Folders within that are marked hold none.
func foreignIn(dir string) ([]string, error) {
	if reports.Marked(dir) {
		return nil, nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	var foreign []string
	for _, entry := range entries {
		if !entry.IsDir() || holdsFiles(filepath.Join(dir, entry.Name())) {
			foreign = append(foreign, entry.Name())
		}
	}
	return foreign, nil
}

// holdsFiles looks no further than to the first file that is not in a marked folder. A folder that cannot be read is somebody's.
func holdsFiles(dir string) bool {
	if reports.Marked(dir) {
		return false
	}
	entries, err := os.ReadDir(dir)
	return err != nil || slices.ContainsFunc(entries, func(entry os.DirEntry) bool {
		return !entry.IsDir() || holdsFiles(filepath.Join(dir, entry.Name()))
	})
}

// claimFolder marks the folder as rollcall's, making it if need be, and locks it.
func claimFolder(root string) (*flock.Flock, error) {
	if err := refuseForeign(root); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(root, 0o755); err != nil {
		return nil, fmt.Errorf("make the artifacts folder: %w", err)
	}
	lock := flock.New(filepath.Join(root, reports.MarkFile))
	locked, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock the artifacts folder: %w", err)
	}
	if !locked {
		return nil, fmt.Errorf("artifacts folder %s is in use by another run: wait for it, or name another folder", root)
	}
	if err := reports.Mark(root); err != nil {
		return nil, errors.Join(err, lock.Unlock())
	}
	return lock, nil
}

// keepPrevious moves the results of the last run to where the previous ones are, in their place. Results without a recording are of a run that never
// began: they go, and what was kept before stays.
func keepPrevious(root string) error {
	kept, err := filepath.Glob(filepath.Join(root, recordingsFolder, "*.jsonl"))
	if err != nil {
		return err
	}
	previous := filepath.Join(root, previousFolder)
	if len(kept) > 0 {
		if err := os.RemoveAll(previous); err != nil {
			return err
		}
		if err := os.Mkdir(previous, 0o755); err != nil {
			return err
		}
		if err := reports.Mark(previous); err != nil {
			return err
		}
	}
	for _, name := range slices.Backward(results()) {
		path := filepath.Join(root, name)
		if len(kept) == 0 {
			err = os.RemoveAll(path)
		} else if err = os.Rename(path, filepath.Join(previous, name)); errors.Is(err, os.ErrNotExist) {
			err = nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}
