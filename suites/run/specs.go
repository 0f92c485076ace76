package run

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/ginkgo/command"
	ginkgorun "github.com/onsi/ginkgo/v2/ginkgo/run"
	"github.com/onsi/ginkgo/v2/types"

	"github.com/rollcall-conformance/rollcall/framework/process"
	"github.com/rollcall-conformance/rollcall/suites"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// Specs run in processes of their own, which Ginkgo's runner hands specs to. The runner starts them from a file whose name ends in .test;
// a link of that name to this very program makes it both.
//
//	rollcall run ── rollcall specs (Ginkgo's runner) ─┬─ rollcall.test (specs)
//	                                                  └─ rollcall.test (specs) …
const (
	workerName     = "rollcall.test"
	specsCommand   = "specs"
	parentVariable = "ROLLCALL_PARENT"
)

// suiteName is Ginkgo's name of the suite.
const suiteName = "rollcall"

// specsLog is where Ginkgo's own account of the run goes, which speaks of assertions, goroutines and its own verdicts.
const specsLog = "specs.log"

// startSpecs runs the selected specs and returns when they are done; a context that ends interrupts them, and they still clean up and report.
// The result is in Ginkgo's JSON report, whatever the runner's exit status.
func (r *suiteRun) startSpecs(ctx context.Context, session string) error {
	out, err := os.Create(filepath.Join(r.artifacts.logs, specsLog))
	if err != nil {
		return fmt.Errorf("open the specs' log: %w", err)
	}
	defer out.Close()
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	worker := filepath.Join(r.artifacts.work, workerName)
	if err := os.Symlink(self, worker); err != nil {
		return fmt.Errorf("link the spec runner: %w", err)
	}
	runner := exec.Command(self, append(r.specsArgs(), worker)...)
	runner.Stdout, runner.Stderr = out, out
	runner.Env = append(os.Environ(), spec.SessionVariable+"="+session, parentVariable+"="+strconv.Itoa(os.Getpid()))
	// A group of its own: Ctrl-C reaches this process alone, which passes it on once.
	runner.SysProcAttr = ownGroup()
	if err := runner.Start(); err != nil {
		return fmt.Errorf("start the specs: %w", err)
	}
	finished := make(chan error, 1)
	go func() { finished <- runner.Wait() }()
	select {
	case err = <-finished:
	case <-ctx.Done():
		r.say("the specs are being ended; recordings stay, and the report follows")
		if err := interruptGroup(runner.Process.Pid); err != nil {
			return fmt.Errorf("interrupt the specs: %w", err)
		}
		err = <-finished
	}
	// Failed specs make an exit status; the report says which.
	if err != nil && !errors.As(err, new(*exec.ExitError)) {
		return fmt.Errorf("run the specs: %w", err)
	}
	return nil
}

// noSuiteTimeout is longer than any run. Ginkgo ends a suite after an hour unless it is told otherwise, and takes 0 for that; every spec has a limit of its own.
const noSuiteTimeout = 30 * 24 * time.Hour

// specsArgs are the arguments of Ginkgo's runner, but for the program that has the specs.
func (r *suiteRun) specsArgs() []string {
	args := []string{specsCommand,
		"--procs=" + strconv.Itoa(r.options.procs),
		"--seed=" + strconv.FormatInt(r.options.seed, 10),
		"--timeout=" + noSuiteTimeout.String(),
		"--randomize-all",
		"--keep-going",
		"--silence-skips",
		"--json-report=" + filepath.Base(r.artifacts.ginkgo),
		"--output-dir=" + filepath.Dir(r.artifacts.ginkgo),
		"--no-color",
	}
	return append(args, r.selection.flags()...)
}

// specsLogTail is the end of the specs' log, for an error.
func (r *suiteRun) specsLogTail() string {
	path := filepath.Join(r.artifacts.logs, specsLog)
	text, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	const shown = 20
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return fmt.Sprintf("; %s ends:\n%s", path, strings.Join(lines[max(0, len(lines)-shown):], "\n"))
}

// dieWithParent makes this process die with the one that started it.
func dieWithParent() error {
	parent, err := strconv.Atoi(os.Getenv(parentVariable))
	if err != nil {
		return fmt.Errorf("%s: %w: `rollcall %s` is run by `rollcall run`", parentVariable, err, specsCommand)
	}
	if err := process.DieWithParent(parent); err != nil {
		return err
	}
	return os.Setenv(parentVariable, strconv.Itoa(os.Getpid()))
}

// runSpecs is Ginkgo's runner. It does not return.
func runSpecs(args []string) error {
	if err := dieWithParent(); err != nil {
		return err
	}
	program := command.Program{Name: "specs", Commands: []command.Command{}, DefaultCommand: ginkgorun.BuildRunCommand()}
	program.RunAndExit(append([]string{"ginkgo"}, args...))
	return nil
}

// work runs specs as Ginkgo's runner says.
func work() int {
	if err := dieWithParent(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return exitHarness
	}
	testing.Init()
	flag.Parse()
	suites.Register()
	if !ginkgo.RunSpecs(failed{}, suiteName) {
		return exitNotConformant
	}
	return exitConformant
}

// failed is Ginkgo's way to fail a Go test; there is none here, and RunSpecs' result says the same.
type failed struct{}

func (failed) Fail() {}

// specTree lists all specs without running them. Ginkgo has one tree in a process, which is built once.
var specTree = sync.OnceValue(func() []types.SpecReport {
	suites.Register()
	return ginkgo.PreviewSpecs(suiteName).SpecReports
})
