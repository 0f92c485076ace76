package rollout

import (
	"slices"

	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// DrainTainted is DRAIN-008, as far as the pod has to go; that none is created is TARGET-001.
func DrainTainted() judge.Rule {
	return judge.Rule{
		Requirement: "DRAIN-008",
		Kind:        judge.Obligation,
		Promise:     "a node with a NoExecute taint that the pods do not tolerate promptly loses its daemon pod",
		Needs:       everything(),
		Situations:  slices.Concat(strategies(), eitherWay()),
		New:         judge.DueOnNodes(evicted(fits, "whose taint is not tolerated")),
	}
}
