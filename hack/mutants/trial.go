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

// laboratory is what all trials share.
type laboratory struct {
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
func (l *laboratory) build(ctx context.Context, mutants []mutant) (err error) {
	if l.executable, err = l.bench.Build(ctx, "rollcall-variant", trial.VariantProgram); err != nil {
		return err
	}
	if !slices.ContainsFunc(mutants, func(m mutant) bool { return m.ofAPIServer }) {
		return nil
	}
	if l.reference, err = l.bench.Build(ctx, "rollcall-reference", referenceProgram); err != nil {
		return err
	}
	front, err := l.bench.Build(ctx, "rollcall-apiserver", apiServerProgram)
	if err != nil {
		return err
	}
	l.apiServers, err = newAPIServers(ctx, front)
	return err
}

// try runs the suite against the mutant.
func (l laboratory) try(ctx context.Context, m mutant) result {
	r := result{mutant: m, artifacts: filepath.Join(l.options.Artifacts, m.Name), verdicts: map[requirements.ID]reports.Verdict{}}
	began := time.Now()
	r.failure = l.tryIn(ctx, m, &r)
	r.took = time.Since(began)
	if r.proven() && !l.options.Keep {
		if err := os.RemoveAll(r.artifacts); err != nil {
			r.failure = fmt.Errorf("remove the artifacts: %w", err)
		}
	}
	return r
}

func (l laboratory) tryIn(ctx context.Context, m mutant, r *result) error {
	if err := os.RemoveAll(r.artifacts); err != nil {
		return fmt.Errorf("remove the artifacts of an earlier trial: %w", err)
	}
	pattern, undecided := trial.Focus(l.specs, m.breaks)
	r.undecided = undecided
	if l.settings.focus != "" {
		pattern = l.settings.focus
	}
	if m.broken() && pattern == "" {
		// No spec could find it out.
		return nil
	}
	file, env, err := l.prepare(m, r.artifacts)
	if err != nil {
		return err
	}
	run := trial.Run{Rollcall: l.bench.Rollcall, Dir: l.bench.Root, Artifacts: r.artifacts, Args: l.arguments(m, file, pattern), Env: env}
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
	r.read(report)
	return nil
}

// prepare writes what a run against the mutant takes into the folder, and returns its implementation file and what is added to its environment.
func (l laboratory) prepare(m mutant, folder string) (file string, env []string, err error) {
	if !m.ofAPIServer {
		file, err = trial.WriteVariant(folder, m.Name, m.variant(), l.executable)
		return file, nil, err
	}
	if file, err = writeReference(folder, l.reference); err != nil {
		return "", nil, err
	}
	variable, err := l.apiServers.environment(filepath.Join(folder, "cache"), m.Name)
	return file, []string{variable}, err
}

// arguments of rollcall run.
func (l laboratory) arguments(m mutant, file, focus string) []string {
	args := []string{"-provider", m.provider, "-implementation", file}
	if focus != "" && focus != "." {
		args = append(args, "-focus", focus)
	}
	if m.broken() && m.provider == embedded.ProviderName {
		// A broken one is waited for in vain. Real nodes take the time that they take.
		args = append(args, "-patience", l.options.Patience.String())
	}
	return args
}
