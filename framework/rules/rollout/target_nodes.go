package rollout

import (
	"k8s.io/apimachinery/pkg/labels"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules/situation"
)

// TargetNodes is TARGET-001, and the part of SURGE-018 and DRAIN-008 that no pod is created: decided by the template, by the default tolerations, and by the node
// as it is recorded.
func TargetNodes() judge.Rule {
	return judge.Rule{
		Requirement: "TARGET-001",
		Kind:        judge.Prohibition,
		Promise:     "daemon pods are created only on nodes that the template's selector, affinity and tolerations allow",
		Needs:       everything(),
		Situations:  and(strategies(), situation.RolledBack(), situation.Restarted(), situation.Rollout(), situation.OnJoined(), situation.CordonedElsewhere()),
		New: func(header history.Header) judge.Observer {
			// Without a selector every node is recorded, and there is no other.
			recorded, err := labels.Parse(header.NodeSelector)
			return &targetNodes{recorded: recorded, bounded: err == nil && header.NodeSelector != ""}
		},
	}
}
