package formats

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/rollcall-conformance/rollcall/reports"
	"github.com/rollcall-conformance/rollcall/reports/html"
)

// WriteFiles writes report.yaml, junit.xml and report.html to the folder, which it creates if need be. Each file is there whole or not at all: a
// reader never finds half a report, and a failure leaves the previous one in place.
func WriteFiles(dir string, report *reports.ConformanceReport) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("create the folder for the report: %w", err)
	}
	for _, file := range []struct {
		name  string
		write writer
	}{{reports.YAMLFile, reports.WriteYAML}, {reports.JUnitFile, reports.WriteJUnit}, {reports.HTMLFile, html.Write}} {
		if err := replaceFile(filepath.Join(dir, file.name), report, file.write); err != nil {
			return err
		}
	}
	return nil
}

func replaceFile(path string, report *reports.ConformanceReport, write writer) (err error) {
	// The temporary file stands beside its target: a rename is atomic only within one file system.
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	defer func() {
		if err != nil {
			_ = file.Close()
			_ = os.Remove(file.Name())
			err = fmt.Errorf("write %s: %w", path, err)
		}
	}()
	if err := write(file, report); err != nil {
		return err
	}
	// CreateTemp makes files private; a report is to be read by whoever may read the folder.
	if err := file.Chmod(0o644); err != nil {
		return err
	}
	if err := file.Sync(); err != nil {
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}
