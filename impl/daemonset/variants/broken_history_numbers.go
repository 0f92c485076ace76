package variants

import (
	"context"
	"slices"
	"strconv"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// brokenHistoryNumbers take the number of a history for something else.
func brokenHistoryNumbers() []Variant {
	return []Variant{
		{Name: "labels-pods-with-the-number-of-their-history", Says: "Labels pods with the number of the current history object as their template generation.",
			Breaks: []string{"HISTORY-009"},
			Planner: doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
				for _, revision := range state.Revisions {
					if revision.Labels[plan.HashLabel] != hashOfCurrent(state) || !metav1.IsControlledBy(revision, state.DaemonSet) {
						continue
					}
					for _, creation := range actions.CreatePods {
						creation.Pod.Labels[plan.GenerationLabel] = strconv.FormatInt(revision.Revision, 10)
					}
				}
			})},
		{Name: "numbers-a-rollback-by-counting", Says: "Gives the history that a rollback goes back to the number of histories, plus one.",
			Breaks: []string{"ROLLBACK-001"}, Planner: doing(numberByCounting)},
		{Name: "numbers-histories-for-new-generations-alone", Says: "Gives the current history a larger number only in a pass for a generation that it has not observed.",
			Breaks: []string{"HISTORY-010"},
			Planner: doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
				if state.DaemonSet.Status.ObservedGeneration != state.DaemonSet.Generation {
					return
				}
				withoutUpdates(actions, func(update plan.RevisionUpdate) bool { return renumbers(state, update) })
			})},
		{Name: "does-not-wait-for-its-histories", Says: "Does not wait until its cache shows the histories that it made.", Breaks: []string{"HISTORY-003"},
			Writer: func(c client.Client) client.Client { return historyForgetter{c} }},
	}
}

// renumbers reports whether the update gives a history another number.
func renumbers(state plan.State, update plan.RevisionUpdate) bool {
	return slices.ContainsFunc(state.Revisions, func(stored *appsv1.ControllerRevision) bool {
		return stored.UID == update.Revision.UID && stored.Revision != update.Revision.Revision
	})
}

// historyForgetter does not learn in which resourceVersion it wrote histories, so that nobody waits for them.
type historyForgetter struct{ client.Client }

// Create implements client.Client.
func (c historyForgetter) Create(ctx context.Context, object client.Object, options ...client.CreateOption) error {
	return forgetVersion(object, c.Client.Create(ctx, object, options...))
}

// Update implements client.Client.
func (c historyForgetter) Update(ctx context.Context, object client.Object, options ...client.UpdateOption) error {
	return forgetVersion(object, c.Client.Update(ctx, object, options...))
}

func forgetVersion(object client.Object, err error) error {
	if _, isHistory := object.(*appsv1.ControllerRevision); isHistory && err == nil {
		object.SetResourceVersion("0")
	}
	return err
}

// numberByCounting never lowers a number, and leaves updates out that change nothing then.
func numberByCounting(actions *plan.Actions, state plan.State, _ time.Time) {
	before, count := map[types.UID]*appsv1.ControllerRevision{}, int64(0)
	for _, revision := range state.Revisions {
		before[revision.UID] = revision
		if metav1.IsControlledBy(revision, state.DaemonSet) {
			count++
		}
	}
	var updates []plan.RevisionUpdate
	for _, update := range actions.UpdateRevisions {
		was := before[update.Revision.UID]
		if was != nil && update.Revision.Revision > was.Revision {
			update.Revision = update.Revision.DeepCopy()
			update.Revision.Revision = max(was.Revision, count+1)
		}
		if !apiequality.Semantic.DeepEqual(was, update.Revision) {
			updates = append(updates, update)
		}
	}
	actions.UpdateRevisions = updates
}
