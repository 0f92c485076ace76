package run

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/gofrs/flock"
)

// cacheDir is a folder of rollcall's in the user's cache.
func cacheDir(names ...string) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", usagef("find the folder for what rollcall keeps: %w (set XDG_CACHE_HOME or HOME)", err)
	}
	return filepath.Join(append([]string{cache, "rollcall"}, names...)...), nil
}

// asUsageError makes a usageError of an error that says that the cache cannot be written to; other errors it returns as they are.
func asUsageError(err error) error {
	var at *fs.PathError
	if !errors.As(err, &at) || !errors.Is(err, fs.ErrPermission) && !errors.Is(err, syscall.EROFS) && !errors.Is(err, syscall.ENOTDIR) {
		return err
	}
	cache, unknown := cacheDir()
	if unknown != nil || !strings.HasPrefix(cache, at.Path) && !strings.HasPrefix(at.Path, cache) {
		return err
	}
	return usagef("%w\n    rollcall keeps what it builds in %s: set XDG_CACHE_HOME to a folder that you can write to", err, cache)
}

// lockFile is in every folder that goes with the process that made it, and is locked as long as that runs.
const lockFile = ".lock"

// errTaken: a process that runs has a folder of that name.
var errTaken = errors.New("another process has it")

// makeWork makes a folder for what is of no use after this process. It holds keys, so nobody else may read it.
func makeWork() (dir string, remove func() error, err error) {
	return makeTemporary("work", func(root string) (string, error) { return os.MkdirTemp(root, "run-") })
}

// makeTemporary has a folder made in the cache's folder of that name, for this process, and removes those there that killed processes left. No other user may
// read it.
func makeTemporary(in string, mkdir func(root string) (string, error)) (dir string, remove func() error, err error) {
	defer func() { err = asUsageError(err) }()
	root, err := cacheDir(in)
	if err != nil {
		return "", nil, err
	}
	if err := os.MkdirAll(root, 0o700); err != nil {
		return "", nil, fmt.Errorf("make the folder for keys and other temporary files: %w", err)
	}
	// One at a time: a folder that is not locked yet must not be taken for one that was left.
	making := flock.New(filepath.Join(root, lockFile))
	if err := making.Lock(); err != nil {
		return "", nil, fmt.Errorf("lock %s: %w", root, err)
	}
	defer func() { err = errors.Join(err, making.Unlock()) }()
	if err := sweepLeft(root); err != nil {
		return "", nil, fmt.Errorf("remove what a killed process left: %w", err)
	}
	if dir, err = mkdir(root); errors.Is(err, os.ErrExist) {
		return "", nil, errTaken
	} else if err != nil {
		return "", nil, fmt.Errorf("make the folder for keys and other temporary files: %w", err)
	}
	lock := flock.New(filepath.Join(dir, lockFile))
	if err := lock.Lock(); err != nil {
		return "", nil, errors.Join(fmt.Errorf("lock %s: %w", dir, err), os.RemoveAll(dir))
	}
	return dir, func() error { return errors.Join(os.RemoveAll(dir), lock.Unlock()) }, nil
}

// sweepLeft removes the folders in root whose process has ended.
func sweepLeft(root string) error {
	entries, err := os.ReadDir(root)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if !entry.IsDir() {
			continue
		}
		dir := filepath.Join(root, entry.Name())
		lock := flock.New(filepath.Join(dir, lockFile))
		left, err := lock.TryLock()
		if err != nil {
			return err
		}
		if !left {
			continue
		}
		if err := errors.Join(os.RemoveAll(dir), lock.Unlock()); err != nil {
			return err
		}
	}
	return nil
}
