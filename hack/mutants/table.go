package main

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/rollcall-conformance/rollcall/framework/requirements"
)

// writeTable writes a row per mutant, then what there is to say about those that did not show what they were to show.
func writeTable(out io.Writer, results []result) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "mutant\tbreaks\tverdict\tbroken too\tno spec decides")
	for _, r := range results {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n",
			r.mutant.Name, joined(r.mutant.breaks), r.verdict(), strings.Join(r.others(), " "), joined(r.undecided))
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("write the table: %w", err)
	}
	proven := 0
	for _, r := range results {
		switch {
		case r.proven():
			proven++
		case r.failure != nil:
			fmt.Fprintf(out, "\n%s: %v\n", r.mutant.Name, r.failure)
		default:
			fmt.Fprintf(out, "\n%s: %s\n  %s\n  %s\n", r.mutant.Name, r.verdict(), r.mutant.Says, r.artifacts)
		}
	}
	what := "mutants killed"
	if len(results) > 0 && !results[0].mutant.broken() {
		what = "variants found lawful"
	}
	_, err := fmt.Fprintf(out, "\n%d of %d %s\n", proven, len(results), what)
	return err
}

// writeList writes what there is to try.
func writeList(out io.Writer, mutants []mutant) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, m := range mutants {
		fmt.Fprintf(table, "%s\t%s\t%s\n", m.Name, m.Says, cmp.Or(m.Lawful, joined(m.breaks)))
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("write the list: %w", err)
	}
	return nil
}

func joined(ids []requirements.ID) string {
	var all []string
	for _, id := range ids {
		all = append(all, string(id))
	}
	return strings.Join(all, " ")
}
