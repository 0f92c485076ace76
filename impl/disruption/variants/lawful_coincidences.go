package variants

import (
	"math"
	"time"

	"github.com/rollcall-conformance/rollcall/impl/disruption/plan"
)

// lawfulCoincidences do otherwise than the reference while a budget cannot be computed.
func lawfulCoincidences() []Variant {
	return []Variant{
		{Name: "expects-the-selected-pods-when-it-fails",
			Says: "Has expectedPods say how many pods are selected while a budget cannot be computed.",
			Lawful: "PDB-018 names disruptionsAllowed and the condition alone, and EVICT-025 is kept by a desiredHealthy of zero: EVICT-020 does not go by expectedPods. " +
				"PDB-001 to PDB-004 are about budgets that are computed, and PDB-011 has the number belong to the spec, as that of its selector does. PDB-024: it is written when it changes.",
			Planner: doing(expectSelected)},
		{Name: "tries-scales-again-every-three-seconds",
			Says: "Tries a scale that could not be read again every three seconds, neither sooner nor ever more slowly.",
			Lawful: "PDB-018 counts a failure that may pass, and says nothing of pauses; PDB-026 brings the status up to date in five seconds. PDB-024 and PDB-025 forbid equal writes, and not looks. " +
				"PDB-014 and PDB-015 go by the clock, as before.",
			Planner: doing(func(actions *plan.Actions, _ plan.State, _ time.Time) {
				if actions.Retry == nil {
					return
				}
				actions.Retry = nil
				comeBack(actions, 3*time.Second)
			})},
	}
}

// expectSelected counts the selected pods of a budget that cannot be computed. Events go with a write.
func expectSelected(actions *plan.Actions, state plan.State, _ time.Time) {
	status := actions.Status
	if status == nil {
		status = &state.Budget.Status
	}
	if !failed(status) {
		return
	}
	status = status.DeepCopy()
	status.ExpectedPods = int32(min(len(selected(state)), math.MaxInt32))
	if actions.Status = unlessWritten(state.Budget, status); actions.Status == nil {
		actions.Events = nil
	}
}
