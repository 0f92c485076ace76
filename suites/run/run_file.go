package run

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"go.yaml.in/yaml/v3"

	"github.com/rollcall-conformance/rollcall/reports"
)

// runFile is in an artifacts folder until the report is, so that there can be a report of a run that was killed. Recordings hold everything else.
const runFile = "run.yaml"

// runRecord is what runFile holds: the parts of a report that no recording has.
type runRecord struct {
	Implementation reports.Implementation `yaml:"implementation"`
	Provenance     reports.Provenance     `yaml:"provenance"`
	// Selected are the specs' texts.
	Selected []string `yaml:"selected"`
}

// record writes what is known of the run so far.
func (r *suiteRun) record() error {
	text, err := yaml.Marshal(runRecord{Implementation: r.describeImplementation(), Provenance: r.provenance(false), Selected: r.selection.texts})
	if err != nil {
		return fmt.Errorf("write %s: %w", runFile, err)
	}
	// Never half a file: the run may be killed at any time.
	path := filepath.Join(r.artifacts.root, runFile)
	if err := os.WriteFile(path+".new", text, 0o644); err != nil {
		return fmt.Errorf("write %s: %w", runFile, err)
	}
	return os.Rename(path+".new", path)
}

// readRunFile returns what is known of the run whose folder it is; nothing, and no error, if that was never written.
func readRunFile(folder string) (*runRecord, error) {
	path := filepath.Join(folder, runFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	known := &runRecord{}
	if err := decoder.Decode(known); err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return known, nil
}
