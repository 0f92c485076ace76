package rollout

import (
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// SurgeHandOver is SURGE-007: with maxUnavailable 0, on eligible nodes.
func SurgeHandOver() judge.Rule {
	return judge.Rule{
		Requirement: "SURGE-007",
		Kind:        judge.Obligation,
		Promise:     "with maxSurge an old pod beside an available updated one is deleted promptly",
		Needs:       everything(),
		New:         judge.DueOnNodes(handOver),
	}
}
