// Command mutants proves that the suite can fail. Each patch beside it breaks one promise of the reference controller; the suite has to find every
// one out, by the name of the requirement.
//
//	go run ./hack/mutants                      all of them
//	go run ./hack/mutants 07-deletes-first     those named
//
// A mutant is tried in a copy of the project in a temporary folder; the checkout is only read. Exit codes: 0 all were killed, 1 one survived,
// 2 bad input, 3 one could not be tried.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/hack/internal/trial"
)

const (
	exitKilled   = 0
	exitSurvived = 1
	exitUsage    = 2
	exitNotTried = 3
)

// folder is where the patches are, below the project's root.
const folder = "hack/mutants"

type options struct {
	artifacts string
	patience  time.Duration
	jobs      int
	keep      bool
	names     []string
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code, err := run(ctx, os.Args[1:])
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "mutants:", err)
	}
	os.Exit(code)
}

func parse(args []string) (options, error) {
	var o options
	flags := flag.NewFlagSet("mutants", flag.ContinueOnError)
	flags.StringVar(&o.artifacts, "artifacts", filepath.Join("_artifacts", "mutants"), "folder for the artifacts of mutants that were not killed")
	flags.DurationVar(&o.patience, "patience", 12*time.Second, "how long a spec waits for what a mutant should do")
	flags.IntVar(&o.jobs, "jobs", 2, "how many mutants are tried at once")
	flags.BoolVar(&o.keep, "keep", false, "keep the artifacts of killed mutants too")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	o.names = flags.Args()
	if o.jobs < 1 || o.patience <= 0 {
		return o, fmt.Errorf("-jobs %d, -patience %s: both have to be above zero", o.jobs, o.patience)
	}
	return o, nil
}

func run(ctx context.Context, args []string) (int, error) {
	o, err := parse(args)
	if errors.Is(err, flag.ErrHelp) {
		return exitKilled, err
	}
	if err != nil {
		return exitUsage, err
	}
	root, err := trial.ProjectRoot(ctx)
	if err != nil {
		return exitNotTried, err
	}
	mutants, err := readMutants(filepath.Join(root, folder), o.names)
	if err != nil {
		return exitUsage, err
	}
	catalogue, err := requirements.Load()
	if err != nil {
		return exitNotTried, err
	}
	if err := unknown(catalogue, mutants); err != nil {
		return exitUsage, err
	}
	l := laboratory{root: root, patience: o.patience, keep: o.keep}
	if l.artifacts, err = filepath.Abs(o.artifacts); err != nil {
		return exitUsage, fmt.Errorf("-artifacts: %w", err)
	}
	tools, err := os.MkdirTemp("", "rollcall-mutants-")
	if err != nil {
		return exitNotTried, fmt.Errorf("make a folder for the rollcall command: %w", err)
	}
	defer os.RemoveAll(tools)
	if l.rollcall, err = trial.BuildRollcall(ctx, root, tools); err != nil {
		return exitNotTried, err
	}
	results := l.tryAll(ctx, mutants, o.jobs)
	return exitCode(results), writeTable(os.Stdout, results)
}

// tryAll tries the mutants, some at a time, and returns their results in the same order.
func (l laboratory) tryAll(ctx context.Context, mutants []mutant, jobs int) []result {
	results := make([]result, len(mutants))
	free := make(chan struct{}, jobs)
	var trials sync.WaitGroup
	for i, m := range mutants {
		free <- struct{}{}
		trials.Go(func() {
			defer func() { <-free }()
			results[i] = l.try(ctx, m)
			fmt.Fprintf(os.Stderr, "mutants: %s: %s, %.0f s\n", m.name, results[i].verdict(), results[i].took.Seconds())
		})
	}
	trials.Wait()
	return results
}

func exitCode(results []result) int {
	code := exitKilled
	for _, r := range results {
		switch {
		case r.failure != nil && code == exitKilled:
			code = exitNotTried
		case r.failure == nil && !r.killed():
			code = exitSurvived
		}
	}
	return code
}
