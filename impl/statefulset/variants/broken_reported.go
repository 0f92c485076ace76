package variants

import (
	"bytes"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"

	daemons "github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
	"github.com/rollcall-conformance/rollcall/impl/inplace"
	"github.com/rollcall-conformance/rollcall/impl/statefulset/plan"
)

// brokenReported have defects that were reported of other controllers: they are right as long as no pod terminates below the partition, and nobody else writes revisions.
func brokenReported() []Variant {
	return []Variant{
		{Name: "set-is-current-when-what-stays-is-updated", Says: "Says that a StatefulSet's revision is current when all pods but those that are terminating are of it.",
			Breaks: []string{"INPLACE-018", "INPLACE-034"}, Planner: doing(countWhatStays)},
		{Name: "set-compares-revisions-byte-by-byte", Says: "Takes a revision of a StatefulSet for one of another template whose data is written otherwise.",
			Breaks: []string{"INPLACE-034"}, Planner: seeing(compareBytes)},
	}
}

// countWhatStays makes the revision of the update the current one as soon as no available pod that stays is of another.
func countWhatStays(actions *plan.Actions, state plan.State, now time.Time) {
	status := actions.Status
	if status == nil {
		status = state.Set.Status.DeepCopy()
	}
	staying, updated := 0, 0
	for _, pod := range state.Pods {
		if pod.DeletionTimestamp != nil {
			continue
		}
		staying++
		believed, _ := inplace.Believe(pod, now)
		if pod.Labels[plan.RevisionLabel] == status.UpdateRevision && daemons.IsAvailable(believed, state.Set.Spec.MinReadySeconds, now) {
			updated++
		}
	}
	if actions.Err != nil || state.Set.DeletionTimestamp != nil || staying == 0 || updated < staying || status.CurrentRevision == status.UpdateRevision {
		return
	}
	status.CurrentRevision, status.CurrentReplicas = status.UpdateRevision, status.UpdatedReplicas
	if actions.Status = status; apiequality.Semantic.DeepEqual(*status, state.Set.Status) {
		actions.Status = nil
	}
}

// compareBytes shows revisions of the template without it unless their data is what would be written for it.
func compareBytes(state *plan.State) {
	data, err := daemons.RevisionData(&state.Set.Spec.Template)
	if err != nil {
		return
	}
	state.Revisions = slices.Clone(state.Revisions)
	for i, revision := range state.Revisions {
		if !bytes.Equal(revision.Data.Raw, data) && holds(revision, state.Set) {
			state.Revisions[i] = revision.DeepCopy()
			state.Revisions[i].Data.Raw = []byte("{}")
		}
	}
}

// holds reports whether the revision is of the StatefulSet's template.
func holds(revision *appsv1.ControllerRevision, set *appsv1.StatefulSet) bool {
	stored := daemons.StoredTemplate(revision)
	return stored != nil && apiequality.Semantic.DeepEqual(stored, &set.Spec.Template)
}
