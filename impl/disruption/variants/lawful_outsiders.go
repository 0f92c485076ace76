package variants

import (
	"time"

	"github.com/rollcall-conformance/rollcall/impl/disruption/plan"
)

// lawfulOutsiders say less than the reference where there is nothing to say, or have a clock that is behind.
func lawfulOutsiders() []Variant {
	return []Variant{
		{Name: "counts-no-pod-when-it-fails", Says: "Has currentHealthy zero, as desiredHealthy and expectedPods, while a budget cannot be computed.",
			Lawful: "PDB-018 names disruptionsAllowed and the condition alone, and EVICT-025 is kept by a desiredHealthy of zero.",
			Planner: doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
				if actions.Status == nil || !failed(actions.Status) {
					return
				}
				status := actions.Status.DeepCopy()
				status.CurrentHealthy = 0
				if actions.Status = unlessWritten(state.Budget, status); actions.Status == nil {
					// The event goes with a write (PDB-035).
					actions.Events = nil
				}
			})},
		{Name: "has-a-clock-that-is-behind", Says: "Has a clock that is two and a half seconds behind, so that entries of disruptedPods run out later.",
			Lawful: "PDB-014 has an entry dropped after two minutes, and a reaction may take five seconds. No requirement asks by whose clock a condition has changed.",
			Planner: func(next plan.Planner) plan.Planner {
				return func(state plan.State, now time.Time) plan.Actions {
					return next(state, now.Add(-2500*time.Millisecond))
				}
			}},
	}
}
