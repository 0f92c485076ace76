package trial

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"
)

// Exit codes of the commands.
const (
	// ExitProven: every trial showed what it was to show.
	ExitProven = 0
	// ExitNotProven: one did not.
	ExitNotProven = 1
	// ExitUsage: bad input.
	ExitUsage = 2
	// ExitNotTried: one could not be tried.
	ExitNotTried = 3
)

// Options are what the commands are told.
type Options struct {
	// Artifacts is the folder for the artifacts of trials; those that showed what they were to show are removed unless Keep is set.
	Artifacts string
	Keep      bool
	// Patience is how long a spec waits for what the reference that is tried should do.
	Patience time.Duration
	// Jobs is how many trials are made at once. Default: 2.
	Jobs int
	// Names select trials; none selects all.
	Names []string
}

// Main parses the command line over the defaults, has the command run until it ends or is interrupted, and exits. The command may have flags of its own.
func Main(command string, defaults Options, run func(ctx context.Context, o Options) (int, error), own ...func(*flag.FlagSet)) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code, err := parseAndRun(ctx, command, os.Args[1:], defaults, run, own...)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintf(os.Stderr, "%s: %v\n", command, err)
	}
	os.Exit(code)
}

func parseAndRun(
	ctx context.Context, command string, args []string, o Options, run func(context.Context, Options) (int, error), own ...func(*flag.FlagSet),
) (int, error) {
	flags := flag.NewFlagSet(command, flag.ContinueOnError)
	for _, register := range own {
		register(flags)
	}
	flags.StringVar(&o.Artifacts, "artifacts", o.Artifacts, "folder for the artifacts of trials")
	flags.DurationVar(&o.Patience, "patience", o.Patience, "how long a spec waits for what the reference should do")
	flags.IntVar(&o.Jobs, "jobs", cmp.Or(o.Jobs, 2), "how many trials are made at once")
	flags.BoolVar(&o.Keep, "keep", false, "keep also the artifacts of trials that showed what they were to show")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return ExitProven, err
	} else if err != nil {
		return ExitUsage, err
	}
	if o.Jobs < 1 || o.Patience <= 0 {
		return ExitUsage, fmt.Errorf("-jobs %d, -patience %s: both have to be above zero", o.Jobs, o.Patience)
	}
	o.Names = flags.Args()
	artifacts, err := filepath.Abs(o.Artifacts)
	if err != nil {
		return ExitUsage, fmt.Errorf("-artifacts: %w", err)
	}
	o.Artifacts = artifacts
	return run(ctx, o)
}

// All makes n trials, some at a time, and returns when all have ended.
func All(n, jobs int, try func(i int)) {
	var trials errgroup.Group
	trials.SetLimit(jobs)
	for i := range n {
		trials.Go(func() error {
			try(i)
			return nil
		})
	}
	// None returns an error: the trials keep theirs.
	_ = trials.Wait()
}

// ExitCode is that of a command after n trials: a trial that did not show what it was to show counts more than one that could not be made.
func ExitCode(n int, outcome func(i int) (tried, proven bool)) int {
	code := ExitProven
	for i := range n {
		switch tried, proven := outcome(i); {
		case !tried && code == ExitProven:
			code = ExitNotTried
		case tried && !proven:
			code = ExitNotProven
		}
	}
	return code
}
