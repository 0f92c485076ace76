package variants

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// brokenComparisons compare numbers of histories or statuses wrongly.
func brokenComparisons() []Variant {
	return []Variant{
		{Name: "trims-by-numbers-as-text", Says: "Deletes history 10 before history 9.",
			Breaks: []string{"HISTORY-019"}, Planner: trimming(byText)},
		{Name: "numbers-by-the-largest-text", Says: "Takes 9 for a larger number of a history than 10.",
			Breaks: []string{"HISTORY-003"}, Planner: doing(numberByText)},
		{Name: "compares-all-but-the-misscheduled", Says: "Writes no status that differs in numberMisscheduled alone.",
			Breaks: []string{"STATUS-003"},
			Planner: overlooking(func(status *appsv1.DaemonSetStatus, stored appsv1.DaemonSetStatus) {
				status.NumberMisscheduled = stored.NumberMisscheduled
			})},
		{Name: "compares-all-but-the-ready", Says: "Writes no status that differs in numberReady alone.",
			Breaks: []string{"STATUS-004"},
			Planner: overlooking(func(status *appsv1.DaemonSetStatus, stored appsv1.DaemonSetStatus) {
				status.NumberReady = stored.NumberReady
			})},
		{Name: "compares-all-but-the-generation", Says: "Writes no status that differs in observedGeneration alone.",
			Breaks: []string{"STATUS-010"},
			Planner: overlooking(func(status *appsv1.DaemonSetStatus, stored appsv1.DaemonSetStatus) {
				status.ObservedGeneration = stored.ObservedGeneration
			})},
		{Name: "compares-all-but-the-updated", Says: "Writes no status that differs in updatedNumberScheduled alone.",
			Breaks: []string{"STATUS-008"},
			Planner: overlooking(func(status *appsv1.DaemonSetStatus, stored appsv1.DaemonSetStatus) {
				status.UpdatedNumberScheduled = stored.UpdatedNumberScheduled
			})},
		{Name: "keeps-the-first-condition-of-others", Says: "Writes the status with the first of several conditions that others have written.",
			Breaks: []string{"COND-005"},
			Planner: doing(func(actions *plan.Actions, _ plan.State, _ time.Time) {
				if actions.Status == nil {
					return
				}
				foreign := 0
				actions.Status.Conditions = slices.DeleteFunc(slices.Clone(actions.Status.Conditions), func(c appsv1.DaemonSetCondition) bool {
					if c.Type != plan.ConditionStalled {
						foreign++
					}
					return c.Type != plan.ConditionStalled && foreign > 1
				})
			})},
	}
}

// overlooking is the planner that writes no status which is the stored one but for what is put back.
func overlooking(back func(status *appsv1.DaemonSetStatus, stored appsv1.DaemonSetStatus)) Around {
	return doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
		if actions.Status == nil {
			return
		}
		compared := actions.Status.DeepCopy()
		back(compared, state.DaemonSet.Status)
		if apiequality.Semantic.DeepEqual(*compared, state.DaemonSet.Status) {
			actions.Status = nil
		}
	})
}

func byText(a, b *appsv1.ControllerRevision) int {
	return cmp.Compare(strconv.FormatInt(a.Revision, 10), strconv.FormatInt(b.Revision, 10))
}

// trimming shows the planner the old histories with numbers that are in this order.
func trimming(order func(a, b *appsv1.ControllerRevision) int) Around {
	return func(next plan.Planner) plan.Planner {
		return func(state plan.State, now time.Time) plan.Actions {
			actions := next(state, now)
			if len(actions.DeleteRevisions) == 0 {
				return actions
			}
			sorted := slices.SortedFunc(slices.Values(state.Revisions), order)
			state.Revisions = nil
			for i, revision := range sorted {
				other := revision.DeepCopy()
				if !isCurrent(state, revision) {
					other.Revision = int64(i - len(sorted))
				}
				state.Revisions = append(state.Revisions, other)
			}
			actions.DeleteRevisions = next(state, now).DeleteRevisions
			return actions
		}
	}
}

func numberByText(actions *plan.Actions, state plan.State, _ time.Time) {
	number := int64(1)
	for _, revision := range slices.SortedFunc(slices.Values(state.Revisions), byText) {
		if !isCurrent(state, revision) {
			number = revision.Revision + 1
		}
	}
	if actions.CreateRevision != nil {
		actions.CreateRevision.Revision = number
	}
	withoutUpdates(actions, func(update plan.RevisionUpdate) bool {
		stored := slices.IndexFunc(state.Revisions, func(r *appsv1.ControllerRevision) bool { return r.UID == update.Revision.UID })
		if stored < 0 || !isCurrent(state, update.Revision) {
			return false
		}
		update.Revision.Revision = max(number, state.Revisions[stored].Revision)
		return apiequality.Semantic.DeepEqual(update.Revision, state.Revisions[stored])
	})
}
