// Package disruption holds the rules about PodDisruptionBudgets: what the disruption controller writes into their status, and what is evicted on the strength
// of it. Who writes the status, other than the harness and the API server, is taken for the implementation.
package disruption

import "github.com/rollcall-conformance/rollcall/framework/judge"

// Rules returns all of the package, the most specific cause first.
func Rules() []judge.Rule {
	return []judge.Rule{
		Overdrawn(), DisruptedKept(), DisruptedDropped(), ForeignConditions(), Condition(), Unscaled(), Unmanaged(), Mixed(), Relabelled(), Shared(),
		Terminating(), Unready(), Disrupted(), IntegerMinAvailable(), PercentageMinAvailable(), IntegerMaxUnavailable(), PercentageMaxUnavailable(),
		NoneAllowed(), AllowedRange(), ExpectedScale(), Observed(), WritesOnChange(), Follows(),
	}
}
