package variants

import (
	"bytes"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// brokenRevisions keep the history of templates wrongly, or tell wrongly what is of which template.
func brokenRevisions() []Variant {
	return []Variant{
		{Name: "no-revision-label", Says: "Labels no pod with its revision.",
			Breaks: []string{"API-020", "HISTORY-009"},
			Planner: doing(func(actions *plan.Actions, _ plan.State, _ time.Time) {
				for _, creation := range actions.CreatePods {
					delete(creation.Pod.Labels, plan.HashLabel)
				}
				for i := range actions.PatchPods {
					actions.PatchPods[i].Hash = ""
				}
				withoutEmptyPatches(actions)
			})},
		{Name: "no-generation-label", Says: "Labels no pod with its template generation.",
			Breaks: []string{"API-021", "HISTORY-009"},
			Planner: doing(func(actions *plan.Actions, _ plan.State, _ time.Time) {
				for _, creation := range actions.CreatePods {
					delete(creation.Pod.Labels, plan.GenerationLabel)
				}
			})},
		{Name: "notices-only-template-changes", Says: "Does not notice that a DaemonSet has changed unless its template has.",
			Breaks: []string{"ROLLING-017", "SURGE-020"},
			Planner: remember(func(m *memory[appsv1.DaemonSet]) Around {
				return seeing(func(state *plan.State, _ time.Time) {
					before := m.of(*state)
					if before.Generation == 0 || !apiequality.Semantic.DeepEqual(before.Spec.Template, state.DaemonSet.Spec.Template) {
						state.DaemonSet.DeepCopyInto(before)
					}
					ds := state.DaemonSet.DeepCopy()
					ds.Generation, ds.Spec = before.Generation, before.Spec
					state.DaemonSet = ds
				})
			})},
		{Name: "restarts-for-any-change", Says: "Takes a pod for outdated that was made before any change of the spec, not only one of the template.",
			Breaks: []string{"ROLLING-015", "SURGE-014"}, Planner: both(seeing(readMade), doing(writeMade))},
		{Name: "ignores-template-metadata", Says: "Takes templates for the same that differ in labels or annotations only.",
			Breaks: []string{"ROLLING-016"},
			Planner: remember(func(m *memory[corev1.PodTemplateSpec]) Around {
				return seeingSpec(func(spec *appsv1.DaemonSetSpec, state plan.State, _ time.Time) {
					before := m.of(state)
					if !apiequality.Semantic.DeepEqual(before.Spec, spec.Template.Spec) {
						spec.Template.DeepCopyInto(before)
					}
					before.DeepCopyInto(&spec.Template)
				})
			})},
		{Name: "makes-histories-anew-after-a-collision", Says: "Once a name has collided, looks for a template's history only under the name that it would have now.",
			Breaks: []string{"ROLLBACK-001"},
			Planner: seeing(func(state *plan.State, _ time.Time) {
				ds := state.DaemonSet
				if ds.Status.CollisionCount == nil || *ds.Status.CollisionCount == 0 {
					return
				}
				state.Revisions = slices.DeleteFunc(slices.Clone(state.Revisions), func(revision *appsv1.ControllerRevision) bool {
					return revision.Labels[plan.HashLabel] == plan.TemplateHash(&ds.Spec.Template, nil) && metav1.IsControlledBy(revision, ds)
				})
			})},
		{Name: "rollback-keeps-the-old-number", Says: "Leaves the number of the revision that a rollback goes back to.",
			Breaks: []string{"HISTORY-010", "ROLLBACK-001", "KUBECTL-003"}, Planner: doing(keepNumbers)},
		{Name: "keeps-the-number-of-what-is-in-use", Says: "Leaves the number of the revision that a rollback goes back to while pods are of it.", Breaks: []string{"HISTORY-010"},
			Planner: doing(func(actions *plan.Actions, state plan.State, now time.Time) {
				hash := plan.TemplateHash(&state.DaemonSet.Spec.Template, state.DaemonSet.Status.CollisionCount)
				if slices.ContainsFunc(state.Pods, func(pod *corev1.Pod) bool { return pod.Labels[plan.HashLabel] == hash }) {
					keepNumbers(actions, state, now)
				}
			})},
		{Name: "makes-histories-that-merge", Says: "Makes histories whose data is merged into a template instead of replacing it.", Breaks: []string{"KUBECTL-003"},
			Planner: doing(func(actions *plan.Actions, _ plan.State, _ time.Time) {
				if actions.CreateRevision != nil {
					actions.CreateRevision = actions.CreateRevision.DeepCopy()
					actions.CreateRevision.Data.Raw = bytes.Replace(actions.CreateRevision.Data.Raw, []byte(`"$patch":"replace",`), nil, 1)
				}
			})},
		{Name: "deletes-live-history", Says: "Deletes histories beyond the limit although pods are still of them.",
			Breaks: []string{"HISTORY-017"},
			Planner: func(next plan.Planner) plan.Planner {
				return func(state plan.State, now time.Time) plan.Actions {
					actions := next(state, now)
					withoutPods(&state, every)
					actions.DeleteRevisions = next(state, now).DeleteRevisions
					return actions
				}
			}},
		{Name: "forgets-history", Says: "Deletes the history that no pod is of any more, whatever the limit.",
			Breaks:  []string{"KUBECTL-002", "KUBECTL-003"},
			Planner: seeingSpec(func(spec *appsv1.DaemonSetSpec, _ plan.State, _ time.Time) { spec.RevisionHistoryLimit = new(int32) })},
		{Name: "keeps-all-history", Says: "Deletes no history, whatever the limit.",
			Breaks:  []string{"HISTORY-016", "ONDELETE-004", "INPLACE-014"},
			Planner: doing(func(actions *plan.Actions, _ plan.State, _ time.Time) { actions.DeleteRevisions = nil })},
		{Name: "trims-history-only-for-a-new-template", Says: "Deletes histories beyond the limit only in a rollout, not because the limit was lowered.",
			Breaks: []string{"HISTORY-021"},
			Planner: doing(func(actions *plan.Actions, _ plan.State, _ time.Time) {
				if !actions.RolloutInProgress {
					actions.DeleteRevisions = nil
				}
			})},
		{Name: "adopts-nothing", Says: "Takes over no pod that nobody controls.",
			Breaks: []string{"HISTORY-026"},
			Planner: seeing(func(state *plan.State, _ time.Time) {
				withoutPods(state, func(pod *corev1.Pod) bool { return len(pod.OwnerReferences) == 0 })
			})},
		{Name: "adopts-what-runs", Says: "Takes over pods that nobody controls only once they run.",
			Breaks: []string{"HISTORY-026"},
			Planner: seeing(func(state *plan.State, _ time.Time) {
				withoutPods(state, func(pod *corev1.Pod) bool {
					return len(pod.OwnerReferences) == 0 && pod.Status.Phase == corev1.PodPending
				})
			})},
	}
}

func withoutEmptyPatches(actions *plan.Actions) {
	var left []plan.PodPatch
	for _, patch := range actions.PatchPods {
		if patch.Adopt || patch.Release || patch.Hash != "" {
			left = append(left, patch)
		}
	}
	actions.PatchPods = left
}

// keepNumbers takes the changes of numbers out of the updates of revisions.
func keepNumbers(actions *plan.Actions, state plan.State, _ time.Time) {
	var left []plan.RevisionUpdate
	for _, update := range actions.UpdateRevisions {
		for _, revision := range state.Revisions {
			if revision.UID == update.Revision.UID {
				update.Revision.Revision = revision.Revision
				if update.Adopt || !apiequality.Semantic.DeepEqual(revision, update.Revision) {
					left = append(left, update)
				}
			}
		}
	}
	actions.UpdateRevisions = left
}
