package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/onsi/ginkgo/v2/types"

	"github.com/rollcall-conformance/rollcall/framework/cluster/embedded"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/hack/internal/trial"
	"github.com/rollcall-conformance/rollcall/reports"
)

// runner is what all trials share.
type runner struct {
	bench    *trial.Bench
	options  trial.Options
	settings settings
	specs    types.SpecReports
	// executable is the program that runs variants, reference the one that runs the reference.
	executable, reference string
	// apiServers are those with faults; nil if none is to be tried.
	apiServers *apiServers
}

// build builds what the mutants take.
func (r *runner) build(ctx context.Context, mutants []mutant) (err error) {
	if r.executable, err = r.bench.Build(ctx, "rollcall-variant", trial.VariantProgram); err != nil {
		return err
	}
	if !slices.ContainsFunc(mutants, func(m mutant) bool { return m.ofAPIServer }) {
		return nil
	}
	if r.reference, err = r.bench.Build(ctx, "rollcall-reference", referenceProgram); err != nil {
		return err
	}
	front, err := r.bench.Build(ctx, "rollcall-apiserver", apiServerProgram)
	if err != nil {
		return err
	}
	r.apiServers, err = newAPIServers(ctx, front)
	return err
}

// try runs the suite against the mutant.
func (r runner) try(ctx context.Context, m mutant) result {
	got := result{mutant: m, artifacts: filepath.Join(r.options.Artifacts, m.Name), verdicts: map[requirements.ID]reports.Verdict{}}
	began := time.Now()
	got.failure = r.tryIn(ctx, m, &got)
	got.took = time.Since(began)
	if got.proven() && !r.options.Keep {
		if err := os.RemoveAll(got.artifacts); err != nil {
			got.failure = fmt.Errorf("remove the artifacts: %w", err)
		}
	}
	return got
}

func (r runner) tryIn(ctx context.Context, m mutant, got *result) error {
	if err := os.RemoveAll(got.artifacts); err != nil {
		return fmt.Errorf("remove the artifacts of an earlier trial: %w", err)
	}
	pattern, undecided := trial.Focus(r.specs, m.breaks)
	got.undecided = undecided
	focus := r.settings.focus
	if len(focus) == 0 && pattern != "" {
		focus = []string{pattern}
	}
	if m.broken() && len(focus) == 0 {
		// No spec could find it out.
		return nil
	}
	file, env, err := r.prepare(m, got.artifacts)
	if err != nil {
		return err
	}
	run := trial.Run{Rollcall: r.bench.Rollcall, Dir: r.bench.Root, Artifacts: got.artifacts, Args: r.arguments(m, file, focus), Env: env}
	report, err := run.Report(ctx)
	if err != nil {
		return err
	}
	switch {
	case report.Provenance.HarnessFailure != "":
		return fmt.Errorf("the harness failed: %s", report.Provenance.HarnessFailure)
	case report.Provenance.Interrupted:
		return errors.New("the run was interrupted")
	}
	got.read(report)
	return nil
}

// prepare writes what a run against the mutant takes into the folder, and returns its implementation file and what is added to its environment.
func (r runner) prepare(m mutant, folder string) (file string, env []string, err error) {
	if !m.ofAPIServer {
		file, err = trial.WriteVariant(folder, m.Name, m.variant(), r.executable)
		return file, nil, err
	}
	if file, err = writeReference(folder, r.reference); err != nil {
		return "", nil, err
	}
	variable, err := r.apiServers.environment(filepath.Join(folder, "cache"), m.Name)
	return file, []string{variable}, err
}

// arguments of rollcall run.
func (r runner) arguments(m mutant, file string, focus []string) []string {
	args := []string{"-provider", m.provider, "-implementation", file}
	if !slices.Contains(focus, ".") {
		for _, value := range focus {
			args = append(args, "-focus", value)
		}
	}
	if m.broken() && m.provider == embedded.ProviderName {
		// A broken one is waited for in vain. Real nodes take the time that they take.
		args = append(args, "-patience", r.options.Patience.String())
	}
	return args
}
