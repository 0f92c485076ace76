package trial

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"sigs.k8s.io/yaml"

	"github.com/rollcall-conformance/rollcall/fixtures"
)

// Implementation is a worse or another reference, as files that `rollcall run -implementation` takes.
type Implementation struct {
	// File is the implementation file.
	File map[string]any
	// Manifests are the manifests that File names, by their names.
	Manifests map[string][]byte
}

// Shipped returns a file that comes with rollcall, for example "rbac/reference.yaml".
func Shipped(path string) ([]byte, error) {
	text, err := fs.ReadFile(fixtures.Files(), path)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return text, nil
}

// ReferenceFile returns the reference's implementation file, to be changed.
func ReferenceFile() (map[string]any, error) {
	text, err := Shipped("implementations/reference.yaml")
	if err != nil {
		return nil, err
	}
	var file map[string]any
	if err := yaml.Unmarshal(text, &file); err != nil {
		return nil, fmt.Errorf("read the reference's implementation file: %w", err)
	}
	return file, nil
}

// Write writes the files into the folder and returns the path of the implementation file.
func (i Implementation) Write(folder string) (string, error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", fmt.Errorf("make a folder for the implementation: %w", err)
	}
	text, err := yaml.Marshal(i.File)
	if err != nil {
		return "", fmt.Errorf("write the implementation file: %w", err)
	}
	path := filepath.Join(folder, "implementation.yaml")
	errs := []error{os.WriteFile(path, text, 0o644)}
	for name, manifest := range i.Manifests {
		errs = append(errs, os.WriteFile(filepath.Join(folder, name), manifest, 0o644))
	}
	if err := errors.Join(errs...); err != nil {
		return "", fmt.Errorf("write the implementation: %w", err)
	}
	return path, nil
}
