package controlplane

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

const (
	// lockInterval is how often a waiting process looks whether the one that builds is done.
	lockInterval = 200 * time.Millisecond
	// scratchPattern names the folders in which builds happen, next to their results, so that a rename can publish these.
	scratchPattern = ".building-"
)

// shelf is the folder of the cache for one version of one module.
type shelf struct {
	dir    string
	module toolModule
	out    io.Writer
}

func shelfOf(cache string, module toolModule, out io.Writer) shelf {
	return shelf{dir: filepath.Join(cache, module.name, module.version, platform()), module: module, out: out}
}

func (s shelf) path(p program) string { return filepath.Join(s.dir, p.name) }

func (s shelf) say(p program, format string, args ...any) {
	_, _ = fmt.Fprintf(s.out, "%s %s: %s\n", p.name, s.module.version, fmt.Sprintf(format, args...))
}

// fill sees to it that the programs are on the shelf, whole.
func (s shelf) fill(ctx context.Context, programs []program) error {
	// What is as it was left needs no lock.
	var doubtful []program
	for _, p := range programs {
		if !readRecord(s.path(p)).untouched(s.path(p), s.module) {
			doubtful = append(doubtful, p)
		}
	}
	if len(doubtful) == 0 {
		return nil
	}
	if err := s.confirm(ctx); err != nil {
		return err
	}
	if err := os.MkdirAll(s.dir, 0o755); err != nil {
		return fmt.Errorf("creating the cache for %s: %w", s.module.name, err)
	}
	unlock, err := s.lock(ctx, doubtful[0])
	if err != nil {
		return err
	}
	defer unlock()
	for _, p := range doubtful {
		why := s.examine(p)
		if why == "" {
			continue
		}
		if err := s.build(ctx, p, why); err != nil {
			return err
		}
	}
	return nil
}

// confirm fetches the source of a version that nobody has vouched for, before anything is created for it: a mistyped version leaves no trace.
func (s shelf) confirm(ctx context.Context) error {
	if _, err := os.Stat(s.dir); err == nil || s.module.dir != "" {
		return nil
	}
	golang, err := findGo(ctx)
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintf(s.out, "%s %s: fetching its source\n", s.module.name, s.module.version)
	_, err = golang.download(ctx, mainModule(s.module.name), s.module.version)
	return err
}

func (s shelf) lock(ctx context.Context, first program) (unlock func(), err error) {
	file := flock.New(filepath.Join(s.dir, ".lock"))
	locked, err := file.TryLock()
	if err == nil && !locked {
		s.say(first, "another process is building programs of this version, waiting for it")
		_, err = file.TryLockContext(ctx, lockInterval)
	}
	if err != nil {
		return nil, fmt.Errorf("waiting for the lock on %s: %w", s.dir, errors.Join(err, file.Close()))
	}
	// The lock ends with the process at the latest.
	return func() { _ = file.Close() }, nil
}

// examine says why a program must be built; nothing if it is whole after all. The caller has the lock.
func (s shelf) examine(p program) (why string) {
	path := s.path(p)
	recorded := readRecord(path)
	if recorded.untouched(path, s.module) {
		return ""
	}
	if _, err := os.Stat(path); err != nil {
		return "not built yet on this machine"
	}
	if recorded == (record{}) {
		return "there is a file, but no record of how it was built"
	}
	if !recorded.fits(s.module) {
		return "built before, but from other dependencies"
	}
	now, err := describe(path)
	if err != nil {
		return "the file cannot be read: " + err.Error()
	}
	if now.Size != recorded.Size {
		return fmt.Sprintf("the file was damaged: %d bytes instead of %d", now.Size, recorded.Size)
	}
	if now.SHA256 != recorded.SHA256 {
		return "the file was altered since it was built"
	}
	// A copy or a backup changed the time alone. Failing to note it costs the next run this much again, nothing else.
	recorded.ModTime = now.ModTime
	_ = recorded.write(path, s.dir)
	return ""
}

// build makes a program and puts it on the shelf, whole or not at all. The caller has the lock.
func (s shelf) build(ctx context.Context, p program, why string) (err error) {
	golang, err := findGo(ctx)
	if err != nil {
		return err
	}
	if err := s.sweep(); err != nil {
		return err
	}
	scratch, err := os.MkdirTemp(s.dir, scratchPattern)
	if err != nil {
		return fmt.Errorf("building %s: %w", p.name, err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()

	s.say(p, "%s: building it, once; with nothing in Go's build cache this takes about %s on 2 cores", why, inWords(p.cold))
	began := time.Now()
	dir, err := golang.moduleFolder(ctx, s.module, scratch)
	if err != nil {
		return err
	}
	fresh := filepath.Join(scratch, p.name)
	if err := golang.build(ctx, dir, p, s.module, fresh, filepath.Join(scratch, "build.log")); err != nil {
		return err
	}
	if err := p.checkVersion(ctx, fresh, s.module.version); err != nil {
		return err
	}
	built, err := describe(fresh)
	if err != nil {
		return err
	}
	built.Version, built.Recipe, built.Go = s.module.version, s.module.recipe, golang.version
	if err := publish(fresh, s.path(p)); err != nil {
		return fmt.Errorf("putting %s into the cache: %w", p.name, err)
	}
	// The record comes second: until then the program is one of unknown origin, and would be built again.
	if err := built.write(s.path(p), scratch); err != nil {
		return fmt.Errorf("recording the build of %s: %w", p.name, err)
	}
	s.say(p, "built in %s, %d MB, kept in %s", time.Since(began).Round(time.Second), built.Size/1e6, s.dir)
	return nil
}

// sweep removes what builds left that were killed. The caller has the lock, so none of it is in use.
func (s shelf) sweep() error {
	left, err := filepath.Glob(filepath.Join(s.dir, scratchPattern+"*"))
	if err != nil {
		return err
	}
	for _, dir := range left {
		if err := os.RemoveAll(dir); err != nil {
			return fmt.Errorf("removing an unfinished build: %w", err)
		}
	}
	return nil
}

// inWords leaves out seconds that are zero.
func inWords(d time.Duration) string {
	if whole, found := strings.CutSuffix(d.String(), "m0s"); found {
		return whole + "m"
	}
	return d.String()
}
