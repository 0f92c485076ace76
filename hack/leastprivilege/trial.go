package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/rollcall-conformance/rollcall/framework/cluster/embedded"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/hack/internal/trial"
	"github.com/rollcall-conformance/rollcall/reports"
)

// runner is what all trials share.
type runner struct {
	bench   *trial.Bench
	options trial.Options
	// exercise are the requirements whose specs are run, focus selects them.
	exercise []requirements.ID
	focus    string
}

// try runs the specs against a reference that may do what the objects say.
func (r runner) try(ctx context.Context, name string, objects []*unstructured.Unstructured) outcome {
	began := time.Now()
	o := outcome{artifacts: filepath.Join(r.options.Artifacts, name)}
	o.failure = r.tryIn(ctx, objects, &o)
	o.took = time.Since(began)
	return o
}

func (r runner) tryIn(ctx context.Context, objects []*unstructured.Unstructured, o *outcome) (err error) {
	if err := os.RemoveAll(o.artifacts); err != nil {
		return fmt.Errorf("remove the artifacts of an earlier trial: %w", err)
	}
	// rollcall run leaves alone what it did not put among its artifacts.
	file, err := writeVariant(filepath.Join(o.artifacts, "variant"), objects)
	if err != nil {
		return err
	}
	run := trial.Run{
		Rollcall: r.bench.Rollcall, Dir: r.bench.Root, Artifacts: o.artifacts,
		// The plugin asks for a permission that nothing else asks for.
		Args: []string{"-provider", embedded.ProviderName, "-check-owner-references", "-implementation", file, "-focus", r.focus, "-patience", r.options.Patience.String()},
	}
	report, err := run.Report(ctx)
	if err != nil {
		return err
	}
	o.missed = missed(report, r.exercise)
	const log = "*.implementation.log"
	logs, err := filepath.Glob(filepath.Join(o.artifacts, "logs", log))
	if err != nil || len(logs) == 0 {
		return errors.Join(fmt.Errorf("the run left no log of the implementation: %s", strings.Join(o.missed, ", ")), err)
	}
	// Specs that are alone have an implementation of their own.
	own, err := filepath.Glob(filepath.Join(o.artifacts, "logs", "*", log))
	if err != nil {
		return fmt.Errorf("look for the logs of specs' own implementations: %w", err)
	}
	for _, log := range slices.Concat(logs, own) {
		text, err := os.ReadFile(log)
		if err != nil {
			return fmt.Errorf("read the implementation's log: %w", err)
		}
		o.refusals = append(o.refusals, refusals(string(text))...)
	}
	return nil
}

// missed says what of the exercise did not come out as it does with all permissions: the launch, or requirements with their verdicts.
func missed(report *reports.ConformanceReport, exercise []requirements.ID) []string {
	if failure := report.Provenance.HarnessFailure; failure != "" {
		first, _, _ := strings.Cut(failure, "\n")
		return []string{first}
	}
	verdicts := map[requirements.ID]reports.Verdict{}
	for _, requirement := range report.Requirements {
		verdicts[requirement.ID] = requirement.Verdict
	}
	var all []string
	for _, id := range exercise {
		if verdict := verdicts[id]; verdict != reports.Pass {
			all = append(all, fmt.Sprintf("%s %s", id, verdict))
		}
	}
	return all
}
