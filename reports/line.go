package reports

import (
	"fmt"
	"strings"
)

// firstLine leaves out the colon before what the lines below it quote.
func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return strings.TrimSuffix(strings.TrimSpace(line), ":")
}

// FailureLine says in one line why a requirement failed: what was got, where, and how often.
func FailureLine(result RequirementResult) string {
	if len(result.Violations) == 0 {
		return firstLine(result.Reason)
	}
	first := result.Violations[0]
	var where []string
	if first.Node != "" {
		where = append(where, first.Node)
	}
	if first.ResourceVersion > 0 {
		where = append(where, fmt.Sprintf("resourceVersion %d", first.ResourceVersion))
	}
	line := "got " + first.Got
	if len(where) > 0 {
		line = strings.Join(where, ", ") + ": " + line
	}
	if others := first.others(); others != "" {
		line += ", " + others
	}
	if recordings := len(result.Violations) - 1; recordings > 0 {
		line += ", and in " + counted(recordings, "more recording")
	}
	if first.SameEventAs != "" {
		line += fmt.Sprintf("; the same %s breaks %s", first.cause(), first.SameEventAs)
	}
	return line
}
