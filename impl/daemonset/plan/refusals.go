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

// refusals are the stalls of the nodes whose pods this pass deletes or creates while the API server refuses that.
func (p *pass) refusals() []stall {
	var found []stall
	for _, deletion := range p.actions.DeletePods {
		if refused, is := p.state.RefusedDeletions[deletion.Node]; is {
			found = append(found, stall{
				node: deletion.Node, reason: StalledDeletionRefused, from: refused.Since.Add(RefusalGrace),
				message: fmt.Sprintf("pod %s on node %s cannot be deleted: %s", deletion.Pod.Name, deletion.Node, quoted(refused.Words)),
			})
		}
	}
	refused := p.state.Refused
	if refused == nil {
		return found
	}
	for _, creation := range p.actions.CreatePods {
		found = append(found, stall{
			node: creation.Node, reason: StalledCreationRefused, from: refused.Since.Add(RefusalGrace),
			message: fmt.Sprintf("the pod for node %s cannot be created: %s", creation.Node, quoted(refused.Words)),
		})
	}
	return found
}
