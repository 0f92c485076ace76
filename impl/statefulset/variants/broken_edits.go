package variants

import (
	"slices"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"

	daemons "github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
	"github.com/rollcall-conformance/rollcall/impl/inplace"
	"github.com/rollcall-conformance/rollcall/impl/statefulset/plan"
)

// brokenEdits are right as long as nothing is changed while an update is under way.
func brokenEdits() []Variant {
	return []Variant{
		{Name: "set-takes-what-was-overtaken-for-current",
			Says:   "Says that the revision which an update of a StatefulSet overtakes is current, though not all pods have come to it.",
			Breaks: []string{"INPLACE-034"},
			Planner: seeing(func(state *plan.State) {
				status := state.Set.Status
				overtaken := func(revision *appsv1.ControllerRevision) bool {
					return revision.Name == status.UpdateRevision && !ofTemplate(state.Set, revision)
				}
				if status.UpdateRevision != status.CurrentRevision && slices.ContainsFunc(state.Revisions, overtaken) {
					state.Set = state.Set.DeepCopy()
					state.Set.Status.CurrentRevision = status.UpdateRevision
				}
			})},
		{Name: "set-starts-over-when-the-spec-changes",
			Says:   "Waits no longer for the restart of a patched pod of a StatefulSet when something else of its spec than the template changes.",
			Breaks: []string{"INPLACE-033"}, Planner: startOver},
	}
}

// ofTemplate reports whether the revision is of the template in force.
func ofTemplate(set *appsv1.StatefulSet, revision *appsv1.ControllerRevision) bool {
	stored := daemons.StoredTemplate(revision)
	return stored != nil && apiequality.Semantic.DeepEqual(*stored, set.Spec.Template)
}

// startOver does not read the records of pods of the template in force that were written for an earlier generation.
func startOver(next plan.Planner) plan.Planner {
	var mu sync.Mutex
	generations := map[string]int64{}
	return func(state plan.State, now time.Time) plan.Actions {
		mu.Lock()
		defer mu.Unlock()
		state.Pods = slices.Clone(state.Pods)
		for i, pod := range state.Pods {
			key := string(pod.UID) + pod.Annotations[inplace.Record]
			if _, known := generations[key]; !known {
				generations[key] = state.Set.Generation
			}
			isOf := func(revision *appsv1.ControllerRevision) bool {
				return revision.Name == pod.Labels[plan.RevisionLabel] && ofTemplate(state.Set, revision)
			}
			if generations[key] < state.Set.Generation && slices.ContainsFunc(state.Revisions, isOf) {
				state.Pods[i] = pod.DeepCopy()
				delete(state.Pods[i].Annotations, inplace.Record)
			}
		}
		return next(state, now)
	}
}
