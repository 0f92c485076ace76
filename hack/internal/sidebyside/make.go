package sidebyside

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/rollcall-conformance/rollcall/hack/internal/trial"
	"github.com/rollcall-conformance/rollcall/reports"
)

// Make makes n runs of the suite, as many at once as jobs, and prints the result of each to standard error. name names a run in that, and run says how to make
// it; what an earlier run left in its artifacts folder is removed. It returns the runs that are Whole and, as an error, why the others are not.
func Make(ctx context.Context, n, jobs int, name func(i int) string, run func(i int) trial.Run) ([]Run, error) {
	runs, failures := make([]Run, n), make([]error, n)
	trial.All(n, jobs, func(i int) {
		began := time.Now()
		if runs[i], failures[i] = makeOne(ctx, run(i)); failures[i] != nil {
			failures[i] = fmt.Errorf("%s: %w", name(i), failures[i])
			fmt.Fprintf(os.Stderr, "%v\n", failures[i])
			return
		}
		fmt.Fprintf(os.Stderr, "%s: %s, %.0f s\n", name(i), Totals(runs[i].Report.Statistics), time.Since(began).Seconds())
	})
	var made []Run
	for _, run := range runs {
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
