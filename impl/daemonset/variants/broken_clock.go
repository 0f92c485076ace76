package variants

import (
	"time"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// brokenClocks lose what the passing of time alone makes due.
func brokenClocks() []Variant {
	return []Variant{
		{Name: "no-timer", Says: "Sets no timer for when a pod becomes available by the passing of time.",
			Breaks:  []string{"AVAIL-005"},
			Planner: doing(func(actions *plan.Actions, _ plan.State, _ time.Time) { actions.RequeueAfter = 0 })},
		{Name: "timer-for-the-last-pod-only", Says: "Comes back when the last of several pods becomes available, not for those before.",
			Breaks: []string{"AVAIL-005", "SURGE-007"}, Planner: doing(waitForTheLast)},
		{Name: "timer-set-once", Says: "Sets a pod's timer in the first pass that sees it Ready, and not again in a pass that replaces the timer.",
			Breaks: []string{"AVAIL-005"}, Planner: remember(setOnce)},
		{Name: "timer-from-when-it-saw-the-pod-ready", Says: "Sets a pod's timer minReadySeconds after it first saw the pod Ready, whatever the time in its condition.",
			Breaks: []string{"RECOVERY-004"}, Planner: remember(fromFirstSight)},
	}
}

// clocks are how long it takes until each pod becomes available by the passing of time, by UID and the time of its readiness.
func clocks(state plan.State, now time.Time) map[string]time.Duration {
	all := map[string]time.Duration{}
	for _, pod := range state.Pods {
		if at, known := plan.AvailableAt(pod, state.DaemonSet.Spec.MinReadySeconds); known && at.After(now) {
			all[string(pod.UID)+at.String()] = at.Sub(now)
		}
	}
	return all
}

func waitForTheLast(actions *plan.Actions, state plan.State, now time.Time) {
	for _, wait := range clocks(state, now) {
		actions.RequeueAfter = max(actions.RequeueAfter, wait)
	}
}

// timersSet are the clocks for which a timer was set.
type timersSet struct{ clocks map[string]bool }

func setOnce(m *memory[timersSet]) Around {
	return doing(func(actions *plan.Actions, state plan.State, now time.Time) {
		set := m.of(state)
		if set.clocks == nil {
			set.clocks = map[string]bool{}
		}
		running := clocks(state, now)
		if len(running) > 0 {
			actions.RequeueAfter = 0
		}
		for clock, wait := range running {
			if !set.clocks[clock] {
				set.clocks[clock] = true
				comeBack(actions, wait)
			}
		}
	})
}

// sights are when pods were first seen as Ready as they are.
type sights map[string]time.Time

func fromFirstSight(m *memory[sights]) Around {
	return doing(func(actions *plan.Actions, state plan.State, now time.Time) {
		seen, running := m.of(state), sights{}
		for clock := range clocks(state, now) {
			running[clock] = now
			if first, known := (*seen)[clock]; known {
				running[clock] = first
			}
		}
		if len(running) > 0 {
			actions.RequeueAfter = 0
		}
		for _, first := range running {
			// A second more, as Kubernetes' controller does.
			comeBack(actions, first.Add(time.Duration(state.DaemonSet.Spec.MinReadySeconds+1)*time.Second).Sub(now))
		}
		*seen = running
	})
}
