package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/rollcall-conformance/rollcall/hack/internal/trial"
)

// outcome is what came of running the exercise.
type outcome struct {
	// missed is what did not come out as it does with all permissions.
	missed []string
	// refusals are what the API server refused the reference.
	refusals []string
	// failure says why it could not be tried.
	failure error
	// artifacts is the folder with the variant, its report, recordings and logs.
	artifacts string
	took      time.Duration
}

// result is what came of taking a permission away.
type result struct {
	permission permission
	outcome
}

// needed reports whether the loss of the permission showed: the API server refused what takes it. That something failed proves nothing by itself.
func (r result) needed() bool {
	return r.failure == nil && slices.ContainsFunc(r.refusals, r.permission.explains)
}

// noticed is how the loss showed, in few words.
func (r result) noticed() string {
	switch {
	case r.failure != nil:
		return "not tried"
	case !r.needed() && r.permission.unshown() != "":
		return "not shown: " + r.permission.unshown()
	case !r.needed():
		return "UNNEEDED"
	case len(r.missed) == 0:
		return "the log alone"
	}
	return strings.Join(r.missed, ", ")
}

// writeTable writes a row per permission, then what there is to say about those that are not needed.
func writeTable(out io.Writer, results []result) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "permission\tseconds\tits loss was noticed by")
	for _, r := range results {
		fmt.Fprintf(table, "%s\t%.0f\t%s\n", r.permission, r.took.Seconds(), r.noticed())
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("write the table: %w", err)
	}
	needed := 0
	for _, r := range results {
		switch {
		case r.needed():
			needed++
		case r.failure != nil:
			fmt.Fprintf(out, "\n%s: %v\n", r.permission, r.failure)
		case r.permission.unshown() != "":
		case len(r.missed) > 0:
			fmt.Fprintf(out, "\n%s: something failed, but nothing was refused for want of it: %s\n  %s\n", r.permission, strings.Join(r.missed, ", "), r.artifacts)
		default:
			fmt.Fprintf(out, "\n%s: nothing failed without it: take it out of the role, or exercise it\n  %s\n", r.permission, r.artifacts)
		}
	}
	_, err := fmt.Fprintf(out, "\n%d of %d permissions needed\n", needed, len(results))
	return err
}

func exitCode(results []result) int {
	return trial.ExitCode(len(results), func(i int) (tried, proven bool) {
		r := results[i]
		return r.failure == nil, r.needed() || r.permission.unshown() != ""
	})
}
