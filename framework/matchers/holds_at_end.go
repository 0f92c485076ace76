package matchers

import (
	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// HoldsAtEnd asks that the state that the history ends with is right; the error says what is not.
func HoldsAtEnd(text string, right func(*history.Cluster) error) Matcher {
	return question{promise: "at the end " + text, ask: func(h *history.History, _ string) *judge.Violation {
		end := history.NewCluster()
		var last history.Entry
		h.Replay(func(cluster *history.Cluster, change history.Change) { end, last = cluster, change.Entry })
		if err := right(end); err != nil {
			return &judge.Violation{Got: err.Error(), ResourceVersion: last.ResourceVersion, Time: last.Time}
		}
		return nil
	}}
}
