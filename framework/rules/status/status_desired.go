package status

import (
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// StatusDesired is STATUS-001. Where a node was deleted it is STATUS-014.
func StatusDesired() judge.Rule {
	return follows("STATUS-001", "desiredNumberScheduled follows the number of nodes that should run the pod", desired())
}
