package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// column is one thing that is measured of a phase.
type column struct {
	name string
	of   func(c cost, nodes int) float64
}

func columns() []column {
	return []column{
		{"seconds", func(c cost, _ int) float64 { return c.took.Seconds() }},
		{"writes a node", func(c cost, nodes int) float64 { return c.used.writes / float64(nodes) }},
		{"CPU seconds", func(c cost, _ int) float64 { return c.used.cpu }},
		{"memory, MB", func(c cost, _ int) float64 { return c.used.memory / 1e6 }},
	}
}

// writeTable writes medians over the rounds, a row for each phase and thing measured, as a Markdown table.
func writeTable(out io.Writer, s settings, results []result) error {
	header := []string{"phase", "", "ratio"}
	for i, r := range results {
		header = slices.Insert(header, 2+i, r.name)
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%d nodes, medians of %d rounds; the ratio is of the first implementation to the last\n\n", s.nodes, s.rounds)
	text.WriteString(row(header) + "|" + strings.Repeat("---|", len(header)) + "\n")
	for _, p := range phases() {
		for _, c := range columns() {
			cells := []string{p.name, c.name}
			var values []float64
			for _, r := range results {
				value := median(r.turns, func(t turn) float64 { return c.of(t[p.name], s.nodes) })
				values, cells = append(values, value), append(cells, fmt.Sprintf("%.2f", value))
			}
			text.WriteString(row(append(cells, ratio(values[0], values[len(values)-1]))))
		}
	}
	_, err := io.WriteString(out, text.String())
	return err
}

func row(cells []string) string { return "| " + strings.Join(cells, " | ") + " |\n" }

// median of the value over the rounds; of an even number of them the mean of the two in the middle.
func median(turns []turn, value func(turn) float64) float64 {
	values := make([]float64, len(turns))
	for i, t := range turns {
		values[i] = value(t)
	}
	slices.Sort(values)
	middle := len(values) / 2
	if len(values)%2 == 0 {
		return (values[middle-1] + values[middle]) / 2
	}
	return values[middle]
}

// ratio of the first to the last; there is none to zero.
func ratio(first, last float64) string {
	if last == 0 {
		return "–"
	}
	return fmt.Sprintf("%.2f", first/last)
}
