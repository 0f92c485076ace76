// Command compare asks how many broken controllers other tests find out: each broken variant of the reference meets the end-to-end tests that Kubernetes
// ships, and rollcall (hack/mutants). The table that it prints is that of docs/comparison.md.
//
//	go run ./hack/compare                              40 variants, drawn by a seed
//	go run ./hack/compare -sample=10 -seed=7
//	go run ./hack/compare deletes-first                those named
//	go run ./hack/compare -list                        what would be tried
//
// Kubernetes' tests run on an embedded control plane with simulated nodes, first against kube-controller-manager and the reference. A test counts if the
// reference passes it there each time; a variant is caught if one fails that counts. What was tried is in the folder of the artifacts, and is not tried
// again.
//
// Exit codes, of which `go run` tells only 0 from others: 0 compared, 1 the reference failed a test that kube-controller-manager passed, 2 bad input, 3
// something could not be tried.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/implementation"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/hack/internal/trial"
)

const (
	kubernetesOwn = "kube-controller-manager"
	reference     = "reference"
)

// settings are the flags of this command alone.
type settings struct {
	// sample is how many variants are drawn where none is named, seed what decides which.
	sample int
	seed   uint64
	// list only lists the variants.
	list bool
	// rounds is how often Kubernetes' tests run against kube-controller-manager, and against the reference.
	rounds int
	// timeout bounds each run of Kubernetes' tests.
	timeout time.Duration
}

func main() {
	var s settings
	register := func(flags *flag.FlagSet) {
		flags.IntVar(&s.sample, "sample", 40, "how many variants are drawn where none is named")
		flags.Uint64Var(&s.seed, "seed", 1, "decides which are drawn")
		flags.BoolVar(&s.list, "list", false, "list the variants, and try none")
		flags.IntVar(&s.rounds, "rounds", 2, "how often kube-controller-manager and the reference are tried")
		flags.DurationVar(&s.timeout, "timeout", 15*time.Minute, "how long a run of Kubernetes' tests may take")
	}
	run := func(ctx context.Context, o trial.Options) (int, error) { return compare(ctx, o, s) }
	trial.Main("compare", trial.Options{Artifacts: filepath.Join("_artifacts", "compare"), Patience: 12 * time.Second}, run, register)
}

func compare(ctx context.Context, o trial.Options, s settings) (int, error) {
	if s.sample < 1 || s.rounds < 1 || s.timeout <= 0 {
		return trial.ExitUsage, fmt.Errorf("-sample %d, -rounds %d, -timeout %s: all have to be above zero", s.sample, s.rounds, s.timeout)
	}
	catalogue, err := requirements.Load()
	if err != nil {
		return trial.ExitNotTried, err
	}
	baseline, err := implementation.Load(kubernetesOwn, catalogue)
	if err != nil {
		return trial.ExitNotTried, err
	}
	all := candidates(catalogue, baseline)
	chosen, err := choose(all, o.Names, s.sample, s.seed)
	if err != nil {
		return trial.ExitUsage, err
	}
	if s.list {
		return trial.ExitProven, writeList(os.Stdout, chosen)
	}
	root, err := trial.ProjectRoot(ctx)
	if err != nil {
		return trial.ExitNotTried, err
	}
	r := &runner{options: o, settings: s, catalogue: catalogue}
	if r.bench, err = trial.Open(root); err != nil {
		return trial.ExitNotTried, err
	}
	defer r.bench.Close()
	// Whatever could not be tried, the table shows the rest.
	failure := errors.Join(r.tryKubernetes(ctx, chosen), r.tryRollcall(ctx, chosen))
	if ctx.Err() != nil {
		return trial.ExitNotTried, context.Cause(ctx)
	}
	results, err := r.results(chosen)
	if err != nil {
		return trial.ExitNotTried, errors.Join(failure, err)
	}
	if err := writeTable(os.Stdout, results, len(all)); err != nil || failure != nil {
		return trial.ExitNotTried, errors.Join(failure, err)
	}
	if results.referenceFails() {
		return trial.ExitNotProven, nil
	}
	return trial.ExitProven, nil
}
