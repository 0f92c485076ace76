package main

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync"

	"github.com/rollcall-conformance/rollcall/hack/mutation/mutant"
)

// progress is a file of what has become of mutants so far, a line of JSON each, so that a run that was interrupted goes on where it was. Its first line is
// the digest of the program: what became of another program's mutants says nothing. A nil progress keeps nothing.
type progress struct {
	mutex sync.Mutex
	file  *os.File
	known map[int]mutant.Trial
}

// noted is a line of the file.
type noted struct {
	Number int
	Trial  mutant.Trial
}

// resume reads the file, or begins it anew for another program. An empty path keeps nothing.
func resume(path, program string) (*progress, error) {
	if path == "" {
		return nil, nil
	}
	digest, err := digestOf(program)
	if err != nil {
		return nil, err
	}
	p := &progress{known: map[int]mutant.Trial{}}
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read the progress of the run before: %w", err)
	}
	goesOn := p.read(string(text), digest)
	how := os.O_CREATE | os.O_WRONLY | os.O_APPEND
	if !goesOn {
		how |= os.O_TRUNC
	}
	if p.file, err = os.OpenFile(path, how, 0o600); err != nil {
		return nil, fmt.Errorf("keep the progress: %w", err)
	}
	if !goesOn {
		fmt.Fprintln(p.file, digest)
	}
	return p, nil
}

// read takes over what the text says, and reports whether it is of the program with the digest. A line that was cut off is left out.
func (p *progress) read(text, digest string) bool {
	lines := bufio.NewScanner(strings.NewReader(text))
	if !lines.Scan() || lines.Text() != digest {
		return false
	}
	for lines.Scan() {
		var line noted
		if json.Unmarshal(lines.Bytes(), &line) == nil {
			p.known[line.Number] = line.Trial
		}
	}
	return true
}

// of returns what became of the mutant, if that is known.
func (p *progress) of(number int) (mutant.Trial, bool) {
	if p == nil {
		return mutant.Trial{}, false
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	tried, known := p.known[number]
	return tried, known
}

// note adds a line.
func (p *progress) note(number int, tried mutant.Trial) error {
	if p == nil {
		return nil
	}
	line, err := json.Marshal(noted{number, tried})
	if err != nil {
		return fmt.Errorf("keep the progress: %w", err)
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if _, err := fmt.Fprintf(p.file, "%s\n", line); err != nil {
		return fmt.Errorf("keep the progress: %w", err)
	}
	return nil
}

func (p *progress) close() {
	if p != nil {
		_ = p.file.Close()
	}
}

func digestOf(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("read the mutated simulation: %w", err)
	}
	defer file.Close()
	digest := sha256.New()
	if _, err := io.Copy(digest, file); err != nil {
		return "", fmt.Errorf("read the mutated simulation: %w", err)
	}
	return hex.EncodeToString(digest.Sum(nil)), nil
}
