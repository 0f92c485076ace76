package variants

import (
	"cmp"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// brokenHistoriesInUse are wrong about which histories and which pods belong together.
func brokenHistoriesInUse() []Variant {
	return []Variant{
		{Name: "on-delete-keeps-one-history-in-use", Says: "With the OnDelete strategy, keeps beyond the limit only the youngest of the histories that pods are of.",
			Breaks: []string{"HISTORY-017"}, Planner: doing(keepYoungest)},
		{Name: "terminating-pods-use-no-history", Says: "Deletes histories beyond the limit that only terminating pods are of.",
			Breaks: []string{"HISTORY-017"}, Planner: trimWithout(func(pod *corev1.Pod) bool { return pod.DeletionTimestamp != nil })},
		{Name: "ended-pods-use-no-history", Says: "Deletes histories beyond the limit that only pods are of which have ended.",
			Breaks: []string{"HISTORY-017"}, Planner: trimWithout(plan.HasEnded)},
		{Name: "pods-of-lost-nodes-use-no-history", Says: "Deletes histories beyond the limit that only pods are of whose nodes do not exist any more.",
			Breaks: []string{"HISTORY-017"}, Planner: trimForNodes},
		{Name: "a-rollback-with-a-lower-limit-loses-its-history",
			Says:   "Deletes the histories beyond a limit that was lowered before it looks whether the template, changed with the limit, has one of them.",
			Breaks: []string{"ROLLBACK-001"}, Planner: remember(trimFirst)},
		{Name: "on-delete-counts-by-generation",
			Says:   "With the OnDelete strategy, reports only pods as updated that were created since the template was changed.",
			Breaks: []string{"STATUS-008"},
			Planner: reporting(func(status *appsv1.DaemonSetStatus, state plan.State, _ time.Time) {
				if !onDelete(state) {
					return
				}
				generation := state.DaemonSet.Annotations[appsv1.DeprecatedTemplateGeneration]
				status.UpdatedNumberScheduled = int32(howMany(nodes(state), func(n *node) bool {
					return n.eligible && slices.ContainsFunc(n.news, func(pod *corev1.Pod) bool { return pod.Labels[plan.GenerationLabel] == generation })
				}))
			})},
	}
}

func keepYoungest(actions *plan.Actions, state plan.State, _ time.Time) {
	if !onDelete(state) || state.DaemonSet.Spec.RevisionHistoryLimit == nil || actions.CreateRevision != nil {
		return
	}
	hash := hashOfCurrent(state)
	old := slices.DeleteFunc(slices.Clone(state.Revisions), func(r *appsv1.ControllerRevision) bool {
		return !metav1.IsControlledBy(r, state.DaemonSet) || r.DeletionTimestamp != nil || r.Labels[plan.HashLabel] == hash
	})
	slices.SortFunc(old, func(a, b *appsv1.ControllerRevision) int { return cmp.Compare(a.Revision, b.Revision) })
	excess := len(old) - max(1, int(*state.DaemonSet.Spec.RevisionHistoryLimit))
	for i := range max(excess, 0) {
		if !slices.Contains(actions.DeleteRevisions, old[i]) {
			actions.DeleteRevisions = append(slices.Clone(actions.DeleteRevisions), old[i])
		}
	}
}

// trimWithout deletes the histories that would be deleted if there were none of the pods.
func trimWithout(hidden func(*corev1.Pod) bool) Around {
	return func(next plan.Planner) plan.Planner {
		return func(state plan.State, now time.Time) plan.Actions {
			actions := next(state, now)
			withoutPods(&state, hidden)
			actions.DeleteRevisions = next(state, now).DeleteRevisions
			return actions
		}
	}
}

// trimForNodes deletes the histories that would be deleted if there were no pods on nodes that do not exist.
func trimForNodes(next plan.Planner) plan.Planner {
	return func(state plan.State, now time.Time) plan.Actions {
		actions := next(state, now)
		if actions.Err != nil {
			return actions
		}
		there := sets.New[string]()
		for _, node := range state.Nodes {
			there.Insert(node.Name)
		}
		withoutPods(&state, func(pod *corev1.Pod) bool { return pod.Spec.NodeName != "" && !there.Has(pod.Spec.NodeName) })
		actions.DeleteRevisions = next(state, now).DeleteRevisions
		return actions
	}
}

// specSeen is the spec of the last pass.
type specSeen struct{ spec *appsv1.DaemonSetSpec }

func trimFirst(m *memory[specSeen]) Around {
	limitIn := func(spec *appsv1.DaemonSetSpec) int32 {
		if spec.RevisionHistoryLimit == nil {
			return 10
		}
		return *spec.RevisionHistoryLimit
	}
	return func(next plan.Planner) plan.Planner {
		return func(state plan.State, now time.Time) plan.Actions {
			seen := m.of(state)
			before := seen.spec
			seen.spec = state.DaemonSet.Spec.DeepCopy()
			if before == nil || limitIn(before) <= limitIn(seen.spec) {
				return next(state, now)
			}
			state.DaemonSet = state.DaemonSet.DeepCopy()
			before.Template.DeepCopyInto(&state.DaemonSet.Spec.Template)
			return plan.Actions{DeleteRevisions: next(state, now).DeleteRevisions, RequeueAfter: 500 * time.Millisecond}
		}
	}
}
