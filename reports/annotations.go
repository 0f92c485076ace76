package reports

import (
	"fmt"
	"io"
	"strings"

	"github.com/rollcall-conformance/rollcall/reports/paragraph"
)

// annotated is how many requirements become annotations: GitHub shows ten of each kind that a step prints, and drops the rest without a word.
const annotated = 10

// WriteAnnotations writes what failed, and what could not be decided, as commands for the log of a GitHub Actions workflow: it shows them at the head of the run. What
// Kubernetes itself breaks is left out.
func WriteAnnotations(out io.Writer, report *ConformanceReport) error {
	var text strings.Builder
	for _, kind := range []struct {
		command string
		verdict Verdict
		line    func(RequirementResult) string
	}{
		{"error", Fail, FailureLine},
		{"warning", Inconclusive, func(result RequirementResult) string { return firstLine(result.Reason) }},
	} {
		var all []RequirementResult
		for _, result := range report.Requirements {
			if result.Verdict == kind.verdict && result.BrokenBy() == "" {
				all = append(all, result)
			}
		}
		for i, result := range all {
			if left := len(all) - i; i == annotated-1 && left > 1 {
				annotate(&text, kind.command, fmt.Sprintf("%d more", left), fmt.Sprintf("%d requirements more: %s; the summary of the step has them all", left, kind.verdict))
				break
			}
			annotate(&text, kind.command, fmt.Sprintf("%s %s", result.Name(), kind.verdict), kind.line(result))
		}
	}
	if _, err := io.WriteString(out, text.String()); err != nil {
		return fmt.Errorf("write annotations: %w", err)
	}
	return nil
}

// Characters that have a meaning in workflow commands: in the message, and besides in a property.
var (
	commandData     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	commandProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

func annotate(text *strings.Builder, command, title, message string) {
	fmt.Fprintf(text, "::%s title=%s::%s\n", command, commandProperty.Replace(paragraph.Printable(title)), commandData.Replace(paragraph.Printable(message)))
}
