package sidebyside

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/implementation"
	"github.com/rollcall-conformance/rollcall/hack/internal/trial"
	"github.com/rollcall-conformance/rollcall/reports"
)

// Planned is a run of the suite that is to be made.
type Planned struct {
	// Name says which it is in messages.
	Name string
	// Folder for its artifacts, below those of the command. What an earlier run left there is removed.
	Folder string
	// Args are its own arguments of rollcall run.
	Args []string
}

// Settings are those of rollcall run that all runs share.
type Settings struct {
	// Implementation is a file, or the name of a shipped one; Focus are the specs to run, empty for all.
	Implementation, Focus string
}

// Make builds the rollcall command, checks what is planned, makes the runs, as many at once as Options.Jobs, and prints the result of each to standard error. It
// returns those that are Whole and, as an error, why the others are not. With bad input none is made, and the code is trial.ExitUsage; on other errors it is
// trial.ExitNotTried.
func Make(ctx context.Context, o trial.Options, s Settings, planned []Planned) (made []Run, code int, err error) {
	if s.Implementation, err = implementation.Locate(s.Implementation); err != nil {
		return nil, trial.ExitUsage, err
	}
	root, err := trial.ProjectRoot(ctx)
	if err != nil {
		return nil, trial.ExitNotTried, err
	}
	bench, err := trial.Prepare(ctx, root)
	if err != nil {
		return nil, trial.ExitNotTried, err
	}
	defer bench.Close()
	runs := make([]trial.Run, len(planned))
	for i, one := range planned {
		runs[i] = trial.Run{Rollcall: bench.Rollcall, Dir: bench.Root, Artifacts: filepath.Join(o.Artifacts, one.Folder), Args: s.arguments(o, one)}
	}
	for i, run := range runs {
		if code, err := check(ctx, run); err != nil {
			return nil, code, fmt.Errorf("%s: %w", planned[i].Name, err)
		}
	}
	if made, err = makeAll(ctx, o.Jobs, planned, runs); err != nil {
		return made, trial.ExitNotTried, err
	}
	return made, trial.ExitProven, nil
}

// arguments of rollcall run. A run goes on however much fails, or is undecided: that is what is to be compared.
func (s Settings) arguments(o trial.Options, one Planned) []string {
	args := append([]string{"-implementation", s.Implementation, "-keep-going", "-patience", o.Patience.String()}, one.Args...)
	if s.Focus != "" {
		args = append(args, "-focus", s.Focus)
	}
	return args
}

// check has rollcall read all input of the run, and start nothing.
func check(ctx context.Context, run trial.Run) (int, error) {
	command := exec.CommandContext(ctx, run.Rollcall, append([]string{"run", "-dry-run", "-artifacts", run.Artifacts}, run.Args...)...)
	command.Dir = run.Dir
	var said strings.Builder
	command.Stderr = &said
	err := command.Run()
	if err == nil {
		return trial.ExitProven, nil
	}
	var ended *exec.ExitError
	if errors.As(err, &ended) && ended.ExitCode() == trial.ExitUsage {
		return trial.ExitUsage, errors.New(strings.TrimPrefix(strings.TrimSpace(said.String()), "rollcall: "))
	}
	return trial.ExitNotTried, fmt.Errorf("rollcall run -dry-run: %w: %s", err, strings.TrimSpace(said.String()))
}

func makeAll(ctx context.Context, jobs int, planned []Planned, runs []trial.Run) ([]Run, error) {
	results, failures := make([]Run, len(runs)), make([]error, len(runs))
	trial.All(len(runs), jobs, func(i int) {
		began := time.Now()
		if results[i], failures[i] = makeOne(ctx, runs[i]); failures[i] != nil {
			failures[i] = fmt.Errorf("%s: %w", planned[i].Name, failures[i])
			fmt.Fprintf(os.Stderr, "%v\n", failures[i])
			return
		}
		fmt.Fprintf(os.Stderr, "%s: %s, %.0f s\n", planned[i].Name, Totals(results[i].Report.Statistics), time.Since(began).Seconds())
	})
	var made []Run
	for _, run := range results {
		if run.Report != nil {
			made = append(made, run)
		}
	}
	return made, errors.Join(failures...)
}

func makeOne(ctx context.Context, run trial.Run) (Run, error) {
	if err := ctx.Err(); err != nil {
		return Run{}, err
	}
	if err := os.RemoveAll(run.Artifacts); err != nil {
		return Run{}, fmt.Errorf("remove the artifacts of an earlier run: %w", err)
	}
	report, err := run.Report(ctx)
	if err == nil {
		err = Whole(report)
	}
	if err != nil {
		return Run{}, err
	}
	return Run{Folder: run.Artifacts, Report: report}, nil
}

// Totals says how many requirements passed, failed and were inconclusive.
func Totals(s reports.Statistics) string {
	return fmt.Sprintf("%d passed, %d failed, %d inconclusive", s.Passed, s.Failed, s.Inconclusive)
}
