// Command mutants proves that the suite can fail, and that it fails nobody who keeps the promises. Each broken variant of the reference controller
// breaks a promise; the suite has to find every one out, by the name of the requirement. No lawful one may get a verdict that the reference does
// not get. A variant is a function around a part of the reference (impl/daemonset/variants); one program, built once, runs them all. What the API server
// promises, an API server with a fault breaks (wrongapi): it is the right one behind a front that answers wrongly.
//
//	go run ./hack/mutants                                all broken ones, each with the specs that decide what it breaks
//	go run ./hack/mutants deletes-first                  those named
//	go run ./hack/mutants -focus=. deletes-first         with the whole suite
//	go run ./hack/mutants -lawful                        all lawful ones, each with the whole suite
//	go run ./hack/mutants -lawful -load=40               beside 40 busy processes
//	go run ./hack/mutants -lawful -together A B          one controller that has the differences of both
//	go run ./hack/mutants -sample=6 -seed=7              as many of those for embedded, drawn by the seed
//	go run ./hack/mutants -list                          what there is
//
// Exit codes, of which `go run` tells only 0 from others: 0 all were killed, or found to be lawful, 1 one was not, 2 bad input, 3 one could not be
// tried.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/rollcall-conformance/rollcall/hack/internal/trial"
)

// settings are the flags of this command alone.
type settings struct {
	// lawful tries the lawful variants; list only lists.
	lawful, list bool
	// together tries the lawful variants that are named as one controller.
	together bool
	// sample is how many of those for embedded are drawn where none is named, 0 for all; seed is what draws them.
	sample int
	seed   uint64
	// focus selects specs as that of rollcall run does; none for those that decide what a mutant breaks, and for all if it is lawful.
	focus []string
	// load is how many busy processes run beside the suite.
	load int
	// results is the file to which a line is added for each that was tried; empty for none.
	results string
}

func main() {
	var s settings
	register := func(flags *flag.FlagSet) {
		flags.BoolVar(&s.lawful, "lawful", false, "try the lawful variants, with the whole suite")
		flags.BoolVar(&s.together, "together", false, "with -lawful and names: try one controller that has the differences of all of them")
		flags.BoolVar(&s.list, "list", false, "list the variants, and try none")
		flags.IntVar(&s.sample, "sample", 0, "how many of those that show on embedded to try, where none is named; 0 for all of them and those that take kind")
		flags.Uint64Var(&s.seed, "seed", 1, "what draws the sample")
		flags.Func("focus", "the specs to run, as of rollcall run; . for all; may be given more than once", func(value string) error {
			s.focus = append(s.focus, value)
			return nil
		})
		flags.IntVar(&s.load, "load", 0, "how many busy processes run beside the suite")
		flags.StringVar(&s.results, "results", "", "a file to which a line of JSON is added for each that was tried")
	}
	run := func(ctx context.Context, o trial.Options) (int, error) { return try(ctx, o, s) }
	// One at a time: a controller that repeats something without a pause does it a sixth as often beside a second trial on two cores, which may be within the bound.
	trial.Main("mutants", trial.Options{Artifacts: filepath.Join("_artifacts", "mutants"), Patience: 12 * time.Second, Jobs: 1}, run, register)
}

func try(ctx context.Context, o trial.Options, s settings) (int, error) {
	root, err := trial.ProjectRoot(ctx)
	if err != nil {
		return trial.ExitNotTried, err
	}
	mutants, err := selected(o.Names, s.lawful)
	if err != nil {
		return trial.ExitUsage, err
	}
	if s.together {
		if !s.lawful || len(o.Names) < 2 {
			return trial.ExitUsage, errors.New("-together takes -lawful, and the names of two variants or more")
		}
		mutants = together(mutants)
	}
	if s.sample < 0 {
		return trial.ExitUsage, fmt.Errorf("-sample %d: want how many to draw, 0 for all", s.sample)
	}
	if s.sample > 0 && len(o.Names) == 0 {
		mutants = trial.Sample(onEmbedded(mutants), s.sample, s.seed, func(m mutant) string { return m.Name })
	}
	if s.list {
		return trial.ExitProven, writeList(os.Stdout, mutants)
	}
	bench, err := trial.Prepare(ctx, root)
	if err != nil {
		return trial.ExitNotTried, err
	}
	defer bench.Close()
	r := runner{bench: bench, options: o, settings: s, specs: trial.Specs()}
	if err := r.build(ctx, mutants); err != nil {
		return trial.ExitNotTried, err
	}
	stop, err := trial.Busy(ctx, s.load)
	if err != nil {
		return trial.ExitNotTried, err
	}
	defer stop()
	results := make([]result, len(mutants))
	trial.All(len(mutants), o.Jobs, func(i int) {
		results[i] = r.try(ctx, mutants[i])
		fmt.Fprintf(os.Stderr, "mutants: %s: %s, %.0f s\n", mutants[i].Name, results[i].verdict(), results[i].took.Seconds())
		if s.results != "" && results[i].failure == nil {
			results[i].failure = trial.AppendLine(s.results, results[i].outcome())
		}
	})
	return exitCode(results), writeTable(os.Stdout, results)
}

func exitCode(results []result) int {
	return trial.ExitCode(len(results), func(i int) (tried, proven bool) { return results[i].failure == nil, results[i].proven() })
}
