// Package run is the rollcall command: it brings a cluster and an implementation up, has the specs run against them, and writes the report.
package run

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
)

// Exit codes of the command.
const (
	exitConformant    = 0
	exitNotConformant = 1
	exitUsage         = 2
	exitHarness       = 3
)

// usageError is bad input: the user can correct it.
type usageError struct{ error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// Main runs the command line and returns the exit code.
func Main(args []string) int {
	if filepath.Base(args[0]) == workerName {
		return work()
	}
	if len(args) < 2 {
		fmt.Fprint(os.Stderr, usage())
		return exitUsage
	}
	ctx, stop := signal.NotifyContext(context.Background(), endingSignals()...)
	defer stop()
	if args[1] == "run" || args[1] == "up" {
		// Who reads the output may leave; the run goes on and writes its report.
		signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	}
	code, err := dispatch(ctx, args[1], args[2:], os.Stdout)
	if err == nil {
		return code
	}
	if err = interrupted(ctx, err); !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintf(os.Stderr, "rollcall %s: %v\n", args[1], err)
	}
	return codeOf(err)
}

// codeOf is the exit code of a command that ended with the error.
func codeOf(err error) int {
	switch {
	case errors.Is(err, flag.ErrHelp):
		return exitConformant
	case errors.As(err, new(interruption)):
		return exitHarness
	case errors.As(err, new(usageError)):
		return exitUsage
	}
	return exitHarness
}

// endingSignals are the signals that end a command in order: Ctrl-C, kill and, unless the command is to survive it (nohup), the end of its terminal.
func endingSignals() []os.Signal {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	return signals
}
