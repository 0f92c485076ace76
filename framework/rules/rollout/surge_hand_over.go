package rollout

import (
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules/situation"
)

// SurgeHandOver is SURGE-007: with maxUnavailable 0, on eligible nodes.
func SurgeHandOver() judge.Rule {
	return judge.Rule{
		Requirement: "SURGE-007",
		Kind:        judge.Obligation,
		Promise:     "with maxSurge an old pod beside an available updated one is deleted promptly",
		Needs:       everything(),
		Situations:  and(handingOver(), situation.WaitsNot(), situation.Waits(), situation.Retimed(), situation.Staggered(), situation.OnTwoOld(), situation.OnRelapsed()),
		New:         judge.DueOnNodes(handOver),
	}
}
