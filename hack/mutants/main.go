// Command mutants proves that the suite can fail. Each patch beside it breaks one promise of the reference controller; the suite has to find every
// one out, by the name of the requirement.
//
//	go run ./hack/mutants                      all of them
//	go run ./hack/mutants 01-deletes-first     those named
//
// A mutant is tried in a copy of the project in a temporary folder; the checkout is only read. Exit codes, of which `go run` tells only 0 from others: 0 all were killed, 1 one survived,
// 2 bad input, 3 one could not be tried.
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/hack/internal/trial"
)

// folder is where the patches are, below the project's root.
const folder = "hack/mutants"

func main() {
	trial.Main("mutants", trial.Options{Artifacts: filepath.Join("_artifacts", "mutants"), Patience: 12 * time.Second}, run)
}

func run(ctx context.Context, o trial.Options) (int, error) {
	root, err := trial.ProjectRoot(ctx)
	if err != nil {
		return trial.ExitNotTried, err
	}
	mutants, err := readMutants(filepath.Join(root, folder), o.Names)
	if err != nil {
		return trial.ExitUsage, err
	}
	catalogue, err := requirements.Load()
	if err != nil {
		return trial.ExitNotTried, err
	}
	if err := unknown(catalogue, mutants); err != nil {
		return trial.ExitUsage, err
	}
	bench, err := trial.Prepare(ctx, root)
	if err != nil {
		return trial.ExitNotTried, err
	}
	defer bench.Close()
	l := laboratory{bench: bench, options: o}
	results := make([]result, len(mutants))
	trial.All(len(mutants), o.Jobs, func(i int) {
		results[i] = l.try(ctx, mutants[i])
		fmt.Fprintf(os.Stderr, "mutants: %s: %s, %.0f s\n", mutants[i].name, results[i].verdict(), results[i].took.Seconds())
	})
	return exitCode(results), writeTable(os.Stdout, results)
}

func exitCode(results []result) int {
	return trial.ExitCode(len(results), func(i int) (tried, proven bool) { return results[i].failure == nil, results[i].killed() })
}
