package status

import "github.com/rollcall-conformance/rollcall/framework/judge"

// StatusMisscheduled is STATUS-003.
func StatusMisscheduled() judge.Rule {
	return follows("STATUS-003", "numberMisscheduled follows the number of nodes with a daemon pod that should have none", misscheduled())
}
