// Command mutation asks which defects of the reference's planner no rule would see. It makes small changes in the planner's code, one at a time: another
// comparison, a condition that is always true, a statement left out, zero returned. Each mutant is run in the simulation (impl/simulation) and judged by the standing
// rules over what happened; the planner's own tests do not count. A mutant that survives shows a rule that is missing, or a schedule that brings the
// situation about; or it does no harm, and explained.yaml says why.
//
// All mutants are in one program, built once, which selects one at run time. That is why no mutation tool is used that builds each mutant: it would take hours.
//
//	go run ./hack/mutation                            all mutants
//	go run ./hack/mutation plan.go surge.go           those in files of these names
//	go run ./hack/mutation -sample=100 -seed=7        as many, drawn by the seed
//	go run ./hack/mutation -v                         and what killed each of the others
//	go run ./hack/mutation -progress=FILE             keeps what became of each, and goes on where an interrupted run was
//	go run ./hack/mutation -steps=5000                gives up on a mutant after fewer drawn simulations, so that more survive
//	go run ./hack/mutation -sample=60 -least=70       is content if 70 % are killed
//
// Exit codes, of which `go run` tells only 0 from others: 0 every survivor is explained, or as many killed as -least asks for, 1 not so, 2 bad input, 3 the mutants could not be tried.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"

	"golang.org/x/sync/errgroup"

	"github.com/rollcall-conformance/rollcall/hack/internal/trial"
)

// folders are those whose code is mutated: what decides.
var folders = []string{"impl/daemonset/plan", "impl/inplace"}

// options are what the command is told.
type options struct {
	jobs, sample, steps, least int
	seed                       uint64
	verbose                    bool
	progress                   string
	files                      []string
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code, err := parseAndRun(ctx, os.Args[1:])
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintf(os.Stderr, "mutation: %v\n", err)
	}
	os.Exit(code)
}

func parseAndRun(ctx context.Context, args []string) (int, error) {
	var o options
	flags := flag.NewFlagSet("mutation", flag.ContinueOnError)
	flags.IntVar(&o.jobs, "jobs", runtime.NumCPU(), "how many mutants are tried at once")
	flags.IntVar(&o.sample, "sample", 0, "how many mutants to try; 0 for all")
	flags.Uint64Var(&o.seed, "seed", 1, "what draws the sample")
	flags.IntVar(&o.steps, "steps", 40_000, "after how many steps of drawn simulations a mutant counts as survived, which those that are made to show something do not kill")
	flags.IntVar(&o.least, "least", 0, "how many percent of the mutants that are not equivalent have to be killed; 0: every survivor has to be explained")
	flags.StringVar(&o.progress, "progress", "", "file that keeps what became of each mutant; a run of the same program goes on where the one before was interrupted")
	flags.BoolVar(&o.verbose, "v", false, "say of each mutant what became of it")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return trial.ExitProven, err
	} else if err != nil {
		return trial.ExitUsage, err
	}
	if o.jobs < 1 || o.sample < 0 || o.steps < 1 || o.least < 0 || o.least > 100 {
		return trial.ExitUsage, fmt.Errorf("-jobs %d, -sample %d, -steps %d, -least %d: want at least one job, a sample that is not below 0, at least one step, and a percentage",
			o.jobs, o.sample, o.steps, o.least)
	}
	o.files = flags.Args()
	root, err := trial.ProjectRoot(ctx)
	if err != nil {
		return trial.ExitNotTried, err
	}
	return run(ctx, root, o)
}

func run(ctx context.Context, root string, o options) (int, error) {
	made, err := mutate(root, folders)
	if err != nil {
		return trial.ExitNotTried, err
	}
	why, err := explanations(explainedText, made.mutations)
	if err != nil {
		return trial.ExitUsage, err
	}
	chosen, err := choose(made.mutations, o)
	if err != nil {
		return trial.ExitUsage, err
	}
	scratch, err := os.MkdirTemp("", "rollcall-mutation-")
	if err != nil {
		return trial.ExitNotTried, fmt.Errorf("make a folder for the mutants: %w", err)
	}
	defer os.RemoveAll(scratch)
	fmt.Fprintf(os.Stderr, "mutation: %d mutants, of which %d are tried\n", len(made.mutations), len(chosen))
	r, err := build(ctx, root, scratch, made)
	if err != nil {
		return trial.ExitNotTried, err
	}
	if r.progress, err = resume(o.progress, r.program); err != nil {
		return trial.ExitNotTried, err
	}
	defer r.progress.close()
	r.steps = o.steps
	if err := r.trace(ctx, len(made.mutations)); err != nil {
		return trial.ExitNotTried, err
	}
	results, err := r.tryAll(ctx, chosen, why, o)
	if err != nil {
		return trial.ExitNotTried, err
	}
	all, err := writeTable(os.Stdout, results)
	switch {
	case err != nil:
		return trial.ExitNotTried, err
	case !all.enough(o.least):
		return trial.ExitNotProven, nil
	}
	return trial.ExitProven, nil
}

// choose returns the mutants to try, in their order.
func choose(all []mutation, o options) ([]mutation, error) {
	for _, name := range o.files {
		if !slices.ContainsFunc(all, func(m mutation) bool { return filepath.Base(m.file) == name }) {
			return nil, fmt.Errorf("no file of %q has mutants: name one of %v", name, folders)
		}
	}
	chosen := slices.DeleteFunc(slices.Clone(all), func(m mutation) bool {
		return len(o.files) > 0 && !slices.Contains(o.files, filepath.Base(m.file))
	})
	if o.sample > 0 && o.sample < len(chosen) {
		chosen = trial.Sample(chosen, o.sample, o.seed, func(m mutation) string { return m.file + " " + m.function + " " + m.change })
		slices.SortFunc(chosen, func(a, b mutation) int { return a.number - b.number })
	}
	return chosen, nil
}

// tryAll tries the mutants, several at once.
func (r *runner) tryAll(ctx context.Context, chosen []mutation, why []explained, o options) ([]result, error) {
	results := make([]result, len(chosen))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(o.jobs)
	for i, m := range chosen {
		group.Go(func() error {
			tried, err := r.try(ctx, m.number)
			if err != nil {
				return fmt.Errorf("%s: %s: %w", m.where(), m.change, err)
			}
			results[i] = result{mutation: m, trial: tried}
			if place := slices.IndexFunc(why, func(e explained) bool { return e.is(m) }); place >= 0 {
				results[i].because = &why[place]
			}
			if o.verbose {
				fmt.Fprintf(os.Stderr, "%s: %s: %s: %+v\n", m.where(), m.function, m.change, tried)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, fmt.Errorf("try the mutants: %w", err)
	}
	return results, nil
}
