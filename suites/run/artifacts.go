package run

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"

	"github.com/rollcall-conformance/rollcall/reports"
)

// recordingsFolder is where the recordings are in a run's folder.
const recordingsFolder = "recordings"

// artifacts are the folder of a run's results, and what is in it.
type artifacts struct {
	root, recordings, logs string
	// work holds what is of no use after the run; ginkgo is Ginkgo's own report there.
	work, ginkgo string
	lock         *flock.Flock
}

// openArtifacts makes the folder ready for a run: results of an earlier one go, anything else stays. Only one run may use it at a time.
func openArtifacts(root string) (artifacts, error) {
	a := artifacts{
		root: root, recordings: filepath.Join(root, recordingsFolder), logs: filepath.Join(root, "logs"), work: filepath.Join(root, "work"),
		lock: flock.New(filepath.Join(root, ".lock")),
	}
	a.ginkgo = filepath.Join(a.work, "ginkgo.json")
	if err := os.MkdirAll(root, 0o755); err != nil {
		return a, fmt.Errorf("make the artifacts folder: %w", err)
	}
	locked, err := a.lock.TryLock()
	if err != nil {
		return a, fmt.Errorf("lock the artifacts folder: %w", err)
	}
	if !locked {
		return a, fmt.Errorf("artifacts folder %s is in use by another run: wait for it, or name another folder", root)
	}
	for _, old := range []string{reports.YAMLFile, reports.JUnitFile} {
		if err := os.Remove(filepath.Join(root, old)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return a, fmt.Errorf("remove the earlier run's results: %w", err)
		}
	}
	for _, dir := range []string{a.recordings, a.logs, a.work} {
		if err := os.RemoveAll(dir); err != nil {
			return a, fmt.Errorf("remove the earlier run's results: %w", err)
		}
		if err := os.Mkdir(dir, 0o755); err != nil {
			return a, fmt.Errorf("make the artifacts folder: %w", err)
		}
	}
	return a, nil
}

// release ends the use of the folder and removes what is of no further use.
func (a artifacts) release() {
	if err := errors.Join(os.RemoveAll(a.work), a.lock.Unlock()); err != nil {
		fmt.Fprintf(os.Stderr, "rollcall: tidy up %s: %v\n", a.root, err)
	}
}
