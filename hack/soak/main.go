// Command soak runs the suite several times, each time with another seed, so with its specs in another order, and lists every requirement whose verdict was not
// the same in all runs. Such a verdict is a race, in the implementation or in the suite, and its recordings say in which.
//
//	go run ./hack/soak                                        the whole suite against the reference, 5 times
//	go run ./hack/soak -n=20 -focus=RECOVERY                  some specs, 20 times
//	go run ./hack/soak -load=8                                beside 8 busy processes
//	go run ./hack/soak -implementation=./mine.yaml -seed=7    another implementation; the first run has seed 7, the second 8
//	go run ./hack/soak FOLDER FOLDER…                         compares runs made before, and runs nothing
//
// Exit codes, of which `go run` tells only 0 from others: 0 no verdict differed, 1 one did, 2 bad input, 3 a run could not be made, or was cut short.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/rollcall-conformance/rollcall/framework/cluster/embedded"
	"github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/hack/internal/sidebyside"
	"github.com/rollcall-conformance/rollcall/hack/internal/trial"
)

// settings are the flags of this command alone.
type settings struct {
	// n is how many runs are made.
	n int
	// seed of the first run; each further one has the next.
	seed int64
	// load is how many busy processes run beside the suite.
	load int
	// provider is that of rollcall run.
	provider string
	sidebyside.Settings
}

func main() {
	var s settings
	register := func(flags *flag.FlagSet) {
		flags.IntVar(&s.n, "n", 5, "how many runs are made")
		flags.Int64Var(&s.seed, "seed", 1, "seed of the first run; each further one has the next")
		flags.IntVar(&s.load, "load", 0, "how many busy processes run beside the suite")
		flags.StringVar(&s.Focus, "focus", "", "the specs to run, as of rollcall run (default: all)")
		flags.StringVar(&s.Implementation, "implementation", "reference", "implementation file, or the name of a shipped one")
		flags.StringVar(&s.provider, "provider", embedded.ProviderName, "what provides the cluster, as of rollcall run")
	}
	run := func(ctx context.Context, o trial.Options) (int, error) { return soak(ctx, o, s) }
	trial.Main("soak", trial.Options{Artifacts: filepath.Join("_artifacts", "soak"), Patience: scenario.DefaultPatience, Jobs: 1}, run, register)
}

func soak(ctx context.Context, o trial.Options, s settings) (int, error) {
	if len(o.Names) > 0 {
		return compareFolders(o.Names)
	}
	if s.n < 2 || s.load < 0 || s.seed < 1 {
		return trial.ExitUsage, fmt.Errorf("-n %d, -load %d, -seed %d: it takes at least 2 runs, a load of 0 or more, and a seed above 0", s.n, s.load, s.seed)
	}
	stop, err := trial.Busy(ctx, s.load)
	if err != nil {
		return trial.ExitNotTried, err
	}
	defer stop()
	runs, code, failure := sidebyside.Make(ctx, o, s.Settings, s.planned())
	if len(runs) == 0 {
		return code, failure
	}
	return conclude(o, runs, failure)
}

func (s settings) planned() []sidebyside.Planned {
	var all []sidebyside.Planned
	for i := range s.n {
		seed := strconv.FormatInt(s.seed+int64(i), 10)
		all = append(all, sidebyside.Planned{Name: "seed " + seed, Folder: "run-" + strconv.Itoa(i+1), Args: []string{"-provider", s.provider, "-seed", seed}})
	}
	return all
}

// conclude compares the runs that were made. Where nothing differed only their reports are kept.
func conclude(o trial.Options, runs []sidebyside.Run, failure error) (int, error) {
	differing := compare(runs)
	if err := writeTable(os.Stdout, runs, differing); err != nil {
		return trial.ExitNotTried, err
	}
	if len(differing) == 0 && failure == nil && !o.Keep {
		for _, run := range runs {
			for _, folder := range []string{"recordings", "logs"} {
				if err := os.RemoveAll(filepath.Join(run.Folder, folder)); err != nil {
					return trial.ExitNotTried, fmt.Errorf("remove artifacts: %w", err)
				}
			}
		}
	}
	return exitCode(differing, failure), failure
}

// exitCode: what was seen to differ counts more than what could not be tried.
func exitCode(differing []sidebyside.Row, failure error) int {
	switch {
	case len(differing) > 0:
		return trial.ExitNotProven
	case failure != nil:
		return trial.ExitNotTried
	}
	return trial.ExitProven
}

func compareFolders(folders []string) (int, error) {
	if len(folders) < 2 {
		return trial.ExitUsage, errors.New("name the folders of two runs, or more: flags come before them")
	}
	runs, err := sidebyside.ReadAll(folders)
	if err != nil {
		return trial.ExitUsage, err
	}
	differing := compare(runs)
	return exitCode(differing, nil), writeTable(os.Stdout, runs, differing)
}
