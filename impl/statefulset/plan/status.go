package plan

import (
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"

	daemons "github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// status plans the status. When every pod is updated and available, the revision before is no longer current.
func (p *pass) status() {
	status := p.set.Status.DeepCopy()
	*status = appsv1.StatefulSetStatus{
		ObservedGeneration: p.set.Generation, CollisionCount: p.history.collisions, Conditions: status.Conditions,
		CurrentRevision: p.history.current, UpdateRevision: p.history.update.Name,
	}
	for _, pod := range slices.Concat(p.members, p.condemned) {
		if pod == nil {
			continue
		}
		status.Replicas++
		if daemons.IsReady(pod) {
			status.ReadyReplicas++
		}
		if p.available(pod) {
			status.AvailableReplicas++
		}
		if pod.DeletionTimestamp != nil {
			continue
		}
		if pod.Labels[RevisionLabel] == status.CurrentRevision {
			status.CurrentReplicas++
		}
		if pod.Labels[RevisionLabel] == status.UpdateRevision {
			status.UpdatedReplicas++
		}
	}
	wanted := replicas(p.set)
	if int(status.Replicas) == wanted && int(status.UpdatedReplicas) == wanted && int(status.AvailableReplicas) == wanted {
		status.CurrentRevision, status.CurrentReplicas = status.UpdateRevision, status.UpdatedReplicas
	}
	if !apiequality.Semantic.DeepEqual(*status, p.set.Status) {
		p.actions.Status = status
	}
}
