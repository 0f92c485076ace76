package variants

import (
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// brokenReportsOfStalls say what they have to say too late, too softly, or in place of what others say.
func brokenReportsOfStalls() []Variant {
	return []Variant{
		{Name: "tells-of-a-stall-after-forty-seconds", Says: "Records the event about a stall once it has lasted for 40 seconds.",
			Breaks: []string{"COND-002"}, Planner: remember(func(m *memory[toldLater]) Around { return tellLater(m, 40*time.Second) })},
		{Name: "has-no-warnings-about-failed-pods", Says: "Records events of failed pods that it deletes as normal ones.",
			Breaks: []string{"COND-004"},
			Planner: doing(func(actions *plan.Actions, _ plan.State, _ time.Time) {
				actions.Events = slices.Clone(actions.Events)
				for i := range actions.Events {
					if actions.Events[i].Reason == plan.EventFailedDaemonPod {
						actions.Events[i].Type = corev1.EventTypeNormal
					}
				}
			})},
		{Name: "keeps-the-last-condition-of-others", Says: "Keeps of the conditions that are not its own the last one alone.",
			Breaks: []string{"COND-005"},
			Planner: reporting(func(status *appsv1.DaemonSetStatus, _ plan.State, _ time.Time) {
				foreign := func(c appsv1.DaemonSetCondition) bool { return c.Type != plan.ConditionStalled }
				others := 0
				for _, condition := range status.Conditions {
					if foreign(condition) {
						others++
					}
				}
				status.Conditions = slices.DeleteFunc(slices.Clone(status.Conditions), func(c appsv1.DaemonSetCondition) bool {
					if !foreign(c) {
						return false
					}
					others--
					return others > 0
				})
			})},
	}
}

// toldLater are the events about a stall that have not been recorded yet, since an instant.
type toldLater struct {
	events []plan.Event
	since  time.Time
}

func tellLater(m *memory[toldLater], delay time.Duration) Around {
	isStall := func(e plan.Event) bool { return e.Reason == plan.EventRolloutStalled }
	return doing(func(actions *plan.Actions, state plan.State, now time.Time) {
		seen := m.of(state)
		for _, event := range actions.Events {
			if isStall(event) {
				*seen = toldLater{[]plan.Event{event}, now}
			}
		}
		actions.Events = slices.DeleteFunc(slices.Clone(actions.Events), isStall)
		if len(seen.events) == 0 {
			return
		}
		if left := delay - now.Sub(seen.since); left > 0 {
			comeBack(actions, left)
			return
		}
		actions.Events = append(actions.Events, seen.events...)
		seen.events = nil
	})
}
