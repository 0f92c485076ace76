package variants

import (
	"math"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/utils/ptr"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// brokenExtremes err where nothing is left, where there is as much as can be, and where two things are alike.
func brokenExtremes() []Variant {
	return []Variant{
		{Name: "the-largest-limit-keeps-no-history", Says: "Adds the current history to revisionHistoryLimit in 32 bits, so that the largest limit keeps none.",
			Breaks: []string{"HISTORY-020"},
			Planner: seeingSpec(func(spec *appsv1.DaemonSetSpec, _ plan.State, _ time.Time) {
				if ptr.Deref(spec.RevisionHistoryLimit, 0) == math.MaxInt32 {
					spec.RevisionHistoryLimit = ptr.To[int32](0)
				}
			})},
		{Name: "a-tie-needs-no-number", Says: "Leaves the number of the current history where another one has the same, and none a larger one.",
			Breaks: []string{"HISTORY-010"}, Planner: doing(leaveTies)},
		{Name: "a-stall-outlives-the-last-node", Says: "Leaves the report of a stall as it is once no node is left that should run a pod.",
			Breaks: []string{"COND-003"},
			Planner: both(
				doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
					if eligibleNodes(state) == 0 {
						actions.Events = slices.DeleteFunc(slices.Clone(actions.Events), func(e plan.Event) bool { return e.Reason == plan.EventRolloutResumed })
					}
				}),
				reporting(func(status *appsv1.DaemonSetStatus, state plan.State, _ time.Time) {
					if eligibleNodes(state) == 0 {
						status.Conditions = state.DaemonSet.Status.Conditions
					}
				}))},
		{Name: "no-nodes-are-not-known-yet", Says: "Takes it that its cache of nodes is not filled yet, and reports nothing, while no node should run a pod.",
			Breaks: []string{"STATUS-001"},
			Planner: doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
				if eligibleNodes(state) == 0 {
					actions.Status = nil
				}
			})},
		{Name: "tolerates-a-key-for-one-effect", Says: "Adds no toleration of its own for a key that the template tolerates, whatever the effect.",
			Breaks: []string{"TARGET-007"}, Planner: doing(addNoTolerationOfItsKeys)},
		{Name: "reports-by-the-revision-label", Says: "Reports only nodes as updated whose pod has the revision label of the current template.",
			Breaks: []string{"STATUS-008"}, Planner: reporting(reportLabelled)},
		{Name: "leaves-failed-pods-where-the-node-is-down", Says: "Deletes no failed pod of a node that is not Ready.",
			Breaks: []string{"TARGET-009"}, Planner: doing(leaveFailedWhereDown)},
		{Name: "asks-once-to-empty-a-node-that-left", Says: "Does not ask again for the deletion of a pod that was refused where its node is to run none.",
			Breaks: []string{"RECOVERY-014"}, Planner: remember(askOnceWhereNoneBelongs)},
	}
}

// leaveTies takes the current history's new number back where it had the largest of the others.
func leaveTies(actions *plan.Actions, state plan.State, _ time.Time) {
	actions.UpdateRevisions = slices.Clone(actions.UpdateRevisions)
	for i, update := range actions.UpdateRevisions {
		for _, stored := range state.Revisions {
			// A number is only ever raised to one above the largest of the others.
			if stored.UID == update.Revision.UID && update.Revision.Revision == stored.Revision+1 {
				actions.UpdateRevisions[i].Revision = update.Revision.DeepCopy()
				actions.UpdateRevisions[i].Revision.Revision = stored.Revision
			}
		}
	}
	actions.UpdateRevisions = slices.DeleteFunc(actions.UpdateRevisions, func(update plan.RevisionUpdate) bool {
		return slices.ContainsFunc(state.Revisions, func(stored *appsv1.ControllerRevision) bool {
			return apiequality.Semantic.DeepEqual(stored, update.Revision)
		})
	})
}

// addNoTolerationOfItsKeys leaves what the pods are to tolerate besides to the template wherever that names the key.
func addNoTolerationOfItsKeys(actions *plan.Actions, state plan.State, _ time.Time) {
	own := state.DaemonSet.Spec.Template.Spec.Tolerations
	names := func(t corev1.Toleration) bool {
		return slices.ContainsFunc(own, func(o corev1.Toleration) bool { return o.Key == t.Key && o.Effect != "" && o.Effect != t.Effect })
	}
	actions.CreatePods = slices.Clone(actions.CreatePods)
	for i, creation := range actions.CreatePods {
		pod := creation.Pod.DeepCopy()
		pod.Spec.Tolerations = slices.DeleteFunc(pod.Spec.Tolerations, func(t corev1.Toleration) bool {
			return names(t) && !slices.ContainsFunc(own, func(o corev1.Toleration) bool { return o.MatchToleration(&t) })
		})
		actions.CreatePods[i].Pod = pod
	}
}

// reportLabelled counts as updated what has the label of a history of the current template.
func reportLabelled(status *appsv1.DaemonSetStatus, state plan.State, _ time.Time) {
	current := map[string]bool{plan.TemplateHash(&state.DaemonSet.Spec.Template, state.DaemonSet.Status.CollisionCount): true}
	for _, revision := range state.Revisions {
		if stored := plan.StoredTemplate(revision); stored != nil && apiequality.Semantic.DeepEqual(*stored, state.DaemonSet.Spec.Template) {
			current[revision.Labels[plan.HashLabel]] = true
		}
	}
	delete(current, "")
	status.UpdatedNumberScheduled = int32(howMany(nodes(state), func(n *node) bool {
		return n.eligible && slices.ContainsFunc(slices.Concat(n.olds, n.news), func(pod *corev1.Pod) bool { return current[pod.Labels[plan.HashLabel]] })
	}))
}

// leaveFailedWhereDown waits for the node's kubelet before it replaces what failed there.
func leaveFailedWhereDown(actions *plan.Actions, state plan.State, _ time.Time) {
	down := map[string]bool{}
	for _, each := range state.Nodes {
		down[each.Name] = !nodeReady(each)
	}
	left := map[*corev1.Pod]bool{}
	withoutDeletions(actions, func(d plan.PodDeletion) bool {
		left[d.Pod] = d.Reason == plan.ReasonFailed && down[d.Node]
		if left[d.Pod] {
			delete(actions.Backoff, d.Node)
		}
		return left[d.Pod]
	})
	actions.Events = slices.DeleteFunc(slices.Clone(actions.Events), func(e plan.Event) bool { return e.Pod != nil && left[e.Pod] })
}

// askOnceWhereNoneBelongs drops deletions that were refused of pods on nodes that are to run none.
func askOnceWhereNoneBelongs(m *memory[asked]) Around {
	return doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
		given := m.of(state)
		if given.pods == nil {
			given.pods = sets.New[types.UID]()
		}
		withoutDeletions(actions, func(d plan.PodDeletion) bool {
			if _, refused := state.RefusedDeletions[d.Node]; refused && d.Reason == plan.ReasonIneligible {
				given.pods.Insert(d.Pod.UID)
			}
			return given.pods.Has(d.Pod.UID)
		})
	})
}
