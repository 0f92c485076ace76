package controlplane

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// record lies beside a program in the cache and says what it must look like.
type record struct {
	Version string    `json:"version"`
	Recipe  string    `json:"recipe"`
	Go      string    `json:"go"`
	Size    int64     `json:"size"`
	ModTime time.Time `json:"modTime"`
	SHA256  string    `json:"sha256"`
}

func recordPath(program string) string { return program + ".json" }

// readRecord returns the zero record if there is none that can be read: the program is then of unknown origin.
func readRecord(program string) record {
	text, err := os.ReadFile(recordPath(program))
	if err != nil {
		return record{}
	}
	var r record
	if err := json.Unmarshal(text, &r); err != nil {
		return record{}
	}
	return r
}

// describe reads a program's file and returns the part of a record that can be seen from it.
func describe(path string) (record, error) {
	file, err := os.Open(path)
	if err != nil {
		return record{}, err
	}
	defer func() { _ = file.Close() }()
	digest := sha256.New()
	size, err := io.Copy(digest, file)
	if err != nil {
		return record{}, err
	}
	info, err := file.Stat()
	if err != nil {
		return record{}, err
	}
	return record{Size: size, ModTime: info.ModTime().UTC(), SHA256: hex.EncodeToString(digest.Sum(nil))}, nil
}

// untouched tells, without reading it, that the program is the one recorded and the one wanted. Whoever alters a file and sets its time back is
// not guarded against; a disk that lost its last blocks is.
func (r record) untouched(program string, module toolModule) bool {
	info, err := os.Stat(program)
	return err == nil && r.fits(module) && r.Size == info.Size() && r.ModTime.Equal(info.ModTime()) && info.Mode()&0o111 != 0
}

// fits reports whether the recorded program is what the module builds. Where no go.sum decides, one that was built under such a decision will do.
func (r record) fits(module toolModule) bool {
	return r.Version == module.version && (r.Recipe == module.recipe || module.recipe == generatedRecipe && r.Recipe != "")
}

func (r record) write(program, scratch string) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	fresh := filepath.Join(scratch, filepath.Base(recordPath(program))+".new")
	if err := os.WriteFile(fresh, append(text, '\n'), 0o644); err != nil {
		return err
	}
	return publish(fresh, recordPath(program))
}

// publish moves a finished file to its place, so that at every instant, power cuts included, there is the old file or the whole new one.
func publish(fresh, path string) error {
	for _, step := range []func() error{
		func() error { return flush(fresh) },
		func() error { return os.Rename(fresh, path) },
		func() error { return flush(filepath.Dir(path)) },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func flush(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	if err := errors.Join(file.Sync(), file.Close()); err != nil {
		return fmt.Errorf("writing %s to disk: %w", path, err)
	}
	return nil
}
