package process

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// How far back from its end a log is read, whatever its size: tailWindow is enough for the lines of an error, searchWindow for those about one of several
// things that go on at once.
const (
	tailWindow   = 64 << 10
	searchWindow = 1 << 20
)

// openLog opens the log for appending and says where the coming incarnation's output begins.
func openLog(path string) (log *os.File, start int64, err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, 0, fmt.Errorf("creating the log folder: %w", err)
	}
	log, err = os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return nil, 0, fmt.Errorf("opening the log: %w", err)
	}
	info, err := log.Stat()
	if err != nil {
		return nil, 0, errors.Join(fmt.Errorf("opening the log: %w", err), log.Close())
	}
	return log, info.Size(), nil
}

// Note appends a line of the harness to the program's log.
func (p *Process) Note(line string) error {
	log, _, err := openLog(p.options.LogPath)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(log, "rollcall: "+line)
	return errors.Join(err, log.Close())
}

// tail returns up to n of the last lines of a file, none of them from before the offset start. A file that cannot be read has no lines:
// a tail decorates an error, it must not replace it.
func tail(path string, start int64, n int) []string { return lastLines(path, start, tailWindow, n) }

// lastLines is tail with another window.
func lastLines(path string, start, window int64, n int) []string {
	file, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return nil
	}
	from := max(start, info.Size()-window)
	text, err := io.ReadAll(io.NewSectionReader(file, from, info.Size()-from))
	if err != nil || len(text) == 0 {
		return nil
	}
	lines := strings.Split(strings.TrimRight(string(text), "\n"), "\n")
	if from > start {
		lines = lines[1:] // cut in the middle, most likely
	}
	return lines[max(0, len(lines)-n):]
}

// LogEnd is the position behind what the program has printed so far, over all its restarts, for LogSince.
func (p *Process) LogEnd() int64 {
	info, err := os.Stat(p.options.LogPath)
	if err != nil {
		return 0
	}
	return info.Size()
}

// LogSince returns up to n of the last lines that the program has printed since the position: of those that contain the text, if any do.
func (p *Process) LogSince(position int64, n int, text string) []string {
	return About(lastLines(p.options.LogPath, position, searchWindow, math.MaxInt), n, text)
}

// conflict is what the API server answers to a write on an older version. Any controller meets that whose cache is behind, and most print it.
const conflict = "the object has been modified; please apply your changes to the latest version"

// About returns up to n of the last lines: of those that contain the text, if any do. Lines about conflicts are left out, unless there are no others.
func About(lines []string, n int, text string) []string {
	about := lines
	for _, keep := range []func(string) bool{
		func(line string) bool { return strings.Contains(line, text) },
		func(line string) bool { return !strings.Contains(line, conflict) },
	} {
		if kept := slices.DeleteFunc(slices.Clone(about), func(line string) bool { return !keep(line) }); len(kept) > 0 {
			about = kept
		}
	}
	return about[max(0, len(about)-n):]
}

// shownLines is how many of the last lines of a text LastLines shows.
const shownLines = 10

// LastLines are the last ten lines of what a program printed, indented, for an error.
func LastLines(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return "  " + strings.Join(lines[max(0, len(lines)-shownLines):], "\n  ")
}
