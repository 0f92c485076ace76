package matchers

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// Answer is what a history says about a matcher's promise. It was kept if there is neither a violation nor a reason why it was not tested.
type Answer struct {
	// Promise in words.
	Promise string
	// Violations show it broken, the first cause first.
	Violations []judge.Violation
	// Untested says why the history does not put the promise to the test; it may stand beside violations.
	Untested string
	// Due is when a longer recording would put it to the test, if nothing changed until then. Zero if more time alone does not.
	Due time.Time
}

// Kept reports whether the promise was put to the test and held.
func (a Answer) Kept() bool { return len(a.Violations) == 0 && a.Untested == "" }

// String says in one line what the answer is.
func (a Answer) String() string {
	switch {
	case len(a.Violations) > 0:
		return fmt.Sprintf("%s: got %s", a.Violations[0].Promise, a.Violations[0].Got)
	case a.Untested != "":
		return fmt.Sprintf("%s: not tested: %s", a.Promise, a.Untested)
	}
	return a.Promise + ": kept"
}

func kept() Answer { return Answer{} }

func untested(format string, args ...any) Answer {
	return Answer{Untested: fmt.Sprintf(format, args...)}
}

// until is the untested answer that time alone makes another one.
func (a Answer) until(due time.Time) Answer {
	a.Due = due
	return a
}

func broken(violation *judge.Violation) Answer {
	return Answer{Violations: []judge.Violation{*violation}}
}

// join puts several answers together: broken if one is, else untested if one is.
func join(answers []Answer) Answer {
	var all Answer
	var promises, reasons []string
	for _, answer := range answers {
		promises = append(promises, answer.Promise)
		all.Violations, all.Due = append(all.Violations, answer.Violations...), later(all.Due, answer.Due)
		if answer.Untested != "" && !slices.Contains(reasons, answer.Untested) {
			reasons = append(reasons, answer.Untested)
		}
	}
	all.Promise, all.Untested = strings.Join(promises, "; "), strings.Join(reasons, "; ")
	return all
}
