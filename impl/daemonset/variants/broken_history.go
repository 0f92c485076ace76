package variants

import (
	"fmt"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// brokenHistories make histories wrongly: when they should not, by other names, with other numbers.
func brokenHistories() []Variant {
	return []Variant{
		{Name: "begins-with-number-zero", Says: "Gives the first history of a DaemonSet the number 0.",
			Breaks: []string{"HISTORY-001"},
			Planner: doing(func(actions *plan.Actions, _ plan.State, _ time.Time) {
				if first := actions.CreateRevision; first != nil && first.Revision == 1 {
					first.Revision = 0
				}
				withoutUpdates(actions, func(update plan.RevisionUpdate) bool { return update.Revision.Revision == 1 })
			})},
		{Name: "names-histories-by-number", Says: "Names histories after their number.",
			Breaks: []string{"HISTORY-002"},
			Planner: making(func(revision *appsv1.ControllerRevision, state plan.State) {
				revision.Name = fmt.Sprintf("%s-r%d", state.DaemonSet.Name, revision.Revision)
			})},
		{Name: "makes-a-history-for-every-change", Says: "Makes a history for every change of the spec.",
			Breaks: []string{"HISTORY-004"}, Planner: remember(makeForChanges)},
		{Name: "takes-equal-content-for-a-collision", Says: "Takes any history of somebody else's under its name for one with other content.",
			Breaks: []string{"HISTORY-005"},
			Planner: seeing(func(state *plan.State, _ time.Time) {
				state.Revisions = slices.Clone(state.Revisions)
				for i, revision := range state.Revisions {
					if metav1.GetControllerOf(revision) == nil {
						state.Revisions[i] = revision.DeepCopy()
						state.Revisions[i].Data.Raw = []byte(`{}`)
					}
				}
			})},
		{Name: "gives-up-at-a-collision", Says: "Does not look for another name when that of a new history is taken.",
			Breaks: []string{"HISTORY-006"},
			Planner: reporting(func(status *appsv1.DaemonSetStatus, state plan.State, _ time.Time) {
				status.CollisionCount = state.DaemonSet.Status.CollisionCount
			})},
		{Name: "forgets-collisions", Says: "Writes the status without the number of collisions.",
			Breaks: []string{"HISTORY-006"},
			Planner: reporting(func(status *appsv1.DaemonSetStatus, state plan.State, _ time.Time) {
				if state.DaemonSet.Status.CollisionCount != nil {
					status.CollisionCount = nil
				}
			})},
		{Name: "counts-a-collision-twice", Says: "Raises the number of collisions by two.",
			Breaks: []string{"HISTORY-006", "HISTORY-007"},
			Planner: reporting(func(status *appsv1.DaemonSetStatus, state plan.State, _ time.Time) {
				if status.CollisionCount != nil && state.DaemonSet.Status.CollisionCount == nil {
					status.CollisionCount = new(int32)
					*status.CollisionCount = 2
				}
			})},
		{Name: "makes-pods-without-history", Says: "Makes the pods of a new template, and no history.",
			Breaks: []string{"HISTORY-008"}, Planner: withoutHistory},
		{Name: "restarts-pods-whose-history-is-lost", Says: "Deletes the pods of the current template when it makes its history again.",
			Breaks: []string{"HISTORY-027"},
			Planner: doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
				if actions.CreateRevision == nil {
					return
				}
				for _, n := range nodes(state) {
					for _, pod := range n.news {
						remove(actions, pod, plan.ReasonOutdated)
					}
				}
			})},
		{Name: "puts-finalizers-on-histories", Says: "Makes histories with a finalizer that it never takes away.",
			Breaks:  []string{"HISTORY-025"},
			Planner: making(func(revision *appsv1.ControllerRevision, _ plan.State) { revision.Finalizers = []string{finalizer} })},
	}
}

// making changes each history that is made.
func making(change func(revision *appsv1.ControllerRevision, state plan.State)) Around {
	return doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
		if actions.CreateRevision != nil {
			change(actions.CreateRevision, state)
		}
	})
}

// generation is the newest that was seen.
type generation struct{ seen int64 }

func makeForChanges(m *memory[generation]) Around {
	return doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
		before := m.of(state)
		now := state.DaemonSet.Generation
		if before.seen == now {
			return
		}
		changed := before.seen != 0
		before.seen = now
		revision, err := plan.NewRevision(state.DaemonSet, 0)
		if !changed || actions.CreateRevision != nil || err != nil {
			return
		}
		revision.Name = fmt.Sprintf("%s-%d", revision.Name, now)
		actions.CreateRevision = revision
	})
}

// withoutHistory plans as if the history that it does not make were there.
func withoutHistory(next plan.Planner) plan.Planner {
	return func(state plan.State, now time.Time) plan.Actions {
		actions := next(state, now)
		if actions.CreateRevision == nil || len(state.Revisions) == 0 {
			return actions
		}
		state.Revisions = append(slices.Clone(state.Revisions), actions.CreateRevision)
		return next(state, now)
	}
}

// hashOfCurrent is the revision label of the current template.
func hashOfCurrent(state plan.State) string {
	return plan.TemplateHash(&state.DaemonSet.Spec.Template, state.DaemonSet.Status.CollisionCount)
}

// withHash shows the planner pods that which selects with the revision label of the current template.
func withHash(which func(pod *corev1.Pod, known map[string]bool) bool) Around {
	return seeing(func(state *plan.State, _ time.Time) {
		known := map[string]bool{}
		for _, revision := range state.Revisions {
			known[revision.Labels[plan.HashLabel]] = true
		}
		hash := hashOfCurrent(*state)
		changePods(state, func(pod *corev1.Pod) bool { return which(pod, known) }, func(pod *corev1.Pod) {
			metav1.SetMetaDataLabel(&pod.ObjectMeta, plan.HashLabel, hash)
		})
	})
}
