// Command leastprivilege proves that the reference controller may do no more and no less than it has to. It runs a few specs that make the reference
// do everything, first with all the permissions of its RBAC manifest, then without each of them: the API server has to refuse the reference
// something then, and nothing before.
//
//	go run ./hack/leastprivilege                      all permissions
//	go run ./hack/leastprivilege "patch core pods"    those whose names contain it
//
// Exit codes, of which `go run` tells only 0 from others: 0 every permission is needed and none is missing, 1 one is not needed or is missing, 2 bad input, 3 one could not be tried.
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/rollcall-conformance/rollcall/hack/internal/trial"
)

func main() {
	trial.Main("leastprivilege", trial.Options{Artifacts: filepath.Join("_artifacts", "least-privilege"), Patience: 8 * time.Second}, run)
}

func run(ctx context.Context, o trial.Options) (int, error) {
	objects, err := reference()
	if err != nil {
		return trial.ExitNotTried, err
	}
	all, err := permissions(objects)
	if err != nil {
		return trial.ExitNotTried, err
	}
	selected, err := choose(all, o.Names)
	if err != nil {
		return trial.ExitUsage, err
	}
	r := runner{options: o, exercise: exercise()}
	if r.focus, err = focus(trial.Specs(), r.exercise); err != nil {
		return trial.ExitNotTried, err
	}
	root, err := trial.ProjectRoot(ctx)
	if err != nil {
		return trial.ExitNotTried, err
	}
	if r.bench, err = trial.Prepare(ctx, root); err != nil {
		return trial.ExitNotTried, err
	}
	defer r.bench.Close()
	if code, err := r.control(ctx, objects); err != nil {
		return code, err
	}
	results := make([]result, len(selected))
	trial.All(len(selected), o.Jobs, func(i int) {
		results[i] = r.take(ctx, fmt.Sprintf("%02d", i+1), objects, selected[i])
		fmt.Fprintf(os.Stderr, "leastprivilege: %s: %s, %.0f s\n", selected[i], results[i].noticed(), results[i].took.Seconds())
	})
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
func (r runner) control(ctx context.Context, objects []*unstructured.Unstructured) (int, error) {
	o := r.try(ctx, "control", objects)
	switch {
	case o.failure != nil:
		return trial.ExitNotTried, fmt.Errorf("with all permissions: %w", o.failure)
	case len(o.refusals) > 0:
		return trial.ExitNotProven, fmt.Errorf("permissions are missing, the reference %s: see %s", strings.Join(o.refusals, ", "), o.artifacts)
	case len(o.missed) > 0:
		return trial.ExitNotTried, fmt.Errorf("with all permissions: %s: see %s", strings.Join(o.missed, ", "), o.artifacts)
	}
	fmt.Fprintf(os.Stderr, "leastprivilege: all pass with all permissions, %.0f s\n", o.took.Seconds())
	if r.options.Keep {
		return trial.ExitProven, nil
	}
	if err := os.RemoveAll(o.artifacts); err != nil {
		return trial.ExitNotTried, fmt.Errorf("remove the artifacts: %w", err)
	}
	return trial.ExitProven, nil
}

func (r runner) take(ctx context.Context, name string, objects []*unstructured.Unstructured, p permission) result {
	left, err := without(objects, p)
	if err != nil {
		return result{permission: p, outcome: outcome{failure: err}}
	}
	got := result{permission: p, outcome: r.try(ctx, name, left)}
	if got.needed() && !r.options.Keep {
		if err := os.RemoveAll(got.artifacts); err != nil {
			got.failure = fmt.Errorf("remove the artifacts: %w", err)
		}
	}
	return got
}
