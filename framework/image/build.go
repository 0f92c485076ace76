package image

import (
	"context"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/rollcall-conformance/rollcall/framework/gobuild"
)

const (
	operatingSystem = "linux"
	// lockInterval is how often a process looks whether another one that builds into the same cache is done.
	lockInterval = 200 * time.Millisecond
)

// Program says what to build and how its image presents itself.
type Program struct {
	// Dir is a folder of the module to build in.
	Dir string
	// Package is the main package's import path, or its path below Dir beginning with "./". Its last element is the name of the executable, which
	// lies in the root folder of the image and is its entrypoint.
	Package string
	// Repository is the image's name without a tag, for example rollcall.dev/workload-server.
	Repository string
	// Tags make the archive hold further images, for example v1: the same one under that tag, which is also in its label TagLabel. A runtime shows
	// one name of an image only, so another name takes another image. Default: none.
	Tags []string
	// Labels of the image. Default: none.
	Labels map[string]string
	// User is UID:GID. Default: DefaultUser.
	User string
	// Architecture is that of the nodes. Default: this machine's.
	Architecture string
	// Out receives how far the compiler is. Default: nobody.
	Out io.Writer
}

func (p Program) entrypoint() string { return "/" + path.Base(p.Package) }

func (p Program) user() string {
	if p.User == "" {
		return DefaultUser
	}
	return p.User
}

func (p Program) architecture() string {
	if p.Architecture == "" {
		return runtime.GOARCH
	}
	return p.Architecture
}

// Build compiles the program and returns its image. All files are kept in the folder cache, which any number of processes may share: what has
// not changed is neither linked nor written again. The error contains what the compiler said.
func Build(ctx context.Context, cache string, p Program) (Archive, error) {
	if p.Package == "" || p.Repository == "" {
		return Archive{}, fmt.Errorf("building an image: package %q and repository %q must both be given", p.Package, p.Repository)
	}
	archive, err := build(ctx, cache, p)
	if err != nil {
		return Archive{}, fmt.Errorf("building the image %s: %w", p.Repository, err)
	}
	return archive, nil
}

func build(ctx context.Context, cache string, p Program) (_ Archive, err error) {
	cache, err = filepath.Abs(cache)
	if err != nil {
		return Archive{}, err
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return Archive{}, err
	}
	lock := flock.New(filepath.Join(cache, ".lock"))
	if _, err := lock.TryLockContext(ctx, lockInterval); err != nil {
		return Archive{}, fmt.Errorf("waiting for the lock on %s: %w", cache, err)
	}
	defer func() { err = errors.Join(err, lock.Close()) }()

	// The go command links anew only if the file here is not what it would make.
	binary := filepath.Join(cache, strings.Join([]string{path.Base(p.Package), operatingSystem, p.architecture()}, "-"))
	if err := compile(ctx, p, binary); err != nil {
		return Archive{}, err
	}
	if err := Static(binary); err != nil {
		return Archive{}, err
	}
	made, err := assemble(p, binary)
	if err != nil {
		return Archive{}, err
	}
	return shelve(p, made, cache)
}

// compile leaves out whatever would make the binary depend on the machine, the checkout's place or its state in version control.
func compile(ctx context.Context, p Program, output string) error {
	return gobuild.Build(ctx, gobuild.Options{
		Package: p.Package, Dir: p.Dir, Output: output, Out: p.Out,
		Env:   []string{"CGO_ENABLED=0", "GOOS=" + operatingSystem, "GOARCH=" + p.architecture(), "GOWORK=off", "GOFLAGS="},
		Flags: []string{"-mod=readonly", "-buildvcs=false", "-trimpath", "-ldflags=-s -w"},
	})
}

// Static returns an error if the binary is not a Linux program, or needs a loader, which the images do not have.
func Static(binary string) error {
	file, err := elf.Open(binary)
	if err != nil {
		return fmt.Errorf("%s is no Linux program (is its package a main package?): %w", binary, err)
	}
	defer func() { _ = file.Close() }()
	for _, segment := range file.Progs {
		if segment.Type == elf.PT_INTERP {
			return fmt.Errorf("%s is linked dynamically: it cannot run in an image without a loader", binary)
		}
	}
	return nil
}
