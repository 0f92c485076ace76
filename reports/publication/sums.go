package publication

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rollcall-conformance/rollcall/reports"
)

// recordingsPattern of a run's folder.
const recordingsPattern = "recordings/*.jsonl"

// Sums are SHA-256 digests in hexadecimal, by the path of the file in the folder of its run, with slashes.
type Sums map[string]string

// SumsOf are those of the report and the recordings in the folder of a run.
func SumsOf(run fs.FS) (Sums, error) {
	recordings, err := fs.Glob(run, recordingsPattern)
	if err != nil {
		return nil, err
	}
	sums := Sums{}
	for _, name := range append(recordings, reports.YAMLFile) {
		if sums[name], err = digest(run, name); err != nil {
			return nil, err
		}
	}
	return sums, nil
}

func digest(in fs.FS, name string) (string, error) {
	file, err := in.Open(name)
	if err != nil {
		return "", err
	}
	defer file.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return "", fmt.Errorf("read %s: %w", name, err)
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

// Text is what `sha256sum -c` reads, by path.
func (s Sums) Text() []byte {
	var text bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(s)) {
		fmt.Fprintf(&text, "%s  %s\n", s[name], name)
	}
	return text.Bytes()
}

// ReadSums reads what Text writes.
func ReadSums(folder string) (Sums, error) {
	file := filepath.Join(folder, SumsFile)
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	sums := Sums{}
	lines := bufio.NewScanner(bytes.NewReader(text))
	for number := 1; lines.Scan(); number++ {
		sum, name, found := strings.Cut(lines.Text(), "  ")
		if raw, err := hex.DecodeString(sum); err != nil || len(raw) != sha256.Size || !found || !fs.ValidPath(name) {
			return nil, fmt.Errorf("%s:%d: not a SHA-256 digest and a path: %q", file, number, lines.Text())
		}
		if sums[name] != "" {
			return nil, fmt.Errorf("%s:%d: %s is there twice", file, number, name)
		}
		sums[name] = sum
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read %s: %w", file, err)
	}
	if sums[reports.YAMLFile] == "" {
		return nil, fmt.Errorf("%s: it has no digest of %s", file, reports.YAMLFile)
	}
	return sums, nil
}

// Recordings are the paths of the recordings among them, sorted.
func (s Sums) Recordings() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(s)), func(name string) bool {
		match, err := path.Match(recordingsPattern, name)
		return err != nil || !match
	})
}

// CheckReport says in what the report in the folder of a publication is not the one that the digests are of.
func (s Sums) CheckReport(folder string) error {
	return s.check(os.DirFS(folder), reports.YAMLFile)
}

// CheckRecordings says in what the recordings in the folder of a run are not those that the digests are of: changed, missing, or more.
func (s Sums) CheckRecordings(run fs.FS) error {
	there, err := fs.Glob(run, recordingsPattern)
	if err != nil {
		return err
	}
	var wrong []error
	for _, name := range s.Recordings() {
		wrong = append(wrong, s.check(run, name))
	}
	for _, name := range there {
		if s[name] == "" {
			wrong = append(wrong, fmt.Errorf("%s was not there when the report was published", name))
		}
	}
	return errors.Join(wrong...)
}

func (s Sums) check(in fs.FS, name string) error {
	is, err := digest(in, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s is missing", name)
	case err != nil:
		return err
	case is != s[name]:
		return fmt.Errorf("%s was changed since it was published: its digest is %s, and was %s", name, is, s[name])
	}
	return nil
}
