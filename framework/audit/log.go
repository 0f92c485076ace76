package audit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// Log is an audit log that the API server goes on writing. A position in it is a number of bytes, over all its files.
type Log interface {
	// End is the position behind what was written so far.
	End(ctx context.Context) (int64, error)
	// From reads what was written from the position on. Lines that contain none of the texts may be left out; without texts none are.
	From(ctx context.Context, position int64, texts ...string) (io.ReadCloser, error)
}

// Keeper is a cluster whose API server keeps an audit log by Policy.
type Keeper interface {
	// AuditLog is the log. It ends with the cluster.
	AuditLog() Log
}

// FileName is the name of the file that the API server writes to. Rotated files are beside it, named audit-TIME.log.
const FileName = "audit.log"

// rotatedFiles matches the names of rotated files, whose times sort as text does.
const rotatedFiles = "audit-*.log"

// Folder is the log in a folder of this machine. A log that does not exist yet is empty.
type Folder string

var _ Log = Folder("")

// End implements Log.
func (f Folder) End(context.Context) (int64, error) {
	var end int64
	paths, err := f.paths()
	if err != nil {
		return 0, err
	}
	for _, path := range paths {
		file, err := os.Stat(path)
		if err != nil {
			return 0, fmt.Errorf("find the end of the audit log: %w", err)
		}
		end += file.Size()
	}
	return end, nil
}

// From implements Log. It leaves nothing out.
func (f Folder) From(_ context.Context, position int64, _ ...string) (_ io.ReadCloser, err error) {
	paths, err := f.paths()
	if err != nil {
		return nil, err
	}
	read := &files{}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("open the audit log: %w", err), read.Close())
		}
	}()
	var readers []io.Reader
	for _, path := range paths {
		file, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		read.open = append(read.open, file)
		about, err := file.Stat()
		if err != nil {
			return nil, err
		}
		skip := min(position, about.Size())
		if _, err := file.Seek(skip, io.SeekStart); err != nil {
			return nil, err
		}
		position -= skip
		readers = append(readers, file)
	}
	read.Reader = io.MultiReader(readers...)
	return read, nil
}

// paths are those of the log's files, oldest first.
func (f Folder) paths() ([]string, error) {
	paths, err := filepath.Glob(filepath.Join(string(f), rotatedFiles))
	if err != nil {
		return nil, fmt.Errorf("find the files of the audit log: %w", err)
	}
	slices.SortFunc(paths, cmp.Compare[string])
	current := filepath.Join(string(f), FileName)
	if _, err := os.Stat(current); errors.Is(err, fs.ErrNotExist) {
		return paths, nil
	}
	return append(paths, current), nil
}

// files reads several files as one.
type files struct {
	io.Reader
	open []*os.File
}

// Close implements io.Closer.
func (f *files) Close() error {
	var failures []error
	for _, file := range f.open {
		failures = append(failures, file.Close())
	}
	return errors.Join(failures...)
}
