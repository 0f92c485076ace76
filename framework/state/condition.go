// Package state has statements about the recorded state of a cluster. A scenario waits for them, and matchers ask for them: one type serves both, so
// that what was waited for is what is judged.
package state

import (
	"strings"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// Condition is a statement about a cluster's state. One that depends on the time remembers since when it has been true, so each use takes its own.
type Condition struct {
	// Text is the statement.
	Text string
	// Unmet says in what the state differs from the statement; it is empty while the statement holds.
	Unmet func(*history.Cluster) string
}

// Holds reports whether the statement is true of the state.
func (c Condition) Holds(cluster *history.Cluster) bool { return c.Unmet(cluster) == "" }

// When is a condition whose text says all there is to say.
func When(text string, holds func(*history.Cluster) bool) Condition {
	return Condition{Text: text, Unmet: func(cluster *history.Cluster) string {
		if holds(cluster) {
			return ""
		}
		return "not: " + text
	}}
}

// Right is a condition that an error describes where it is not met.
func Right(text string, check func(*history.Cluster) error) Condition {
	return Condition{Text: text, Unmet: func(cluster *history.Cluster) string {
		if err := check(cluster); err != nil {
			return err.Error()
		}
		return ""
	}}
}

// All holds while every one of the conditions does. Each is asked every time, since some remember since when.
func All(conditions ...Condition) Condition {
	return Condition{Text: texts(conditions, ", and "), Unmet: func(cluster *history.Cluster) string {
		return strings.Join(unmet(conditions, cluster), "; ")
	}}
}

// Any holds while at least one of the conditions does. Each is asked every time, since some remember since when.
func Any(conditions ...Condition) Condition {
	return Condition{Text: texts(conditions, ", or "), Unmet: func(cluster *history.Cluster) string {
		problems := unmet(conditions, cluster)
		if len(problems) < len(conditions) {
			return ""
		}
		return strings.Join(problems, "; ")
	}}
}

func texts(conditions []Condition, between string) string {
	texts := make([]string, len(conditions))
	for i, condition := range conditions {
		texts[i] = condition.Text
	}
	return strings.Join(texts, between)
}

// unmet says of each condition that does not hold in what the state differs from it.
func unmet(conditions []Condition, cluster *history.Cluster) []string {
	var problems []string
	for _, condition := range conditions {
		if problem := condition.Unmet(cluster); problem != "" {
			problems = append(problems, problem)
		}
	}
	return problems
}
