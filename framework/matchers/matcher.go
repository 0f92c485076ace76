package matchers

import (
	"fmt"
	"slices"
	"strings"

	"github.com/onsi/gomega/types"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
)

// Matcher asks one question of a history.
type Matcher interface {
	types.GomegaMatcher
	// Check returns what is wrong with the history, with no requirement named; nothing if it matches.
	Check(h *history.History) []judge.Violation
}

// NodeMatcher is a question that can also be asked of each node for itself: see OnEveryNode.
type NodeMatcher interface {
	Matcher
	askOn(h *history.History, node string) *judge.Violation
	asksOf() []Event
}

// Violations is Check with the requirement named that the question belongs to.
func Violations(id requirements.ID, h *history.History, matcher Matcher) []judge.Violation {
	violations := matcher.Check(h)
	for i := range violations {
		violations[i].Requirement = id
	}
	return violations
}

// question is what all matchers are made of: the promise in words, and what a history, restricted to a node if one is named, has against it.
type question struct {
	promise string
	events  []Event
	ask     func(h *history.History, node string) *judge.Violation
}

// Check implements Matcher.
func (q question) Check(h *history.History) []judge.Violation {
	if violation := q.askOn(h, ""); violation != nil {
		return []judge.Violation{*violation}
	}
	return nil
}

func (q question) askOn(h *history.History, node string) *judge.Violation {
	violation := q.ask(h, node)
	if violation != nil {
		violation.Promise = q.promise
		if violation.Node == "" {
			violation.Node = node
		}
	}
	return violation
}

func (q question) asksOf() []Event { return q.events }

// Match implements Gomega's matcher.
func (q question) Match(actual any) (bool, error) { return match(q, actual) }

// FailureMessage implements Gomega's matcher.
func (q question) FailureMessage(actual any) string { return failure(q, actual) }

// NegatedFailureMessage implements Gomega's matcher.
func (q question) NegatedFailureMessage(any) string {
	return "expected otherwise, but it holds: " + q.promise
}

func match(m Matcher, actual any) (bool, error) {
	h, ok := actual.(*history.History)
	if !ok {
		return false, fmt.Errorf("want a *history.History, got a %T", actual)
	}
	if missing := judge.Incomplete(h); missing != "" {
		return false, fmt.Errorf("the recording decides nothing: %s", missing)
	}
	return len(m.Check(h)) == 0, nil
}

func failure(m Matcher, actual any) string {
	h, ok := actual.(*history.History)
	if !ok {
		return fmt.Sprintf("want a *history.History, got a %T", actual)
	}
	var text strings.Builder
	for _, violation := range m.Check(h) {
		fmt.Fprintf(&text, "%s: got %s", violation.Promise, violation.Got)
		if violation.Node != "" {
			fmt.Fprintf(&text, " on %s", violation.Node)
		}
		text.WriteString("\n")
		for _, entry := range violation.Window {
			fmt.Fprintf(&text, "  rv %-8d +%-8.3fs %s\n", entry.ResourceVersion, entry.Received.Seconds(), Occurrence{Change: history.Change{Entry: entry}}.describe())
		}
	}
	return text.String()
}

// occurrences finds the event, on one node if one is named. What is felt on no node in particular, such as a changed template, is felt on every one.
func occurrences(e Event, h *history.History, node string) []Occurrence {
	found := e.find(h)
	if node == "" {
		return found
	}
	return keep(found, func(o Occurrence) bool { return o.Node() == node || o.Pod() == nil && o.Node() == "" })
}

// wrong is a violation at an occurrence, with others that explain it.
func wrong(got string, at Occurrence, others ...Occurrence) *judge.Violation {
	shown := slices.SortedFunc(slices.Values(append(slices.Clone(others), at)), Occurrence.compare)
	shown = slices.CompactFunc(shown, func(a, b Occurrence) bool { return a.compare(b) == 0 })
	violation := &judge.Violation{Got: got, Node: at.Node(), ResourceVersion: at.ResourceVersion, Time: at.At}
	for _, o := range shown[max(0, len(shown)-maxWindow):] {
		violation.Window = append(violation.Window, o.Entry)
	}
	return violation
}

// maxWindow is how many entries a violation shows.
const maxWindow = 12

// missing is the violation of an event that never happened.
func missing(e Event, h *history.History) *judge.Violation {
	violation := &judge.Violation{Got: fmt.Sprintf("no %s at all", e)}
	if len(h.Entries) > 0 {
		end := h.Entries[len(h.Entries)-1]
		violation.ResourceVersion, violation.Time = end.ResourceVersion, end.Time
	}
	return violation
}
