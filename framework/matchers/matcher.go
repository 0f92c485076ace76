package matchers

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/onsi/gomega/types"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// Matcher asks one question of a history.
type Matcher interface {
	types.GomegaMatcher
	// answer is the history's, once it has been surveyed.
	answer(*Survey) Answer
	// asksOf are the events that the answer depends on.
	asksOf() []Event
}

// NodeMatcher is a question that can also be asked of each node for itself: see OnEveryNode.
type NodeMatcher interface {
	Matcher
	answerOn(s *Survey, node string) Answer
	// about are the events that make a node one to ask about.
	about() []Event
}

// gomegaMatcher makes a Gomega matcher over *history.History of a matcher.
type gomegaMatcher struct{ Matcher }

func (g gomegaMatcher) match(actual any) (bool, error) {
	h, ok := actual.(*history.History)
	if !ok {
		return false, fmt.Errorf("want a *history.History, got a %T", actual)
	}
	if missing := judge.Incomplete(h); missing != "" {
		return false, fmt.Errorf("the recording decides nothing: %s", missing)
	}
	return answerOf(h, g.Matcher).Kept(), nil
}

func (g gomegaMatcher) failure(actual any) string {
	h, ok := actual.(*history.History)
	if !ok {
		return fmt.Sprintf("want a *history.History, got a %T", actual)
	}
	answer := answerOf(h, g.Matcher)
	if len(answer.Violations) == 0 {
		return answer.String()
	}
	var text strings.Builder
	for _, violation := range answer.Violations {
		fmt.Fprintf(&text, "%s: got %s", violation.Promise, violation.Got)
		if violation.Node != "" {
			fmt.Fprintf(&text, " on %s", violation.Node)
		}
		text.WriteString("\n")
		for _, entry := range violation.Window {
			fmt.Fprintf(&text, "  rv %-8d +%-8.3fs %s\n", entry.ResourceVersion, entry.Received.Seconds(), describe(entry))
		}
	}
	return text.String()
}

func (g gomegaMatcher) negated(actual any) string {
	return fmt.Sprintf("expected otherwise, but: %s", answerOf(actual.(*history.History), g.Matcher))
}

// question is what most matchers are made of: the promise in words, and the answer of a history, restricted to a node if one is named.
type question struct {
	promise string
	// subjects are the events that make a node one to ask about, bounds those that the answer depends on besides.
	subjects, bounds []Event
	ask              func(s *Survey, node string) Answer
}

func (q question) answer(s *Survey) Answer { return q.answerOn(s, "") }

func (q question) answerOn(s *Survey, node string) Answer {
	answer := q.ask(s, node)
	answer.Promise = q.promise
	for i := range answer.Violations {
		// A standing rule says itself what was promised.
		if answer.Violations[i].Promise == "" {
			answer.Violations[i].Promise = q.promise
		}
		if answer.Violations[i].Node == "" {
			answer.Violations[i].Node = node
		}
	}
	return answer
}

func (q question) asksOf() []Event { return slices.Concat(q.subjects, q.bounds) }
func (q question) about() []Event  { return q.subjects }

// Match implements Gomega's matcher.
func (q question) Match(actual any) (bool, error) { return gomegaMatcher{q}.match(actual) }

// FailureMessage implements Gomega's matcher.
func (q question) FailureMessage(actual any) string { return gomegaMatcher{q}.failure(actual) }

// NegatedFailureMessage implements Gomega's matcher.
func (q question) NegatedFailureMessage(actual any) string { return gomegaMatcher{q}.negated(actual) }

// occurrences finds the event, on one node if one is named. What is felt on no node in particular, such as a changed template, is felt on every one.
func (s *Survey) occurrences(e Event, node string) []Occurrence {
	found := e.find(s)
	if node == "" {
		return found
	}
	return keep(found, func(o Occurrence) bool { return o.Node() == node || o.Pod() == nil && o.Node() == "" })
}

// wrong is a violation at an occurrence, with others that explain it.
func wrong(got string, at Occurrence, others ...Occurrence) Answer {
	shown := slices.SortedFunc(slices.Values(append(slices.Clone(others), at)), Occurrence.compare)
	shown = slices.CompactFunc(shown, func(a, b Occurrence) bool { return a.compare(b) == 0 })
	violation := &judge.Violation{Got: got, Node: at.Node(), ResourceVersion: at.ResourceVersion, Time: at.At}
	for _, o := range shown[max(0, len(shown)-maxWindow):] {
		violation.Window = append(violation.Window, o.Entry)
	}
	return broken(violation)
}

// maxWindow is how many entries a violation shows.
const maxWindow = 12

// excused is the answer to what somebody did at an instant that a standstill of the API server may explain; false if none does.
func (s *Survey) excused(got string, at time.Time) (Answer, bool) {
	standstill := s.h.Overshadowing(at)
	if standstill == nil {
		return Answer{}, false
	}
	return untested("%s, which may be due to a standstill: %s", got, standstill), true
}

// excusedUntil is excused for what had not come about at an instant: it may have been due only a moment before.
func (s *Survey) excusedUntil(got string, at time.Time) (Answer, bool) {
	standstill := s.h.Hindering(at.Add(-atOnce), at)
	if standstill == nil {
		return Answer{}, false
	}
	return untested("%s, which may be due to a standstill: %s", got, standstill), true
}

// act is wrong for what somebody did, unless a standstill of the API server may explain it.
func (s *Survey) act(got string, at Occurrence, others ...Occurrence) Answer {
	if answer, excused := s.excused(got, at.At); excused {
		return answer
	}
	return wrong(got, at, others...)
}

// late reports whether more than d had passed at an instant since an earlier one. standstill is set where that may be due to one.
func (s *Survey) late(since, at time.Time, d time.Duration) (late bool, standstill *history.Standstill) {
	switch {
	case at.Sub(since) <= d:
		return false, nil
	case at.After(s.h.Allowed(since, d)):
		return true, nil
	}
	return false, s.h.Hindering(since, since.Add(d))
}

// overdue is the answer to something promised that has not come about: broken if the time for it has passed, else untested.
func (s *Survey) overdue(got string, seen ...Occurrence) Answer {
	return s.overdueIn(atOnce, got, seen...)
}

// overdueIn is overdue for what may take that long once nothing moves any more.
func (s *Survey) overdueIn(d time.Duration, got string, seen ...Occurrence) Answer {
	if !s.stoodStill(d) {
		if standstill := s.h.Hindering(s.moved, s.last.Time); standstill != nil {
			return untested("%s, but %s", got, standstill)
		}
		ends := untested("%s, but the recording ends while things still change, less than %s after the last one", got, d)
		return ends.until(s.h.Allowed(s.moved, d))
	}
	if pod := s.end.Unproved(); pod != "" {
		return untested("%s, but it is unknown whether the kubelet of pod %s saw a patch that was reverted", got, pod)
	}
	violation := &judge.Violation{Got: got, ResourceVersion: s.last.ResourceVersion, Time: s.last.Time}
	for _, o := range seen[max(0, len(seen)-maxWindow):] {
		violation.Window = append(violation.Window, o.Entry)
	}
	return broken(violation)
}
