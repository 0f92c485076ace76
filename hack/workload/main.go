// Command workload proves that rollcall tests an API of somebody's own as it tests DaemonSets: the reference's controller of Daemons (impl/toy) must pass
// every requirement that the reference passes, but for those that are about DaemonSets of apps/v1; and what breaks the reference's promises must break
// those of the Daemons' controller.
//
// It exits with 0 if that is so, 1 if it is not, 2 on bad input, and 3 if a run could not be made.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/hack/internal/trial"
	"github.com/rollcall-conformance/rollcall/reports"
)

const (
	implementation = "toy"
	goldenVerdicts = "suites/testdata/golden/verdicts.txt"
	variantProgram = "./hack/mutants/rollcall-variant"
	// variant is a broken one, and breaks what the specs that focus selects find out.
	variant = "deletes-first"
	breaks  = requirements.ID("SURGE-006")
)

func main() {
	artifacts := flag.String("artifacts", "_artifacts/workload", "`folder` for the artifacts of both runs")
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "workload: %q: it takes no arguments\n", flag.Args())
		os.Exit(trial.ExitUsage)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	problems, err := prove(ctx, *artifacts)
	stop()
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "workload:", err)
		os.Exit(trial.ExitNotTried)
	case len(problems) > 0:
		for _, problem := range problems {
			fmt.Println(problem)
		}
		os.Exit(trial.ExitNotProven)
	}
}

// prove makes both runs and returns what is not as it should be.
func prove(ctx context.Context, artifacts string) ([]string, error) {
	artifacts, err := filepath.Abs(artifacts)
	if err != nil {
		return nil, err
	}
	root, err := trial.ProjectRoot(ctx)
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(root, goldenVerdicts))
	if err != nil {
		return nil, fmt.Errorf("read what the reference passes: %w", err)
	}
	bench, err := trial.Prepare(ctx, root)
	if err != nil {
		return nil, err
	}
	defer bench.Close()
	run := func(name string, args ...string) (*reports.ConformanceReport, error) {
		args = append([]string{"-provider", "embedded", "-implementation"}, args...)
		report, err := trial.Run{Rollcall: bench.Rollcall, Dir: root, Artifacts: filepath.Join(artifacts, name), Args: args}.Report(ctx)
		if err == nil && report.Provenance.HarnessFailure != "" {
			err = fmt.Errorf("%s: the harness failed: %s", name, report.Provenance.HarnessFailure)
		}
		return report, err
	}
	whole, err := run(implementation, implementation)
	if err != nil {
		return nil, err
	}
	problems, same := compare(passed(string(text)), whole)
	fmt.Printf("%s: %d requirements of the reference's hold for %s too\n", implementation, same, whole.Implementation.Workload)
	executable, err := bench.Build(ctx, "rollcall-variant", variantProgram)
	if err != nil {
		return nil, err
	}
	file, err := writeVariant(filepath.Join(artifacts, variant), executable)
	if err != nil {
		return nil, err
	}
	broken, err := run(variant, file, "-focus", string(breaks))
	if err != nil {
		return nil, err
	}
	if got := verdictOf(broken, breaks); got != reports.Fail {
		problems = append(problems, fmt.Sprintf("%s of %s: the verdict on a controller that is broken (%s) is %q, want fail", breaks, implementation, variant, got))
	} else {
		fmt.Printf("%s: %s is found broken where %s\n", implementation, breaks, variant)
	}
	return problems, nil
}
