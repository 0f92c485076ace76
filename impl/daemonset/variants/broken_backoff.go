package variants

import (
	"time"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// brokenBackoffs replace pods that fail too soon or too late.
func brokenBackoffs() []Variant {
	return []Variant{
		{Name: "no-back-off", Says: "Replaces pods that failed at once, again and again.",
			Breaks:  []string{"SURGE-024", "TARGET-010"},
			Planner: seeing(func(state *plan.State, _ time.Time) { state.Backoff = nil })},
		{Name: "constant-back-off", Says: "Replaces a pod that keeps failing every second.",
			Breaks: []string{"SURGE-024", "TARGET-010"},
			Planner: seeing(func(state *plan.State, _ time.Time) {
				state.Backoff = backoffs(*state, func(_ string, b plan.Backoff) plan.Backoff {
					b.Delay = plan.BackoffMin
					return b
				})
			})},
		{Name: "remembers-one-failing-node", Says: "Forgets that pods failed on a node when one fails on another.",
			Breaks: []string{"SURGE-024", "TARGET-010"},
			Planner: seeing(func(state *plan.State, _ time.Time) {
				latest := ""
				for name, b := range state.Backoff {
					if latest == "" || b.Last.After(state.Backoff[latest].Last) || b.Last.Equal(state.Backoff[latest].Last) && name < latest {
						latest = name
					}
				}
				state.Backoff = backoffs(*state, func(name string, b plan.Backoff) plan.Backoff {
					if name != latest {
						return plan.Backoff{}
					}
					return b
				})
			})},
		{Name: "backed-off-nodes-cost-nothing", Says: "Does not hold a node against maxUnavailable while it waits to replace a pod that failed there.",
			Breaks: []string{"ROLLING-012", "ROLLING-002"},
			Planner: lenient(maxUnavailable, func(n *node, state plan.State, now time.Time) bool {
				return n.unavailable(state, now) && len(n.ended) > 0 && now.Before(state.Backoff[n.name].Until())
			})},
		{Name: "one-back-off-for-all-nodes", Says: "Lets a pod that failed once wait as long as those of the node where most failed.",
			Breaks: []string{"TARGET-010"},
			Planner: seeing(func(state *plan.State, _ time.Time) {
				longest := plan.Backoff{}
				for _, b := range state.Backoff {
					if b.Until().After(longest.Until()) {
						longest = b
					}
				}
				all := map[string]plan.Backoff{}
				for _, node := range state.Nodes {
					all[node.Name] = longest
				}
				state.Backoff = all
			})},
	}
}

func backoffs(state plan.State, of func(node string, b plan.Backoff) plan.Backoff) map[string]plan.Backoff {
	changed := map[string]plan.Backoff{}
	for name, b := range state.Backoff {
		changed[name] = of(name, b)
	}
	return changed
}
