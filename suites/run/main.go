// Package run is the rollcall command: it brings a cluster and an implementation up, has the specs run against them, and writes the report.
package run

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
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

const usage = `rollcall finds out whether a controller that rolls out per-node daemons keeps its promises.

  rollcall run            run the suites against an implementation and write a report
  rollcall up             keep a control plane, on which runs with -on begin at once
  rollcall init           write an implementation file with comments, to start from
  rollcall check FILE...  read implementation files without running anything
  rollcall judge PATH...  judge recordings, or the folder of a run, again, without a cluster
  rollcall show FILE      draw a recording: on the terminal, as a page, or as a trace
  rollcall report FILE    write a report as a page, as Markdown, JUnit XML or annotations
  rollcall explore        play random schedules against an implementation, and make those smaller that break a promise
  rollcall diff OLD NEW   compare two reports, and say whether the second is worse
  rollcall merge SHARD... make one run of the shards of it that ran elsewhere
  rollcall publish RUN    put a run's report where others find it, in the form in which they can check it
  rollcall verify FOLDER  check a published report
  rollcall requirements   print the catalogue: requirement, level, deciding specs
  rollcall explain ID...  say everything about a requirement, such as SURGE-013
  rollcall doctor         say what this machine lacks for runs, and the fix
  rollcall build          build the control-plane binaries now rather than on first use
  rollcall images         write the images that nodes run, for clusters of your own
  rollcall version        print the version

Each takes -help. Exit codes:

  0  conformant; with -focus: all that was selected passed
  1  not conformant: a requirement failed
  2  usage or bad input; nothing was started
  3  undecided: something was inconclusive, nothing was decided, the run was interrupted, or the harness failed
  4  the implementation could not be built or started, stayed not ready, or ended by itself; no requirement failed
`

// usageError is bad input: the user can mend it.
type usageError struct{ error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// Main runs the command line and returns the exit code.
func Main(args []string) int {
	if filepath.Base(args[0]) == workerName {
		return work()
	}
	if len(args) < 2 {
		fmt.Fprint(os.Stderr, usage)
		return exitUsage
	}
	ctx, stop := signal.NotifyContext(context.Background(), endings()...)
	defer stop()
	if args[1] == "run" || args[1] == "up" {
		// Who reads the output may leave; the run goes on and writes its report.
		signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	}
	code, err := dispatch(ctx, args[1], args[2:], os.Stdout)
	switch {
	case err == nil:
		return code
	case errors.Is(err, flag.ErrHelp):
		return exitConformant
	}
	fmt.Fprintf(os.Stderr, "rollcall %s: %v\n", args[1], err)
	if errors.As(err, new(usageError)) {
		return exitUsage
	}
	return exitHarness
}

// endings are the signals that end a command in order: Ctrl-C, kill and, unless the command is to survive it (nohup), the end of its terminal.
func endings() []os.Signal {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	return signals
}

func dispatch(ctx context.Context, command string, args []string, out io.Writer) (int, error) {
	switch command {
	case "run":
		return runSuites(ctx, args, out)
	case "init":
		return writeStart(args, out)
	case "check":
		return checkFiles(args, out)
	case "up":
		return keepUp(ctx, args, out)
	case "judge":
		return judgeRecordings(args, out)
	case "explore":
		return explore(ctx, args, out)
	case "build":
		return buildBinaries(ctx, args, out)
	case "images":
		return saveImages(ctx, args, out)
	case "requirements":
		return printRequirements(args, out)
	case "diff":
		return diffReports(args, out)
	case "doctor":
		return examineMachine(ctx, args, out)
	case "publish":
		return publishReport(args, out)
	case "verify":
		return verifyPublication(ctx, args, out)
	case "merge":
		return mergeShards(args, out)
	case "report":
		return convertReport(args, out)
	case "show":
		return showRecording(args, out)
	case "explain":
		return explain(args, out)
	case "version", "-version", "--version":
		return printVersion(args, out)
	case specsCommand:
		return exitConformant, runSpecs(args)
	case "help", "-h", "-help", "--help":
		if len(args) > 0 {
			return exitUsage, usagef("`rollcall %s -help` describes a command, `rollcall help` lists them", args[0])
		}
		fmt.Fprint(out, usage)
		return exitConformant, nil
	}
	return exitUsage, usagef("there is no such command\n\n%s", usage)
}
