package trial

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Outcome is what became of one trial of hack/mutants, for other programs.
type Outcome struct {
	// Name is the variant's.
	Name string `json:"name"`
	// Proven: a broken one was killed, a lawful one was found to be lawful. Verdict says so, or why not.
	Proven  bool   `json:"proven"`
	Verdict string `json:"verdict"`
	// Seconds is how long the trial took, the start of its control plane included.
	Seconds float64 `json:"seconds"`
}

// AppendLine adds the value to the file as a line of JSON; file and folder are made if need be. What was tried is kept, whatever ends the command.
func AppendLine(path string, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("add to %s: %w", path, err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("make a folder for results: %w", err)
	}
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("add a result: %w", err)
	}
	_, err = file.Write(append(text, '\n'))
	return errors.Join(err, file.Close())
}

// ReadLines returns the values of a file that AppendLine wrote; none if there is no file.
func ReadLines[T any](path string) ([]T, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, fmt.Errorf("read results: %w", err)
	}
	var values []T
	decoder := json.NewDecoder(bytes.NewReader(text))
	for {
		var value T
		if err := decoder.Decode(&value); errors.Is(err, io.EOF) {
			return values, nil
		} else if err != nil {
			return nil, fmt.Errorf("%s: result %d: %w: remove the file to begin anew", path, len(values)+1, err)
		}
		values = append(values, value)
	}
}
