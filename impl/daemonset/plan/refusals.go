package plan

import (
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/sets"
)

// refusedLast puts the pods to create in the order in which they were refused, those first that never were: creating stops where one is refused, and what is
// against the pod of one node must not keep the others from theirs (RECOVERY-006).
func (p *pass) refusedLast() {
	slices.SortStableFunc(p.actions.CreatePods, func(a, b PodCreation) int { return p.refusedAt(a.Node).Compare(p.refusedAt(b.Node)) })
}

// inTurn are the nodes in the same order: a slot that goes to one whose pod is refused over and over would keep the others from theirs.
func (p *pass) inTurn(views []*nodeView) []*nodeView {
	return slices.SortedStableFunc(slices.Values(views), func(a, b *nodeView) int { return p.refusedAt(a.name).Compare(p.refusedAt(b.name)) })
}

// refusedAt is when the API server last refused a pod of the node, if it has created none since.
func (p *pass) refusedAt(node string) time.Time {
	if p.state.Refused == nil {
		return time.Time{}
	}
	return p.state.Refused.Nodes[node]
}

// refusesUpdate reports whether the API server refused the last update in place of a pod on the node.
func (p *pass) refusesUpdate(node string) bool {
	_, refused := p.state.RefusedUpdates[node]
	return refused
}

// refusals are the stalls of the eligible nodes whose pods are to be deleted or created while the API server refuses that. A node that must not run any keeps no
// rollout from its end.
func (p *pass) refusals(views []*nodeView) []stall {
	var found []stall
	eligible := func(node string) bool {
		return slices.ContainsFunc(views, func(view *nodeView) bool { return view.eligible && view.name == node })
	}
	for _, deletion := range slices.Concat(p.actions.DeletePods, p.actions.PutOff) {
		if refused, is := p.state.RefusedDeletions[deletion.Node]; is && eligible(deletion.Node) {
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
	for _, node := range p.refusedNodes(views) {
		found = append(found, stall{
			node: node, reason: StalledCreationRefused, from: refused.Since.Add(RefusalGrace),
			message: fmt.Sprintf("the pod for node %s cannot be created: %s", node, quoted(refused.Words)),
		})
	}
	return found
}

// refusedNodes are as many nodes as pods are to be created, the first by name of those that wait for one or were refused one. They are not those whose turn it
// is: a status that named these would change with every attempt, and a change of the status is the next attempt.
func (p *pass) refusedNodes(views []*nodeView) []string {
	waiting := sets.New[string]()
	for _, creation := range p.actions.CreatePods {
		waiting.Insert(creation.Node)
	}
	for _, view := range views {
		if _, refused := p.state.Refused.Nodes[view.name]; refused && view.eligible && view.updated() == nil {
			waiting.Insert(view.name)
		}
	}
	return sets.List(waiting)[:min(len(p.actions.CreatePods), len(waiting))]
}
