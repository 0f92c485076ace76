package matchers

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// OnEveryNode asks the matcher's question of every node for itself: each node that a DaemonSet wants at the end, and each on which one of the
// matcher's events happened. There must be one.
func OnEveryNode(m NodeMatcher) Matcher { return everyNode{m} }

type everyNode struct{ NodeMatcher }

// Check implements Matcher: at most one violation a node.
func (m everyNode) Check(h *history.History) []judge.Violation {
	nodes := m.nodes(h)
	if len(nodes) == 0 {
		return []judge.Violation{{Promise: "on every node", Got: "no node to ask it of"}}
	}
	var violations []judge.Violation
	for _, node := range nodes {
		if violation := m.askOn(h, node); violation != nil {
			violation.Promise = "on every node " + violation.Promise
			violations = append(violations, *violation)
		}
	}
	return violations
}

func (m everyNode) nodes(h *history.History) []string {
	nodes := sets.New[string]()
	end := history.NewCluster()
	h.Replay(func(cluster *history.Cluster, _ history.Change) { end = cluster })
	for _, daemonSet := range end.DaemonSets {
		nodes.Insert(end.EligibleNodes(daemonSet)...)
	}
	for _, event := range m.asksOf() {
		for _, o := range event.find(h) {
			nodes.Insert(o.Node())
		}
	}
	nodes.Delete("")
	return slices.Sorted(slices.Values(nodes.UnsortedList()))
}

// Match implements Gomega's matcher.
func (m everyNode) Match(actual any) (bool, error) { return match(m, actual) }

// FailureMessage implements Gomega's matcher.
func (m everyNode) FailureMessage(actual any) string { return failure(m, actual) }

// NegatedFailureMessage implements Gomega's matcher.
func (m everyNode) NegatedFailureMessage(actual any) string {
	return "on every node: " + m.NodeMatcher.NegatedFailureMessage(actual)
}
