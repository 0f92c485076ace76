// Command leastprivilege proves that the reference controller may do no more and no less than it has to. It runs a few specs that make the reference
// do everything, first with all the permissions of its RBAC manifest, then without each of them: the API server has to refuse the reference
// something then, and nothing before.
//
//	go run ./hack/leastprivilege                      all permissions
//	go run ./hack/leastprivilege "patch core pods"    those whose names contain it
//
// Exit codes: 0 every permission is needed and none is missing, 1 one is not needed or is missing, 2 bad input, 3 one could not be tried.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/rollcall-conformance/rollcall/hack/internal/trial"
)

const (
	exitLeast    = 0
	exitNotLeast = 1
	exitUsage    = 2
	exitNotTried = 3
)

type options struct {
	artifacts string
	patience  time.Duration
	jobs      int
	keep      bool
	wanted    []string
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code, err := run(ctx, os.Args[1:])
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "leastprivilege:", err)
	}
	os.Exit(code)
}

func parseArgs(args []string) (options, error) {
	var o options
	flags := flag.NewFlagSet("leastprivilege", flag.ContinueOnError)
	flags.StringVar(&o.artifacts, "artifacts", filepath.Join("_artifacts", "least-privilege"), "folder for the artifacts of trials in which nothing was noticed")
	flags.DurationVar(&o.patience, "patience", 8*time.Second, "how long a spec waits for what the reference should do")
	flags.IntVar(&o.jobs, "jobs", 2, "how many permissions are tried at once")
	flags.BoolVar(&o.keep, "keep", false, "keep the artifacts of the other trials too")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	o.wanted = flags.Args()
	if o.jobs < 1 || o.patience <= 0 {
		return o, fmt.Errorf("-jobs %d, -patience %s: both have to be above zero", o.jobs, o.patience)
	}
	return o, nil
}

func run(ctx context.Context, args []string) (int, error) {
	o, err := parseArgs(args)
	if errors.Is(err, flag.ErrHelp) {
		return exitLeast, err
	}
	if err != nil {
		return exitUsage, err
	}
	objects, err := reference()
	if err != nil {
		return exitNotTried, err
	}
	all, err := permissions(objects)
	if err != nil {
		return exitNotTried, err
	}
	selected, err := choose(all, o.wanted)
	if err != nil {
		return exitUsage, err
	}
	l := laboratory{exercise: exercise(), patience: o.patience}
	if l.focus, err = focus(specs(), l.exercise); err != nil {
		return exitNotTried, err
	}
	if l.artifacts, err = filepath.Abs(o.artifacts); err != nil {
		return exitUsage, fmt.Errorf("-artifacts: %w", err)
	}
	if l.root, err = trial.ProjectRoot(ctx); err != nil {
		return exitNotTried, err
	}
	tools, err := os.MkdirTemp("", "rollcall-leastprivilege-")
	if err != nil {
		return exitNotTried, fmt.Errorf("make a folder for the rollcall command: %w", err)
	}
	defer os.RemoveAll(tools)
	if l.rollcall, err = trial.BuildRollcall(ctx, l.root, tools); err != nil {
		return exitNotTried, err
	}
	if code, err := l.control(ctx, objects, o.keep); err != nil {
		return code, err
	}
	results := l.tryAll(ctx, objects, selected, o)
	return exitCode(results), writeTable(os.Stdout, results)
}

// choose returns the permissions whose names contain one of the texts; without texts, all.
func choose(all []permission, texts []string) ([]permission, error) {
	if len(texts) == 0 {
		return all, nil
	}
	var chosen []permission
	for _, p := range all {
		if slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(p.String(), text) }) {
			chosen = append(chosen, p)
		}
	}
	if len(chosen) == 0 {
		return nil, fmt.Errorf("no permission's name contains any of %q: there are\n  %s", texts, join(all))
	}
	return chosen, nil
}

func join(all []permission) string {
	var names []string
	for _, p := range all {
		names = append(names, p.String())
	}
	return strings.Join(names, "\n  ")
}

// control runs the exercise with all permissions. Its error says what is missing, or why no trial could prove anything.
func (l laboratory) control(ctx context.Context, objects []*unstructured.Unstructured, keep bool) (int, error) {
	o := l.try(ctx, "control", objects)
	switch {
	case o.failure != nil:
		return exitNotTried, fmt.Errorf("with all permissions: %w", o.failure)
	case len(o.refusals) > 0:
		return exitNotLeast, fmt.Errorf("permissions are missing, the reference %s: see %s", strings.Join(o.refusals, ", "), o.artifacts)
	case len(o.missed) > 0:
		return exitNotTried, fmt.Errorf("with all permissions: %s: see %s", strings.Join(o.missed, ", "), o.artifacts)
	}
	fmt.Fprintf(os.Stderr, "leastprivilege: all pass with all permissions, %.0f s\n", o.took.Seconds())
	if keep {
		return exitLeast, nil
	}
	if err := os.RemoveAll(o.artifacts); err != nil {
		return exitNotTried, fmt.Errorf("remove the artifacts: %w", err)
	}
	return exitLeast, nil
}

// tryAll takes the permissions away, each for itself, some at a time, and returns the results in the same order.
func (l laboratory) tryAll(ctx context.Context, objects []*unstructured.Unstructured, all []permission, o options) []result {
	results := make([]result, len(all))
	var trials errgroup.Group
	trials.SetLimit(o.jobs)
	for i, p := range all {
		trials.Go(func() error {
			results[i] = l.take(ctx, fmt.Sprintf("%02d", i+1), objects, p, o.keep)
			fmt.Fprintf(os.Stderr, "leastprivilege: %s: %s, %.0f s\n", p, results[i].noticed(), results[i].took.Seconds())
			return nil
		})
	}
	// None returns an error: the results have them.
	_ = trials.Wait()
	return results
}

func (l laboratory) take(ctx context.Context, name string, objects []*unstructured.Unstructured, p permission, keep bool) result {
	left, err := without(objects, p)
	if err != nil {
		return result{permission: p, outcome: outcome{failure: err}}
	}
	r := result{permission: p, outcome: l.try(ctx, name, left)}
	if r.needed() && !keep {
		if err := os.RemoveAll(r.artifacts); err != nil {
			r.failure = fmt.Errorf("remove the artifacts: %w", err)
		}
	}
	return r
}
