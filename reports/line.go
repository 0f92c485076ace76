package reports

import (
	"fmt"
	"strings"
)

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(line)
}

// failureLine says in one line why a requirement failed.
func failureLine(result RequirementResult) string {
	if len(result.Violations) == 0 {
		return firstLine(result.Reason)
	}
	line := violationLine(result.Violations[0])
	if more := len(result.Violations) - 1; more > 0 {
		line += fmt.Sprintf(" (and %d more)", more)
	}
	return line
}

func violationLine(violation Violation) string {
	where := ""
	if violation.Node != "" {
		where = "on " + violation.Node + " "
	}
	return fmt.Sprintf("%sat resourceVersion %d: got %s; promised: %s", where, violation.ResourceVersion, violation.Got, violation.Promise)
}
