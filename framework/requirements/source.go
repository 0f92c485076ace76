package requirements

import (
	"fmt"
	"regexp"
	"strconv"
)

// Source is a passage of one of the design documents that the requirements are drawn from.
type Source struct {
	// Document is S0 (DaemonSet maxSurge, KEP-1591), S1 (in-place pod update, KEP-33), S2 (DaemonSet updates),
	// S3 (PodDisruptionBudget to stable, KEP-85) or S4 (UnitedDaemonSet).
	Document string
	// First and Last are line numbers, counted from 1 and both included.
	First, Last int
}

var sourceForm = regexp.MustCompile(`^(S[0-9]) L([1-9][0-9]*)(?:-([1-9][0-9]*))?$`)

// ParseSource reads a source written as `S0 L47` or `S0 L47-88`. It fails if there is no such document or line.
func ParseSource(text string) (Source, error) {
	match := sourceForm.FindStringSubmatch(text)
	if match == nil {
		return Source{}, fmt.Errorf("source %q: write it as S0 L47 or S0 L47-88", text)
	}
	lines := documentLines(match[1])
	if lines == 0 {
		return Source{}, fmt.Errorf("source %q: no document %s; the documents are S0 to S4", text, match[1])
	}
	first, err := strconv.Atoi(match[2])
	if err != nil {
		return Source{}, fmt.Errorf("source %q: %w", text, err)
	}
	last := first
	if match[3] != "" {
		if last, err = strconv.Atoi(match[3]); err != nil {
			return Source{}, fmt.Errorf("source %q: %w", text, err)
		}
	}
	if last < first {
		return Source{}, fmt.Errorf("source %q: the last line comes before the first", text)
	}
	if last > lines {
		return Source{}, fmt.Errorf("source %q: %s has %d lines", text, match[1], lines)
	}
	return Source{Document: match[1], First: first, Last: last}, nil
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

// String writes the source as ParseSource reads it.
func (s Source) String() string {
	if s.First == s.Last {
		return fmt.Sprintf("%s L%d", s.Document, s.First)
	}
	return fmt.Sprintf("%s L%d-%d", s.Document, s.First, s.Last)
}

// MarshalText makes reports and the catalogue's digest use the written form.
func (s Source) MarshalText() ([]byte, error) { return []byte(s.String()), nil }
