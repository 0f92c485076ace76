package implementation

import (
	"context"
	"errors"
	"fmt"
	"go/build"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/rollcall-conformance/rollcall/framework/gobuild"
)

func (i *Implementation) executable(ctx context.Context, options BuildOptions) (string, error) {
	p := i.Launch.Process
	if p.GoPackage != "" {
		built, err := compile(ctx, p, options, i.Name)
		if err != nil {
			return "", fmt.Errorf("building the implementation %s: %w", i.Name, err)
		}
		return built, nil
	}
	found, err := find(p, options.BinDir)
	if err != nil {
		return "", fmt.Errorf("finding the executable of the implementation %s: %w", i.Name, err)
	}
	return found, nil
}

// mainPackage says why no program can be built from a folder: it is not there, or has no Go files of package main. What else does not compile, or has
// build tags of its own, only the go command knows.
func mainPackage(folder string) error {
	info, err := os.Stat(folder)
	if err != nil {
		return fmt.Errorf("there is no such folder: %w", err)
	}
	if !info.IsDir() {
		return errors.New("it is a file: name the folder of the main package")
	}
	found, err := build.ImportDir(folder, 0)
	if errors.As(err, new(*build.NoGoError)) && len(found.IgnoredGoFiles) == 0 {
		return errors.New("no Go files are in that folder: name the folder of the main package")
	}
	if err == nil && found.Name != "main" {
		return fmt.Errorf("it is package %s, which is no program: name the folder of the main package", found.Name)
	}
	return nil
}

func find(p *ProcessSpec, binDir string) (string, error) {
	if strings.ContainsRune(p.Executable, filepath.Separator) {
		return exec.LookPath(absolute(p.folder, p.Executable))
	}
	// The cluster's own version of a control-plane program goes before whatever is installed.
	if path, err := exec.LookPath(filepath.Join(binDir, p.Executable)); err == nil {
		return path, nil
	}
	path, err := exec.LookPath(p.Executable)
	if err != nil {
		return "", fmt.Errorf("%s is neither a control-plane program in %s nor in PATH: %w", p.Executable, binDir, err)
	}
	return filepath.Abs(path)
}

func compile(ctx context.Context, p *ProcessSpec, options BuildOptions, name string) (string, error) {
	output, err := filepath.Abs(filepath.Join(options.Dir, name))
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(options.Dir, 0o755); err != nil {
		return "", err
	}
	dir := "" // an import path is resolved where the user stands
	if strings.HasPrefix(p.GoPackage, ".") {
		dir = p.folder
	}
	compiled := gobuild.Options{Package: p.GoPackage, Dir: dir, Output: output, Out: options.Out}
	if options.Static {
		compiled.Env = []string{"CGO_ENABLED=0"}
	}
	if err := gobuild.Build(ctx, compiled); err != nil {
		if dir == "" && ctx.Err() == nil {
			err = fmt.Errorf("%w\n    goPackage is an import path, which the go.mod of the working directory resolves: run this in a module that has or requires the package, "+
				"or give a path that begins with ./, which is relative to the implementation file", err)
		}
		return "", err
	}
	// A package that is not a main package builds as well, into an archive.
	return exec.LookPath(output)
}
