package reports

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Names of the files that WriteFiles leaves in its folder.
const (
	YAMLFile  = "report.yaml"
	JUnitFile = "junit.xml"
)

// WriteFiles writes report.yaml and junit.xml to the folder, which it creates if need be. Each file is there whole or not at all: a
// reader never finds half a report, and a failure leaves the previous one in place.
func WriteFiles(dir string, report *ConformanceReport) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("create the folder for the report: %w", err)
	}
	if err := replaceFile(filepath.Join(dir, YAMLFile), report, WriteYAML); err != nil {
		return err
	}
	return replaceFile(filepath.Join(dir, JUnitFile), report, WriteJUnit)
}

func replaceFile(path string, report *ConformanceReport, write func(io.Writer, *ConformanceReport) error) (err error) {
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
