package reports

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/rollcall-conformance/rollcall/reports/paragraph"
)

// summaryWidth is the width of the summary in columns; only paths may be longer, so that they can be copied.
const summaryWidth = 100

// SummaryOptions says how Summary writes.
type SummaryOptions struct {
	// Color marks the verdict and the failures with terminal colours. Default: none.
	Color bool
	// Paths are listed at the end, in this order.
	Paths []Path
}

// Path is a file or folder that the run left behind.
type Path struct {
	// Label says what it is, for example "report" or "recordings".
	Label string
	Path  string
}

// Summary writes what a terminal shows at the end of a run: counts per family, what failed and why, what the harness could not tell,
// what is unsupported or was not run and why, the answer, and where to read more.
func Summary(out io.Writer, report *ConformanceReport, options SummaryOptions) error {
	s := &summary{report: report, paint: painter{on: options.Color}}
	s.title()
	s.nodes()
	s.table()
	s.decided("Failed", Fail, red)
	s.decided("Inconclusive", Inconclusive, yellow)
	s.undecided("Unsupported", Unsupported)
	s.undecided("Not run", NotRun)
	s.answer()
	for _, path := range options.Paths {
		fmt.Fprintf(&s.text, "%-*s  %s\n", labelWidth(options.Paths), path.Label, path.Path)
	}
	if _, err := io.WriteString(out, s.text.String()); err != nil {
		return fmt.Errorf("write summary: %w", err)
	}
	return nil
}

type summary struct {
	report *ConformanceReport
	paint  painter
	text   strings.Builder
}

func (s *summary) title() {
	implementation, provenance := s.report.Implementation, s.report.Provenance
	parts := []string{strings.TrimSpace(paragraph.Printable(implementation.Name + " " + implementation.Version))}
	if provenance.KubernetesVersion != "" {
		parts = append(parts, "Kubernetes "+provenance.KubernetesVersion)
	}
	if provenance.Provider != "" {
		parts = append(parts, "provider "+provenance.Provider)
	}
	parts = append(parts, fmt.Sprintf("seed %d", provenance.Seed), provenance.Duration.Round(100*time.Millisecond).String())
	if provenance.Focus != "" {
		parts = append(parts, fmt.Sprintf("focus %q", provenance.Focus))
	}
	s.line(strings.Join(parts, ", "), 0)
	for _, timeout := range provenance.RelaxedTimeouts {
		s.line(fmt.Sprintf("relaxed timeout: %s is %s instead of %s", timeout.Name, timeout.Used, timeout.Default), 0)
	}
}

// nodes tells real and simulated nodes apart, where there were both.
func (s *summary) nodes() {
	kinds := s.report.Provenance.NodeKinds
	if len(kinds) < 2 {
		return
	}
	var parts []string
	for _, kind := range kinds {
		decided := 0
		for _, result := range s.report.Requirements {
			if slices.Contains(result.Nodes, kind) {
				decided++
			}
		}
		parts = append(parts, fmt.Sprintf("%d on %s nodes", decided, kind))
	}
	s.line("requirements decided: "+strings.Join(parts, ", ")+"; some on both, some by the API server alone", 0)
}

// decided lists the requirements with the verdict, each with its reason.
func (s *summary) decided(title string, verdict Verdict, hue colour) {
	first := true
	for _, result := range s.report.Requirements {
		if result.Verdict != verdict {
			continue
		}
		if first {
			fmt.Fprintf(&s.text, "\n%s\n", title)
			first = false
		}
		const indent = 15
		entry := paragraph.Hang("  "+string(result.ID), paragraph.Printable(result.Statement), indent, summaryWidth)
		s.text.WriteString(strings.Replace(entry, string(result.ID), s.paint.in(hue, string(result.ID)), 1))
		s.line(paragraph.Printable(failureLine(result)), indent)
		if result.KnownDeviation != "" {
			fmt.Fprintf(&s.text, "%*sknown deviation: %s\n", indent, "", paragraph.Printable(result.KnownDeviation))
		}
	}
}

// undecided lists the requirements with the verdict, those with the same reason together.
func (s *summary) undecided(title string, verdict Verdict) {
	var reasons []string
	ids := map[string][]ID{}
	for _, result := range s.report.Requirements {
		if result.Verdict != verdict {
			continue
		}
		reason := paragraph.Printable(firstLine(result.Reason))
		if reason == "" {
			reason = "no reason given"
		}
		if len(ids[reason]) == 0 {
			reasons = append(reasons, reason)
		}
		ids[reason] = append(ids[reason], result.ID)
	}
	if len(reasons) == 0 {
		return
	}
	fmt.Fprintf(&s.text, "\n%s\n", title)
	for _, reason := range reasons {
		s.line(fmt.Sprintf("%s (%d)", reason, len(ids[reason])), 2)
		s.line(strings.Join(ranges(ids[reason]), ", "), 4)
	}
}

func (s *summary) answer() {
	counts, provenance := count(s.report.Requirements), s.report.Provenance
	decided := counts.Passed + counts.Failed + counts.Inconclusive
	answer, hue, why := Judge(s.report), red, ""
	switch answer {
	case NotConformant:
		why = fmt.Sprintf("%d of %d decided requirements failed", counts.Failed, decided)
	case Conformant:
		hue, why = green, fmt.Sprintf("all %d decided requirements passed", decided)
	case Partial:
		hue, why = green, fmt.Sprintf("all %d requirements selected passed, which says nothing about the others", decided)
	default:
		hue = yellow
		switch {
		case counts.Inconclusive > 0:
			why = fmt.Sprintf("the harness could not tell for %d of %d requirements", counts.Inconclusive, decided)
		case decided == 0:
			why = "no requirement was decided"
		default:
			why = fmt.Sprintf("%d passed and none failed so far", counts.Passed)
		}
	}
	if provenance.Interrupted {
		why += "; the run was interrupted"
	}
	if provenance.HarnessFailure != "" {
		why += "; the harness failed: " + paragraph.Printable(firstLine(provenance.HarnessFailure))
	}
	s.text.WriteByte('\n')
	label := paragraph.Printable(s.report.Implementation.Name) + " is " + string(answer)
	if answer == Partial {
		label = paragraph.Printable(s.report.Implementation.Name) + ", a partial run"
	}
	verdict := paragraph.Hang("", label+": "+why, 0, summaryWidth)
	s.text.WriteString(strings.Replace(verdict, string(answer), s.paint.in(hue, string(answer)), 1))
}

func (s *summary) line(text string, indent int) {
	s.text.WriteString(paragraph.Hang("", text, indent, summaryWidth))
}

func labelWidth(paths []Path) int {
	width := 0
	for _, path := range paths {
		width = max(width, len(path.Label))
	}
	return width
}

type colour string

const (
	red    colour = "\x1b[31m"
	green  colour = "\x1b[32m"
	yellow colour = "\x1b[33m"
	plain  colour = "\x1b[0m"
)

type painter struct{ on bool }

func (p painter) in(hue colour, text string) string {
	if !p.on {
		return text
	}
	return string(hue) + text + string(plain)
}
