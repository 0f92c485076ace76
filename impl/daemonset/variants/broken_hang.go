package variants

import (
	"time"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// brokenHangs go wrong when their process has stood still for a while.
func brokenHangs() []Variant {
	return []Variant{
		{Name: "ignores-timers-that-are-late", Says: "Takes a timer that rings more than a second late for that of a plan which is out of date, and waits for the next event.",
			Breaks: []string{"RECOVERY-001", "SURGE-007"}, Planner: remember(ignoreLateTimers)},
	}
}

func ignoreLateTimers(m *memory[time.Time]) Around {
	return func(next plan.Planner) plan.Planner {
		return func(state plan.State, now time.Time) plan.Actions {
			due := m.of(state)
			late := !due.IsZero() && now.Sub(*due) > time.Second
			*due = time.Time{}
			if late {
				return plan.Actions{}
			}
			actions := next(state, now)
			if actions.RequeueAfter > 0 {
				*due = now.Add(actions.RequeueAfter)
			}
			return actions
		}
	}
}
