package process

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// tailWindow is how far back from its end a log is read: enough for the lines of an error, whatever the size of the log.
const tailWindow = 64 << 10

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

// tail returns up to n of the last lines of a file, none of them from before the offset start. A file that cannot be read has no lines:
// a tail decorates an error, it must not replace it.
func tail(path string, start int64, n int) []string {
	file, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return nil
	}
	from := max(start, info.Size()-tailWindow)
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
