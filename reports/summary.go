package reports

import (
	"cmp"
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

// Summary writes what a terminal shows at the end of a run: counts per family, what was not run or is unsupported and why, what could not be decided,
// what failed, why and in which spec (before the former, if none of it is the implementation's own), the answer, and where to read more.
func Summary(out io.Writer, report *ConformanceReport, options SummaryOptions) error {
	s := &summary{report: report, paint: painter{on: options.Color}}
	s.title()
	s.nodes()
	s.playedAgain()
	s.table()
	s.skipped("Not run", NotRun)
	s.skipped("Unsupported", Unsupported)
	// What makes the answer comes last: the end is what a terminal, and the page of a CI system, shows at first.
	if count(report.Requirements).ItsOwn() > 0 {
		s.inconclusive()
		s.failed()
	} else {
		s.failed()
		s.inconclusive()
	}
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
	var parts []string
	if name := strings.TrimSpace(paragraph.Printable(implementation.Name + " " + implementation.Version)); name != "" {
		parts = append(parts, name)
	}
	if implementation.Workload != "" {
		parts = append(parts, "workload "+paragraph.Printable(implementation.Workload))
	}
	if provenance.KubernetesVersion != "" {
		parts = append(parts, "Kubernetes "+provenance.KubernetesVersion)
	}
	if provenance.Provider != "" {
		parts = append(parts, "provider "+provenance.Provider)
	}
	if !provenance.Started.IsZero() {
		parts = append(parts, fmt.Sprintf("seed %d", provenance.Seed), provenance.Duration.Round(100*time.Millisecond).String())
	}
	if provenance.Focus != "" {
		parts = append(parts, fmt.Sprintf("focus %q", provenance.Focus))
	}
	if provenance.Shard != nil {
		parts = append(parts, "shard "+provenance.Shard.String())
	}
	s.line(strings.Join(parts, ", "), 0)
	for _, timeout := range provenance.RelaxedTimeouts {
		s.line(fmt.Sprintf("relaxed timeout: %s is %s instead of %s", timeout.Name, timeout.Used, timeout.Default), 0)
	}
}

// nodes counts what was decided on real and on simulated nodes, where there were both.
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

// playedAgain counts the specs whose first recording a standstill kept from deciding anything.
func (s *summary) playedAgain() {
	again := 0
	for _, circumstances := range s.report.Circumstances {
		if circumstances.Earlier != "" {
			again++
		}
	}
	if again > 0 {
		s.line("played again, since a standstill kept the first recording from deciding: "+counted(again, "spec")+"; the report tells which and why", 0)
	}
}

// sharedBy is how many requirements must have a reason in common for it to be written once for all of them.
const sharedBy = 3

// failed lists the requirements that failed, each with what was seen: those that Kubernetes itself breaks before those of the implementation, since the last
// lines are what a terminal shows, and what is left of a log that was cut.
func (s *summary) failed() {
	all := having(s.report, Fail)
	if len(all) == 0 {
		return
	}
	s.text.WriteString("\nFailed\n")
	slices.SortStableFunc(all, func(a, b RequirementResult) int { return cmp.Compare(b.BrokenBy(), a.BrokenBy()) })
	for _, result := range all {
		s.entry(result, red)
	}
}

// inconclusive lists the requirements that could not be decided: those with a cause or a reason in common together, any other by itself.
func (s *summary) inconclusive() {
	all := having(s.report, Inconclusive)
	if len(all) == 0 {
		return
	}
	s.text.WriteString("\nInconclusive\n")
	for _, group := range ByReason(all) {
		switch {
		case len(group) < sharedBy:
			for _, result := range group {
				s.entry(result, yellow)
			}
		case group[0].Cause != "":
			s.group(group)
			s.example(group)
		default:
			s.group(group)
		}
	}
}

// specsShown bounds the specs that are listed with a cause.
const specsShown = 5

// example writes the first reason of several requirements with a cause in common, and the specs that met with it.
func (s *summary) example(group []RequirementResult) {
	var specs []string
	for _, result := range group {
		specs = append(specs, result.Specs...)
	}
	specs = sorted(specs)
	listed := strings.Join(specs[:min(len(specs), specsShown)], "; ")
	if hidden := len(specs) - specsShown; hidden > 0 {
		listed += fmt.Sprintf("; and %d more, which the report lists", hidden)
	}
	first, _, _ := strings.Cut(firstLine(group[0].Reason), "; ")
	s.line("first: "+paragraph.Printable(first), 4)
	s.line(counted(len(specs), "spec")+": "+paragraph.Printable(listed), 4)
}

// skipped lists the requirements with the verdict, those with the same reason together.
func (s *summary) skipped(title string, verdict Verdict) {
	all := having(s.report, verdict)
	if len(all) == 0 {
		return
	}
	fmt.Fprintf(&s.text, "\n%s\n", title)
	for _, group := range ByReason(all) {
		s.group(group)
	}
}

// having returns the requirements with the verdict, in the catalogue's order.
func having(report *ConformanceReport, verdict Verdict) []RequirementResult {
	return slices.DeleteFunc(slices.Clone(report.Requirements), func(result RequirementResult) bool { return result.Verdict != verdict })
}

// entry writes a requirement with its statement and why it has its verdict.
func (s *summary) entry(result RequirementResult, hue colour) {
	const indent = 15
	entry := paragraph.Hang("  "+string(result.ID), paragraph.Printable(result.Statement), indent, summaryWidth)
	s.text.WriteString(strings.Replace(entry, string(result.ID), s.paint.in(hue, string(result.ID)), 1))
	s.line(paragraph.Printable(FailureLine(result)), indent)
	if len(result.Violations) > 0 && result.Violations[0].Spec != "" {
		s.line("spec: "+paragraph.Printable(result.Violations[0].Spec), indent)
	}
	if by := result.BrokenBy(); by != "" && result.Verdict == Fail {
		s.line("broken by "+by, indent)
	}
	if result.KnownDeviation != "" {
		fmt.Fprintf(&s.text, "%*sknown deviation: %s\n", indent, "", paragraph.Printable(result.KnownDeviation))
	}
}

// group writes a reason, and the requirements that have it.
func (s *summary) group(group []RequirementResult) {
	var ids []ID
	for _, result := range group {
		ids = append(ids, result.ID)
	}
	s.line(fmt.Sprintf("%s (%d)", ReasonOf(group[0]), len(group)), 2)
	s.line(strings.Join(ranges(ids), ", "), 4)
}

// ByReason groups results with the same cause or, without one, reason, in the order in which these first appear.
func ByReason(results []RequirementResult) [][]RequirementResult {
	var groups [][]RequirementResult
	for _, result := range results {
		same := func(group []RequirementResult) bool { return ReasonOf(group[0]) == ReasonOf(result) }
		if i := slices.IndexFunc(groups, same); i >= 0 {
			groups[i] = append(groups[i], result)
		} else {
			groups = append(groups, []RequirementResult{result})
		}
	}
	return groups
}

// ReasonOf is the first line of why a requirement was not decided: what it has in common with others, if that is known.
func ReasonOf(result RequirementResult) string {
	if cause := paragraph.Printable(firstLine(result.Cause)); cause != "" {
		return cause
	}
	if reason := paragraph.Printable(firstLine(result.Reason)); reason != "" {
		return reason
	}
	return "no reason given"
}

func (s *summary) answer() {
	answer := Judge(s.report)
	hue := map[Conformance]colour{NotConformant: red, Conformant: green, Partial: green, Undecided: yellow}[answer]
	s.text.WriteByte('\n')
	verdict := paragraph.Hang("", Headline(s.report)+": "+Why(s.report), 0, summaryWidth)
	s.text.WriteString(strings.Replace(verdict, string(answer), s.paint.in(hue, string(answer)), 1))
	s.line(count(s.report.Requirements).String(), 0)
	s.situations()
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
