package rollouts

import (
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
)

// Strategy is a way to roll out.
type Strategy struct {
	// With is what it has: maxSurge or maxUnavailable.
	With string
	// Limit sets the strategy with this limit, a number or a percentage of nodes.
	Limit func(value string) Edit
	// GoesOn is the promise that such a rollout comes to its end.
	GoesOn requirements.ID
}

// Strategies are both ways, for promises that hold in either.
func Strategies() []Strategy {
	return []Strategy{{"maxSurge", MaxSurge, "SURGE-011"}, {"maxUnavailable", MaxUnavailable, "ROLLING-001"}}
}
