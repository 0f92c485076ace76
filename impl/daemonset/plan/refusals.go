package plan

import (
	"fmt"
	"slices"
	"time"
)

// refusedLast puts the pods to create in the order in which they were refused, those first that never were: creating stops where one is refused, and what is
// against the pod of one node must not keep the others from theirs (RECOVERY-006).
func (p *pass) refusedLast() {
	if p.state.Refused == nil {
		return
	}
	at := func(creation PodCreation) time.Time { return p.state.Refused.Nodes[creation.Node] }
	slices.SortStableFunc(p.actions.CreatePods, func(a, b PodCreation) int { return at(a).Compare(at(b)) })
}

// refusals are the stalls of the nodes whose pods this pass creates while the API server refuses them.
func (p *pass) refusals() []stall {
	refused := p.state.Refused
	if refused == nil {
		return nil
	}
	var found []stall
	for _, creation := range p.actions.CreatePods {
		found = append(found, stall{
			node: creation.Node, reason: StalledCreationRefused, from: refused.Since.Add(RefusalGrace),
			message: fmt.Sprintf("the pod for node %s cannot be created: %s", creation.Node, quoted(refused.Words)),
		})
	}
	return found
}
