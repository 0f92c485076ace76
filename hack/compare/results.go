package main

import (
	"slices"

	"github.com/rollcall-conformance/rollcall/hack/internal/trial"
)

// results are what both made of all variants.
type results struct {
	runs      []run
	baselines map[string]baseline
	rows      []row
}

// row is what both made of a variant; nil where it was not tried.
type row struct {
	variant    variant
	kubernetes *run
	rollcall   *trial.Outcome
	// failed are the tests of Kubernetes that count and failed. decided is false if they ended too early to say.
	failed  []test
	decided bool
}

func assemble(chosen []variant, runs []run, outcomes []trial.Outcome) results {
	r := results{runs: runs, baselines: map[string]baseline{}}
	for _, each := range subjects() {
		r.baselines[each.name] = baselineOf(runs, each)
	}
	for _, v := range chosen {
		one := row{variant: v}
		if i := slices.IndexFunc(runs, func(made run) bool { return made.Name == v.name && made.Subject == v.subject.name }); i >= 0 {
			one.kubernetes = &runs[i]
			one.failed, one.decided = r.baselines[v.subject.name].caught(runs[i])
		}
		if i := slices.IndexFunc(outcomes, func(o trial.Outcome) bool { return o.Name == v.name }); i >= 0 {
			one.rollcall = &outcomes[i]
		}
		r.rows = append(r.rows, one)
	}
	return r
}

// compared reports whether both say something about the variant.
func (r row) compared() bool { return r.kubernetes != nil && r.decided && r.rollcall != nil }

func (r results) referenceFails() bool {
	for _, b := range r.baselines {
		if len(b.referenceFails) > 0 {
			return true
		}
	}
	return false
}
