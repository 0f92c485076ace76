package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/hack/internal/trial"
	"github.com/rollcall-conformance/rollcall/reports"
)

// result is what became of a mutant.
type result struct {
	mutant mutant
	// verdicts of its run, by requirement; those that were not run or are not supported are left out. A failed one is a fail with a violation.
	verdicts map[requirements.ID]reports.Verdict
	// undecided are the requirements that the mutant breaks and that no spec decides.
	undecided []requirements.ID
	// failure says why the mutant could not be tried.
	failure error
	// artifacts is the folder with its report, recordings and logs.
	artifacts string
	took      time.Duration
}

// read adds a report's verdicts. What Kubernetes itself breaks says nothing against a lawful variant.
func (r *result) read(report *reports.ConformanceReport) {
	for _, requirement := range report.Requirements {
		verdict := requirement.Verdict
		if !r.mutant.broken() && requirement.BrokenBy() != "" {
			continue
		}
		if verdict == reports.NotRun || verdict == reports.Unsupported {
			continue
		}
		named := func(v reports.Violation) bool { return v.Requirement == requirement.ID }
		if verdict == reports.Fail && r.mutant.broken() && !slices.ContainsFunc(requirement.Violations, named) {
			// A failure that nothing shows catches no mutant.
			verdict = reports.Inconclusive
		}
		r.verdicts[requirements.ID(requirement.ID)] = verdict
	}
}

// proven reports whether the trial showed what it was to show: that a broken one is found out, and a lawful one is not.
func (r *result) proven() bool {
	if !r.mutant.broken() {
		return r.failure == nil && len(r.verdicts) > 0 && len(r.doubted()) == 0
	}
	return r.killed()
}

// killed reports whether every requirement that the mutant breaks, and that specs decide, was found broken, one at least.
func (r *result) killed() bool {
	return r.failure == nil && len(r.unnoticed()) == 0 && slices.ContainsFunc(r.mutant.breaks, r.fails)
}

func (r *result) fails(id requirements.ID) bool { return r.verdicts[id] == reports.Fail }

// unnoticed are the requirements that the mutant breaks, that specs decide and that did not fail.
func (r *result) unnoticed() []string {
	var missing []string
	for _, id := range r.mutant.breaks {
		verdict := r.verdicts[id]
		if verdict == reports.Fail || verdict == "" && slices.Contains(r.undecided, id) {
			continue
		}
		if verdict == "" {
			verdict = reports.NotRun
		}
		missing = append(missing, fmt.Sprintf("%s %s", id, verdict))
	}
	return missing
}

// doubted are the requirements that a lawful variant did not pass, with their verdicts.
func (r *result) doubted() []string {
	var all []string
	for _, id := range slices.Sorted(maps.Keys(r.verdicts)) {
		if verdict := r.verdicts[id]; verdict != reports.Pass {
			all = append(all, fmt.Sprintf("%s %s", id, verdict))
		}
	}
	return all
}

// others are the requirements that were found broken too.
func (r *result) others() []string {
	var others []string
	for _, id := range slices.Sorted(maps.Keys(r.verdicts)) {
		if r.fails(id) && !slices.Contains(r.mutant.breaks, id) {
			others = append(others, string(id))
		}
	}
	return others
}

// outcome is the result for other programs.
func (r *result) outcome() trial.Outcome {
	return trial.Outcome{Name: r.mutant.Name, Proven: r.proven(), Verdict: r.verdict(), Seconds: r.took.Seconds()}
}

// verdict is the result in a word or few.
func (r *result) verdict() string {
	switch {
	case r.failure != nil:
		return "not tried"
	case !r.mutant.broken() && r.proven():
		return fmt.Sprintf("lawful (%d passed)", len(r.verdicts))
	case !r.mutant.broken() && len(r.verdicts) == 0:
		return "DOUBTED (nothing was run)"
	case !r.mutant.broken():
		return "DOUBTED (" + strings.Join(r.doubted(), ", ") + ")"
	case r.killed():
		return "killed"
	case len(r.unnoticed()) == 0:
		return "SURVIVED (no spec decides any)"
	}
	return "SURVIVED (" + strings.Join(r.unnoticed(), ", ") + ")"
}
