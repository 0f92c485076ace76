// Package trial is what the commands share that try another reference on the suite: one that is broken on purpose, or has fewer permissions. They run the suite
// as anybody would, by the rollcall command.
package trial

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/rollcall-conformance/rollcall/reports"
)

// ProjectRoot is the checkout in which the command was started.
func ProjectRoot(ctx context.Context) (string, error) {
	output, err := exec.CommandContext(ctx, "git", "rev-parse", "--show-toplevel").Output()
	if err != nil {
		return "", fmt.Errorf("find the project's root: run this in a checkout: %w", err)
	}
	return strings.TrimSpace(string(output)), nil
}

// Bench is where trials are made.
type Bench struct {
	// Root is the checkout, Rollcall the rollcall command built from it; empty after Open.
	Root, Rollcall string

	tools string
}

// Open makes a bench for the checkout at root, with nothing built. Close removes it again.
func Open(root string) (*Bench, error) {
	tools, err := os.MkdirTemp("", "rollcall-trial-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for what is tried: %w", err)
	}
	return &Bench{Root: root, tools: tools}, nil
}

// Prepare opens a bench and builds the rollcall command.
func Prepare(ctx context.Context, root string) (*Bench, error) {
	bench, err := Open(root)
	if err != nil {
		return nil, err
	}
	if bench.Rollcall, err = bench.Build(ctx, "rollcall", "."); err != nil {
		bench.Close()
		return nil, err
	}
	return bench, nil
}

// Build builds a main package of the checkout under that name and returns the path. Close removes that too.
func (b *Bench) Build(ctx context.Context, name, mainPackage string) (string, error) {
	path := filepath.Join(b.tools, name)
	build := exec.CommandContext(ctx, "go", "build", "-buildvcs=auto", "-o", path, mainPackage)
	build.Dir = b.Root
	if output, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build %s: %w\n%s", name, err, output)
	}
	return path, nil
}

// Close removes what was built; what cannot be removed stays among the temporary files.
func (b *Bench) Close() { _ = os.RemoveAll(b.tools) }

// Run is one run of the suite.
type Run struct {
	// Rollcall is the rollcall command, Dir the folder in which it runs: the implementation is built from the module there.
	Rollcall, Dir string
	// Artifacts is the folder for the run's report, recordings and logs.
	Artifacts string
	// Args are further arguments of rollcall run.
	Args []string
	// Env is added to the environment, as "KEY=value".
	Env []string
}

// Report has the suite run and returns its report, whatever that says; a run that leaves none is an error with the end of what it printed.
func (r Run) Report(ctx context.Context) (*reports.ConformanceReport, error) {
	// The implementation file may be in it already.
	if err := errors.Join(os.MkdirAll(r.Artifacts, 0o755), reports.Mark(r.Artifacts)); err != nil {
		return nil, err
	}
	var output bytes.Buffer
	command := exec.CommandContext(ctx, r.Rollcall, append([]string{"run", "-artifacts", r.Artifacts}, r.Args...)...)
	command.Dir, command.Env = r.Dir, append(os.Environ(), r.Env...)
	command.Stdout, command.Stderr = &output, &output
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	// A conformant run is no error, and neither is one that is not: the report tells.
	ended := command.Run()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	file, err := os.Open(filepath.Join(r.Artifacts, reports.YAMLFile))
	if err != nil {
		return nil, fmt.Errorf("rollcall run left no report (%v); its output ends:\n%s", ended, tail(output.String(), 20))
	}
	defer file.Close()
	return reports.ReadYAML(file)
}

func tail(text string, lines int) string {
	all := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}
