package implementation

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/rollcall-conformance/rollcall/framework/process"
)

// compilerLines is how much of what the compiler said an error shows.
const compilerLines = 20

func (i *Implementation) executable(ctx context.Context, buildDir, binDir string) (string, error) {
	p := i.Launch.Process
	if p.GoPackage != "" {
		built, err := build(ctx, p, buildDir, i.Name)
		if err != nil {
			return "", fmt.Errorf("building the implementation %s: %w", i.Name, err)
		}
		return built, nil
	}
	found, err := find(p, binDir)
	if err != nil {
		return "", fmt.Errorf("finding the executable of the implementation %s: %w", i.Name, err)
	}
	return found, nil
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

func build(ctx context.Context, p *ProcessSpec, buildDir, name string) (string, error) {
	output, err := filepath.Abs(filepath.Join(buildDir, name))
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(buildDir, 0o755); err != nil {
		return "", err
	}
	dir := "" // an import path is resolved where the user stands
	if strings.HasPrefix(p.GoPackage, ".") {
		dir = p.folder
	}
	compiler, err := process.Start(ctx, process.Options{
		Name: "go build", Path: "go", Dir: dir, LogPath: output + ".build.log",
		Args: []string{"build", "-o", output, p.GoPackage},
	})
	if err != nil {
		return "", err
	}
	select {
	case <-compiler.Exited():
	case <-ctx.Done():
		return "", errors.Join(context.Cause(ctx), compiler.Kill())
	}
	if status := compiler.ExitStatus(); status != "exit status 0" {
		return "", fmt.Errorf("go build %s: %s:\n    %s", p.GoPackage, status, strings.Join(compiler.LogTail(compilerLines), "\n    "))
	}
	// A package that is not a main package builds as well, into an archive.
	return exec.LookPath(output)
}
