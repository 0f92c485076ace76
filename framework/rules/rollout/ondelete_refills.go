package rollout

import (
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules/situation"
)

// OnDeleteRefills is ONDELETE-002, as far as a pod comes back; that it is of the new template is TARGET-004.
func OnDeleteRefills() judge.Rule {
	return judge.Rule{
		Requirement: "ONDELETE-002",
		Kind:        judge.Obligation,
		Promise:     "with OnDelete a node whose pod is gone promptly gets another",
		Needs:       everything(),
		Situations:  and(eitherWay(), situation.Restarted(), situation.OnCordoned(), situation.OldUnreadyElsewhere(), situation.SeveralEmpty()),
		New:         judge.DueOnNodes(refill(onDelete)),
	}
}
