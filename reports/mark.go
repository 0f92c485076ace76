package reports

import (
	"fmt"
	"os"
	"path/filepath"
)

// Names of the files of a report in a run's folder.
const (
	YAMLFile  = "report.yaml"
	JUnitFile = "junit.xml"
	HTMLFile  = "report.html"
)

// MarkFile marks a folder as rollcall's: results go into no other that has anything in it.
const MarkFile = ".rollcall"

const markText = `This folder is rollcall's: a run replaces report.yaml, report.html, junit.xml, run.yaml, recordings, logs and previous
in it, and nothing else. To have rollcall keep out of it, remove this file.
`

// Mark marks the folder, which must exist, as rollcall's.
func Mark(dir string) error {
	path := filepath.Join(dir, MarkFile)
	if info, err := os.Stat(path); err == nil && info.Size() > 0 {
		return nil
	}
	if err := os.WriteFile(path, []byte(markText), 0o644); err != nil {
		return fmt.Errorf("mark the folder as rollcall's: %w", err)
	}
	return nil
}

// Marked reports whether the folder is marked as rollcall's.
func Marked(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, MarkFile))
	return err == nil
}
