package variants

import (
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

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
	}
}
