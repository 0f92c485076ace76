package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/rollcall-conformance/rollcall/framework/controlplane"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/hack/internal/trial"
)

// runner is what all runs share.
type runner struct {
	options   trial.Options
	settings  settings
	catalogue *requirements.Catalogue
	bench     *trial.Bench
	programs  controlplane.Binaries
}

// The files that keep what was tried, a line each.
func (r *runner) kubernetesFile() string {
	return filepath.Join(r.options.Artifacts, "kubernetes.jsonl")
}

func (r *runner) rollcallFile() string {
	return filepath.Join(r.options.Artifacts, "rollcall.jsonl")
}

// tryKubernetes runs Kubernetes' tests against kube-controller-manager, the reference and the variants, as far as that has not been done before.
func (r *runner) tryKubernetes(ctx context.Context, chosen []variant) error {
	done, err := trial.ReadLines[run](r.kubernetesFile())
	if err != nil {
		return err
	}
	var of []subject
	for _, each := range subjects() {
		if slices.ContainsFunc(chosen, func(v variant) bool { return v.subject == each }) {
			of = append(of, each)
		}
	}
	if err := r.runAll(ctx, baselineRequests(done, of, r.settings.rounds)); err != nil {
		return err
	}
	if done, err = trial.ReadLines[run](r.kubernetesFile()); err != nil {
		return err
	}
	var wanted []request
	var executable string
	for _, v := range chosen {
		if len(testsOf(done, v.name, v.subject)) > 0 {
			continue
		}
		if executable == "" {
			if executable, err = r.bench.Build(ctx, "rollcall-variant", trial.VariantProgram); err != nil {
				return err
			}
		}
		counts := baselineOf(done, v.subject).counts
		if len(counts) == 0 {
			return fmt.Errorf("no test of %s holds on simulated nodes: the reference passes none", v.subject.name)
		}
		file, err := trial.WriteVariant(filepath.Join(r.options.Artifacts, "variants", v.name), v.name, v.name, executable)
		if err != nil {
			return err
		}
		wanted = append(wanted, request{name: v.name, file: file, subject: v.subject, focus: exactly(counts), stop: true})
	}
	return r.runAll(ctx, wanted)
}

// baselineRequests are the runs against kube-controller-manager and the reference that are still to be made.
func baselineRequests(done []run, of []subject, rounds int) []request {
	var wanted []request
	for _, each := range of {
		for _, name := range []string{kubernetesOwn, reference} {
			made := 0
			for _, one := range done {
				if one.Name == name && one.Subject == each.name {
					made++
				}
			}
			for range rounds - made {
				wanted = append(wanted, request{name: name, file: name, subject: each, focus: []string{each.focus}})
			}
		}
	}
	return wanted
}

// runAll makes the runs, some at a time, and keeps what each found.
func (r *runner) runAll(ctx context.Context, wanted []request) (err error) {
	if len(wanted) == 0 {
		return nil
	}
	names := append(controlplane.Names(), controlplane.KubernetesTests)
	if r.programs, err = controlplane.Ensure(ctx, controlplane.Options{Out: os.Stderr, Names: names}); err != nil {
		return err
	}
	failures := make([]error, len(wanted))
	trial.All(len(wanted), r.options.Jobs, func(i int) {
		if ctx.Err() != nil {
			return
		}
		made, err := r.run(ctx, wanted[i])
		if err == nil {
			err = trial.AppendLine(r.kubernetesFile(), made)
		}
		if err != nil {
			failures[i] = fmt.Errorf("%s, tests of %s: %w", wanted[i].name, wanted[i].subject.name, err)
		}
		fmt.Fprintf(os.Stderr, "compare: %s, tests of %s: %.0f s, %d ran\n", wanted[i].name, wanted[i].subject.name, made.Seconds, len(made.Tests))
	})
	return errors.Join(failures...)
}

// tryRollcall has hack/mutants try the variants that it has not tried before.
func (r *runner) tryRollcall(ctx context.Context, chosen []variant) error {
	done, err := trial.ReadLines[trial.Outcome](r.rollcallFile())
	if err != nil {
		return err
	}
	var names []string
	for _, v := range chosen {
		if !slices.ContainsFunc(done, func(o trial.Outcome) bool { return o.Name == v.name }) {
			names = append(names, v.name)
		}
	}
	if len(names) == 0 || ctx.Err() != nil {
		return nil
	}
	mutants, err := r.bench.Build(ctx, "mutants", "./hack/mutants")
	if err != nil {
		return err
	}
	command := exec.CommandContext(ctx, mutants, append([]string{
		"-results=" + r.rollcallFile(), "-artifacts=" + filepath.Join(r.options.Artifacts, "mutants"),
		fmt.Sprintf("-jobs=%d", r.options.Jobs), fmt.Sprintf("-patience=%s", r.options.Patience),
	}, names...)...)
	command.Dir, command.Stderr = r.bench.Root, os.Stderr
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	var ended *exec.ExitError
	// A survivor is a result, and no error.
	if err := command.Run(); err != nil && !errors.As(err, &ended) {
		return fmt.Errorf("run hack/mutants: %w", err)
	}
	return nil
}

// results reads what was tried of the variants.
func (r *runner) results(chosen []variant) (results, error) {
	runs, err := trial.ReadLines[run](r.kubernetesFile())
	if err != nil {
		return results{}, err
	}
	outcomes, err := trial.ReadLines[trial.Outcome](r.rollcallFile())
	if err != nil {
		return results{}, err
	}
	return assemble(chosen, runs, outcomes), nil
}
