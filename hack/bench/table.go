package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/rollcall-conformance/rollcall/hack/internal/trial"
)

// table is what was measured of the implementations in one course.
type table struct {
	course  course
	results []result
}

// column is one thing that is measured of a phase.
type column struct {
	name string
	of   func(cost) float64
}

func (t table) columns() []column {
	thing, count := t.course.thing()
	all := []column{
		{"seconds", func(c cost) float64 { return c.took.Seconds() }},
		{"seconds from a change to the status", func(c cost) float64 { return c.lag.Seconds() }},
		{"writes " + thing, func(c cost) float64 { return c.used.writes / float64(count) }},
		{"CPU seconds", func(c cost) float64 { return c.used.cpu }},
		{"memory, MB", func(c cost) float64 { return c.used.memory / 1e6 }},
	}
	return slices.DeleteFunc(all, func(c column) bool { return !t.measures(c) })
}

// measures reports whether the course has the column: rollouts wait for no status.
func (t table) measures(c column) bool {
	return slices.ContainsFunc(t.results, func(r result) bool {
		return slices.ContainsFunc(r.turns, func(each turn) bool {
			return slices.ContainsFunc(t.course.phases(), func(p phase) bool { return c.of(each[p.name]) != 0 })
		})
	})
}

// write writes medians over the rounds, a row for each phase and thing measured, as a Markdown table.
func (t table) write(out io.Writer) error {
	header := []string{"phase", "", "ratio"}
	for i, r := range t.results {
		header = slices.Insert(header, 2+i, r.name)
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%s, medians of %d rounds; the ratio is of the first implementation to the last\n\n", t.course.title(), len(t.results[0].turns))
	text.WriteString(row(header) + "|" + strings.Repeat("---|", len(header)) + "\n")
	for _, p := range t.course.phases() {
		for _, c := range t.columns() {
			cells := []string{p.name, c.name}
			var values []float64
			for _, r := range t.results {
				value := trial.Median(r.turns, func(each turn) float64 { return c.of(each[p.name]) })
				values, cells = append(values, value), append(cells, fmt.Sprintf("%.2f", value))
			}
			text.WriteString(row(append(cells, ratio(values[0], values[len(values)-1]))))
		}
	}
	_, err := io.WriteString(out, text.String()+"\n")
	return err
}

func row(cells []string) string { return "| " + strings.Join(cells, " | ") + " |\n" }

// ratio of the first to the last; there is none to zero.
func ratio(first, last float64) string {
	if last == 0 {
		return "–"
	}
	return fmt.Sprintf("%.2f", first/last)
}
