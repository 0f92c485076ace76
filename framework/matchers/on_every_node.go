package matchers

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// OnEveryNode asks the matcher's question of every node for itself: each node that a DaemonSet wants at the end, and each on which one of the
// matcher's events happened. There must be one. Where several nodes break the promise the first one leads and the others are counted: what they have
// in common is mostly its consequence.
func OnEveryNode(m NodeMatcher) Matcher { return everyNode{m} }

type everyNode struct{ NodeMatcher }

func (m everyNode) answer(s *Survey) Answer {
	var violations []judge.Violation
	var silent []string
	var reason string
	nodes := m.nodes(s)
	all := Answer{Promise: "on every node"}
	for _, node := range nodes {
		answer := m.answerOn(s, node)
		all.Promise, all.Due = "on every node "+answer.Promise, later(all.Due, answer.Due)
		for _, violation := range answer.Violations {
			violation.Promise = all.Promise
			violations = append(violations, violation)
		}
		if answer.Untested != "" {
			silent = append(silent, node)
			reason = answer.Untested
		}
	}
	switch {
	case len(nodes) == 0:
		all.Untested = "there is no node"
	case len(violations) > 0:
		all.Violations = []judge.Violation{lead(violations, silent)}
	case len(silent) > 0:
		all.Untested = fmt.Sprintf("%s on %s", reason, names(silent))
	}
	return all
}

// lead returns the earliest violation, with the other nodes counted in its words.
func lead(violations []judge.Violation, untested []string) judge.Violation {
	slices.SortStableFunc(violations, func(a, b judge.Violation) int { return a.Time.Compare(b.Time) })
	first := violations[0]
	var others []string
	for _, violation := range violations[1:] {
		others = append(others, violation.Node)
	}
	if len(others) > 0 {
		first.Got += ", and the promise is broken on " + names(others) + ", too"
	}
	if len(untested) > 0 {
		first.Got += ", and it was not put to the test on " + names(untested)
	}
	return first
}

// names lists a few nodes and counts the rest.
func names(nodes []string) string {
	const most = 3
	if len(nodes) > most {
		return fmt.Sprintf("%s and %d more nodes", strings.Join(nodes[:most], ", "), len(nodes)-most)
	}
	return strings.Join(nodes, ", ")
}

func (m everyNode) nodes(s *Survey) []string {
	nodes := sets.New[string]()
	for _, daemonSet := range s.end.DaemonSets {
		nodes.Insert(s.end.EligibleNodes(daemonSet)...)
	}
	for _, event := range m.about() {
		for _, o := range event.find(s) {
			nodes.Insert(o.Node())
		}
	}
	nodes.Delete("")
	return slices.Sorted(slices.Values(nodes.UnsortedList()))
}

// Match implements Gomega's matcher.
func (m everyNode) Match(actual any) (bool, error) { return gomegaMatcher{m}.match(actual) }

// FailureMessage implements Gomega's matcher.
func (m everyNode) FailureMessage(actual any) string { return gomegaMatcher{m}.failure(actual) }

// NegatedFailureMessage implements Gomega's matcher.
func (m everyNode) NegatedFailureMessage(actual any) string { return gomegaMatcher{m}.negated(actual) }
