package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"github.com/rollcall-conformance/rollcall/hack/mutation/mutant"
)

// result is a mutant and what became of it.
type result struct {
	mutation
	trial   mutant.Trial
	because *explained
}

func (r result) killed() bool { return r.trial.Rule != "" || r.trial.End != "" || r.trial.Panic != "" }

// score counts the mutants of one file, or of all.
type score struct {
	mutants, rules, ends, panics, equivalent, explained, unexplained int
}

func (s *score) add(r result) {
	s.mutants++
	switch {
	case r.trial.Rule != "":
		s.rules++
	case r.trial.Panic != "":
		s.panics++
	case r.trial.End != "":
		s.ends++
	case r.because == nil:
		s.unexplained++
	case r.because.Kind == equivalent:
		s.equivalent++
	default:
		s.explained++
	}
}

// percent is how many of those that are not equivalent were killed.
func (s *score) percent() float64 {
	return 100 * float64(s.rules+s.ends+s.panics) / float64(max(s.mutants-s.equivalent, 1))
}

// enough reports whether at least as many percent were killed, or, for none, every survivor is explained.
func (s *score) enough(least int) bool {
	if least > 0 {
		return s.percent() >= float64(least)
	}
	return s.unexplained == 0
}

// writeTable writes a row for each file, then every survivor, and returns the score of all. A killed one that is said to be equivalent is unexplained.
func writeTable(out io.Writer, results []result) (*score, error) {
	files := map[string]*score{}
	var names []string
	all := &score{}
	for _, r := range results {
		if files[r.file] == nil {
			files[r.file] = &score{}
			names = append(names, r.file)
		}
		files[r.file].add(r)
		all.add(r)
	}
	slices.Sort(names)
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(table, "mutants\tkilled by rules\tby panics\tin the end\tequivalent\texplained\tsurvived\tscore\t  file\n")
	for _, name := range append(names, "all") {
		s := cmp.Or(files[name], all)
		fmt.Fprintf(table, "%d\t%d\t%d\t%d\t%d\t%d\t%d\t%.0f %%\t  %s\n",
			s.mutants, s.rules, s.panics, s.ends, s.equivalent, s.explained, s.unexplained, s.percent(), name)
	}
	if err := table.Flush(); err != nil {
		return nil, fmt.Errorf("write the table: %w", err)
	}
	fmt.Fprintln(out)
	for _, r := range results {
		switch {
		case r.killed() && r.because != nil && r.because.Kind == equivalent:
			all.unexplained++
			fmt.Fprintf(out, "%s: %s: %s: killed (%s in %s), but explained.yaml has it as %s\n", r.where(), r.function, r.change,
				cmp.Or(r.trial.Rule, r.trial.Panic, r.trial.End), r.trial.Play, r.because.Kind)
		case r.killed():
		case r.because != nil:
			fmt.Fprintf(out, "%s: %s: %s: %s: %s\n", r.where(), r.function, r.change, r.because.Kind, r.because.Because)
		default:
			fmt.Fprintf(out, "%s: %s: %s: survived %d simulations\n", r.where(), r.function, r.change, r.trial.Plays)
		}
	}
	return all, nil
}
