package reports

import (
	"fmt"
	"io"
	"strings"

	"github.com/rollcall-conformance/rollcall/reports/paragraph"
)

// WriteMarkdown writes what the summary says as Markdown, for the pages of CI systems: the answer, counts by family, what failed and how to judge it again,
// and what could not be decided.
func WriteMarkdown(out io.Writer, report *ConformanceReport) error {
	var text strings.Builder
	fmt.Fprintf(&text, "# %s\n\n%s\n\n%s\n", markdown(Headline(report)), markdown(Why(report)), markdown(factsOf(report)))
	text.WriteString("\n| family | passed | failed | inconclusive | unsupported | not run |\n|---|--:|--:|--:|--:|--:|\n")
	for _, row := range append(profilesOf(report.Requirements), Profile{Name: "total", Statistics: count(report.Requirements)}) {
		counts := row.Statistics
		fmt.Fprintf(&text, "| %s | %s | %s | %s | %s | %s |\n", markdown(row.Name), number(counts.Passed), number(counts.Failed), number(counts.Inconclusive),
			number(counts.Unsupported), number(counts.NotRun))
	}
	failed, undecided := having(report, Fail), having(report, Inconclusive)
	if len(failed) > 0 {
		text.WriteString("\n## Failed\n\n")
	}
	for _, result := range failed {
		fmt.Fprintf(&text, "- **%s**: %s\n", markdown(result.Name()), markdown(FailureLine(result)))
		if by := result.BrokenBy(); by != "" {
			fmt.Fprintf(&text, "  - broken by %s\n", markdown(by))
		}
		if len(result.Violations) > 0 && result.Violations[0].Recording != "" {
			fmt.Fprintf(&text, "  - judge it again: %s\n", code(result.Violations[0].JudgeAgain("")))
		}
		if result.KnownDeviation != "" {
			fmt.Fprintf(&text, "  - known deviation: %s\n", markdown(result.KnownDeviation))
		}
	}
	if len(undecided) > 0 {
		text.WriteString("\n## Inconclusive\n\n")
	}
	for _, group := range ByReason(undecided) {
		var ids []ID
		for _, result := range group {
			ids = append(ids, result.ID)
		}
		fmt.Fprintf(&text, "- %s: %s\n", markdown(ReasonOf(group[0])), strings.Join(ranges(ids), ", "))
	}
	if _, err := io.WriteString(out, text.String()); err != nil {
		return fmt.Errorf("write Markdown: %w", err)
	}
	return nil
}

// factsOf is what the run was, in a line.
func factsOf(report *ConformanceReport) string {
	implementation, provenance := report.Implementation, report.Provenance
	facts := []string{strings.TrimSpace(implementation.Name + " " + implementation.Version)}
	if provenance.KubernetesVersion != "" {
		facts = append(facts, "Kubernetes "+provenance.KubernetesVersion)
	}
	if provenance.Provider != "" {
		facts = append(facts, "provider "+provenance.Provider)
	}
	facts = append(facts, fmt.Sprintf("seed %d", provenance.Seed))
	if provenance.Focus != "" {
		facts = append(facts, "focus "+provenance.Focus)
	}
	return strings.Join(facts, ", ")
}

// markup is what Markdown, or HTML in it, would take for more than text.
var markup = strings.NewReplacer(
	"&", "&amp;", "<", "&lt;", ">", "&gt;", "\n", " ", "\\", "\\\\", "`", "\\`", "*", "\\*", "_", "\\_", "[", "\\[", "]", "\\]", "|", "\\|", "#", "\\#", "~", "\\~", "@", "&#64;",
)

// markdown is the text as Markdown shows it unchanged.
func markdown(text string) string { return markup.Replace(paragraph.Printable(text)) }

// code is the text as a span of code, whatever backticks are in it.
func code(text string) string {
	fence := "`"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	if len(fence) > 1 {
		return fence + " " + text + " " + fence
	}
	return fence + text + fence
}
