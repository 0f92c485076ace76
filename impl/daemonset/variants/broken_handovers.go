package variants

import (
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// brokenHandOvers go wrong where one template, one history or one DaemonSet takes over from another.
func brokenHandOvers() []Variant {
	return []Variant{
		{Name: "a-hand-over-ends-before-the-next-on-its-node",
			Says:   "Keeps an old pod beside an available updated one while one that it took over from is still terminating.",
			Breaks: []string{"SURGE-007"}, Planner: doing(oneHandOverAtATime)},
		{Name: "surge-pods-of-another-generation-take-no-slot",
			Says:   "Counts no node against maxSurge whose updated pod has the template generation of another time.",
			Breaks: []string{"SURGE-002", "PAUSE-001"}, Planner: lenient(maxSurge, surgesByGeneration)},
		{Name: "an-undo-replaces-the-pods-of-doubled-histories",
			Says:   "Replaces, in a rollback, the pods whose label is that of the lower of two equal histories.",
			Breaks: []string{"ROLLBACK-002"}, Planner: seeing(forgetDoubles)},
		{Name: "gives-up-pods-that-it-cannot-adopt-in-time", Says: "Makes pods beside those that it could not adopt for three seconds.",
			Breaks: []string{"HISTORY-026"}, Planner: remember(giveUpOrphans)},
	}
}

// oneHandOverAtATime looks again when the pod is gone, which wakes it.
func oneHandOverAtATime(actions *plan.Actions, state plan.State, _ time.Time) {
	isUpdated, busy := updated(state), sets.New[string]()
	for _, n := range nodes(state) {
		if slices.ContainsFunc(n.leaving, func(pod *corev1.Pod) bool { return !isUpdated(pod) }) {
			busy.Insert(n.name)
		}
	}
	withoutDeletions(actions, func(d plan.PodDeletion) bool { return d.Reason == plan.ReasonReplaced && busy.Has(d.Node) })
}

// surgesByGeneration is how a node surges with no pod of the current generation: its template has come back.
func surgesByGeneration(n *node, state plan.State, now time.Time) bool {
	generation := state.DaemonSet.Annotations[appsv1.DeprecatedTemplateGeneration]
	return n.surges(state, now) && !slices.ContainsFunc(n.news, func(pod *corev1.Pod) bool { return pod.Labels[plan.GenerationLabel] == generation })
}

// forgetDoubles takes all but the highest of the histories of the current template for other ones, until that has the largest number of all.
func forgetDoubles(state *plan.State, _ time.Time) {
	ds, largest := state.DaemonSet, int64(0)
	var kept *appsv1.ControllerRevision
	isCurrent := func(r *appsv1.ControllerRevision) bool {
		stored := plan.StoredTemplate(r)
		return stored != nil && apiequality.Semantic.DeepEqual(stored, &ds.Spec.Template)
	}
	for _, revision := range state.Revisions {
		largest = max(largest, revision.Revision)
		if isCurrent(revision) && (kept == nil || revision.Revision > kept.Revision) {
			kept = revision
		}
	}
	if kept == nil || kept.Revision == largest {
		return
	}
	other := ds.Spec.Template.DeepCopy()
	metav1.SetMetaDataAnnotation(&other.ObjectMeta, "example.org/double", "lower")
	data, err := plan.RevisionData(other)
	if err != nil {
		return
	}
	state.Revisions = slices.Clone(state.Revisions)
	for i, revision := range state.Revisions {
		if revision != kept && isCurrent(revision) {
			state.Revisions[i] = revision.DeepCopy()
			state.Revisions[i].Data.Raw = data
		}
	}
}

// giveUpOrphans hides pods that nobody has controlled for too long.
func giveUpOrphans(m *memory[map[types.UID]time.Time]) Around {
	return seeing(func(state *plan.State, now time.Time) {
		since := m.of(*state)
		if *since == nil {
			*since = map[types.UID]time.Time{}
		}
		withoutPods(state, func(pod *corev1.Pod) bool {
			if metav1.GetControllerOfNoCopy(pod) != nil {
				return false
			}
			if _, known := (*since)[pod.UID]; !known {
				(*since)[pod.UID] = now
			}
			return now.Sub((*since)[pod.UID]) > 3*time.Second
		})
	})
}
