package matchers

import "strings"

// Promise is what the matcher asks, in words.
func Promise(m Matcher) string {
	switch m := m.(type) {
	case question:
		return m.promise
	case everyNode:
		return "on every node: " + Promise(m.NodeMatcher)
	case premise:
		return Promise(m.Matcher)
	case conjunction:
		return joined(m, ", and ")
	case disjunction:
		return joined(m, ", or ")
	}
	return ""
}

func joined(all []Matcher, by string) string {
	promises := make([]string, len(all))
	for i, m := range all {
		promises[i] = Promise(m)
	}
	return strings.Join(promises, by)
}
