package matchers

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// EvictionAnswered happens with every answer to a request of the harness for the eviction of a pod whose name begins like this, whatever act it is part of.
func EvictionAnswered(prefix string) Event {
	return on("answer to the eviction of a pod "+prefix, func(_ *history.Cluster, change history.Change) bool {
		e := change.Exchange
		return e != nil && e.Verb == "create" && e.Subresource == "eviction" && !e.DryRun && strings.HasPrefix(e.Name, prefix)
	})
}

// Between keeps those occurrences that come after from's first and before to's first after that.
func Between(e, from, to Event) Event {
	return Event{text: fmt.Sprintf("%s between %s and %s", e, from, to), leaves: slices.Concat(e.leaves, from.leaves, to.leaves), find: func(s *Survey) []Occurrence {
		begun := from.find(s)
		if len(begun) == 0 {
			return nil
		}
		ended := keep(to.find(s), func(o Occurrence) bool { return o.compare(begun[0]) > 0 })
		if len(ended) == 0 {
			return nil
		}
		return keep(e.find(s), func(o Occurrence) bool { return o.compare(begun[0]) > 0 && o.compare(ended[0]) < 0 })
	}}
}

// ExactlyAccepted asks that exactly that many of the requests were accepted. Fewer say nothing where an answer was no verdict on its request.
func ExactlyAccepted(n int, answered Event) Matcher {
	return question{promise: fmt.Sprintf("exactly %d accepted, of %s", n, answered), subjects: []Event{answered}, ask: func(s *Survey, _ string) Answer {
		found := answered.find(s)
		if len(found) <= n {
			return untested("%d × %s, too few to go beyond %d", len(found), answered, n)
		}
		accepted := keep(found, func(o Occurrence) bool { return o.Exchange.Accepted() })
		if len(accepted) > n {
			return s.act(fmt.Sprintf("%d of %d accepted", len(accepted), len(found)), accepted[n], accepted[:n]...)
		}
		if len(accepted) == n {
			return kept()
		}
		for _, o := range found {
			if why := isCircumstance(o.Exchange, nil); why != "" {
				return untested("%d of %d accepted, and the API server gave no verdict on one: %s", len(accepted), len(found), why)
			}
		}
		return s.act(fmt.Sprintf("only %d of %d accepted", len(accepted), len(found)), found[len(found)-1], found[:len(found)-1]...)
	}}
}
