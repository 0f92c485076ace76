package reports_test

import (
	"strings"
	"testing"

	"github.com/rollcall-conformance/rollcall/reports"
)

func TestTheViolationsThatOneLeadsAreCountedByWhereTheyAre(t *testing.T) {
	t.Parallel()
	at := func(nodes ...string) []reports.Further {
		var more []reports.Further
		for _, node := range nodes {
			more = append(more, reports.Further{Node: node, ResourceVersion: 7})
		}
		return more
	}
	for name, test := range map[string]struct {
		node string
		more []reports.Further
		want string
	}{
		"none":                   {"a", nil, ""},
		"on the same node":       {"a", at("a"), "1 more time on this node"},
		"on others":              {"a", at("c", "b", "b"), "on 2 more nodes: b, c"},
		"on none":                {"a", at(""), "1 more time in this recording"},
		"of one that has none":   {"", at("", ""), "2 more times in this recording"},
		"of everything":          {"a", at("a", "", "b"), "1 more time on this node, and 1 more time in this recording, and on 1 more node: b"},
		"on more than are named": {"a", at("b", "c", "d", "e", "f", "g", "h"), "on 7 more nodes: b, c, d, e, f, 2 more"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := reports.Story(reports.Requirement{ID: "SURGE-001"}, reports.Violation{Requirement: "SURGE-001", Node: test.node, More: test.more}, reports.StoryOptions{})
			_, got, _ := strings.Cut(strings.Join(strings.Fields(text), " "), " also ")
			if got != test.want {
				t.Errorf("got %q, want %q in\n%s", got, test.want, text)
			}
		})
	}
}
