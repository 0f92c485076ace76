package requirements

import (
	"fmt"
	"regexp"
	"strconv"

	"github.com/rollcall-conformance/rollcall/reports"
)

var sourceForm = regexp.MustCompile(`^(S[0-9]) L([1-9][0-9]*)(?:-([1-9][0-9]*))?$`)

// checkSource fails unless the source has its form, "S0 L47" or "S0 L47-88", and there is such a document with such lines; see reports.Document.
func checkSource(source reports.Source) error {
	match := sourceForm.FindStringSubmatch(string(source))
	if match == nil {
		return fmt.Errorf("source %q: write it as S0 L47 or S0 L47-88", source)
	}
	lines := documentLines(match[1])
	if lines == 0 {
		return fmt.Errorf("source %q: no document %s; the documents are S0 to S4", source, match[1])
	}
	first, err := strconv.Atoi(match[2])
	if err != nil {
		return fmt.Errorf("source %q: %w", source, err)
	}
	last := first
	if match[3] != "" {
		if last, err = strconv.Atoi(match[3]); err != nil {
			return fmt.Errorf("source %q: %w", source, err)
		}
	}
	if last < first {
		return fmt.Errorf("source %q: the last line comes before the first", source)
	}
	if last > lines {
		return fmt.Errorf("source %q: %s has %d lines", source, match[1], lines)
	}
	return nil
}

// documentLines returns how many lines a document has, or 0 if there is none of that name.
func documentLines(document string) int {
	switch document {
	case "S0":
		return 343
	case "S1":
		return 225
	case "S2":
		return 1000
	case "S3":
		return 458
	case "S4":
		return 118
	}
	return 0
}
