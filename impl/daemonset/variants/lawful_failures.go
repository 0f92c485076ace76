package variants

import (
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/types"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// lawfulFailures treat pods that end otherwise.
func lawfulFailures() []Variant {
	return []Variant{
		{Name: "buries-failed-pods-late",
			Says:    "With maxSurge creates another pod beside one that has ended, after 100 ms, 200 ms, 400 ms, …, and deletes that one three and a half seconds after it ended.",
			Lawful:  "UNREADY-004 has the other pod created, and the one that failed deleted; SURGE-024 asks for a delay that grows and allows ten pods that have ended.",
			Planner: remember(buryLate(3500 * time.Millisecond))},
		{Name: "backs-off-by-a-third-more", Says: "Replaces a pod that failed after 1 s, 1.3 s, 1.7 s, …",
			Lawful: "SURGE-024 and TARGET-010 ask for delays that grow, by half within eight.", Planner: growing(plan.BackoffMin, 1.3)},
		{Name: "backs-off-by-half-more-from-a-quarter-second", Says: "Replaces a pod that failed after 0.25 s, 0.38 s, 0.56 s, …",
			Lawful: "SURGE-024 and TARGET-010 ask for no more than 12 pods in a minute, 3 s for three delays of ten, and delays that grow.", Planner: growing(250*time.Millisecond, 1.5)},
	}
}

// growing has delays begin with one and grow by a factor.
func growing(first time.Duration, factor float64) Around {
	return doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
		for name, next := range actions.Backoff {
			switch was := state.Backoff[name]; {
			case was.Delay == 0:
				next.Delay = first
			case next.Delay > was.Delay:
				next.Delay = time.Duration(float64(was.Delay) * factor)
			}
			actions.Backoff[name] = next
		}
	})
}

// graves are the pods of a DaemonSet's template that have ended.
type graves struct {
	hash string
	// since is when a pod was first seen to have ended; byNode are the failures on a node.
	since  map[types.UID]time.Time
	byNode map[string]*plan.Backoff
}

// see takes note of the pods that have ended since the last pass.
func (g *graves) see(state plan.State, now time.Time) {
	if hash := plan.TemplateHash(&state.DaemonSet.Spec.Template, nil); g.hash != hash {
		*g = graves{hash: hash, since: map[types.UID]time.Time{}, byNode: map[string]*plan.Backoff{}}
	}
	isUpdated := updated(state)
	for _, n := range nodes(state) {
		for _, pod := range n.ended {
			if _, known := g.since[pod.UID]; known || pod.DeletionTimestamp != nil {
				continue
			}
			g.since[pod.UID] = now
			was := g.byNode[n.name]
			if was == nil {
				was = &plan.Backoff{Delay: 50 * time.Millisecond}
				g.byNode[n.name] = was
			}
			*was = plan.Backoff{Delay: min(2*was.Delay, plan.BackoffMax), Last: now, Updated: was.Updated || isUpdated(pod)}
		}
	}
}

// report returns what the planner does who sees all pods, and how long the variant waits between them.
func (g *graves) report(state plan.State, now time.Time) plan.Actions {
	state.Backoff = map[string]plan.Backoff{}
	for name, failures := range g.byNode {
		state.Backoff[name] = *failures
	}
	return plan.Plan(state, now)
}

// reportAs takes what is reported of stalls from the other actions: without the pods that have ended nothing is seen of them (COND-001, COND-002).
func reportAs(actions *plan.Actions, others plan.Actions, ds *appsv1.DaemonSet) {
	isStall := func(event plan.Event) bool {
		return event.Reason == plan.EventRolloutStalled || event.Reason == plan.EventRolloutResumed
	}
	actions.Events = slices.DeleteFunc(actions.Events, isStall)
	for _, event := range others.Events {
		if isStall(event) {
			actions.Events = append(actions.Events, event)
		}
	}
	conditions := ds.Status.Conditions
	if others.Status != nil {
		conditions = others.Status.Conditions
	}
	switch {
	case actions.Status != nil:
		actions.Status.Conditions = conditions
	case !apiequality.Semantic.DeepEqual(conditions, ds.Status.Conditions):
		actions.Status = ds.Status.DeepCopy()
		actions.Status.Conditions = conditions
	}
}

// buryLate hides pods that have ended from the planner for a while, and keeps what it creates meanwhile until the delay is over. What is known of failures
// is shown as delays that are over.
func buryLate(after time.Duration) func(m *memory[graves]) Around {
	return func(m *memory[graves]) Around {
		return func(next plan.Planner) plan.Planner {
			return func(state plan.State, now time.Time) plan.Actions {
				if !maySurge(state) {
					return next(state, now)
				}
				known, waits := m.of(state), []time.Duration(nil)
				known.see(state, now)
				all := state
				withoutPods(&state, func(pod *corev1.Pod) bool {
					since, ended := known.since[pod.UID]
					left := since.Add(after).Sub(now)
					if !ended || left <= 0 {
						return false
					}
					waits = append(waits, left)
					return true
				})
				state.Backoff = map[string]plan.Backoff{}
				for name, failures := range known.byNode {
					state.Backoff[name] = plan.Backoff{Delay: time.Millisecond, Last: now.Add(-time.Second), Updated: failures.Updated}
				}
				actions := next(state, now)
				actions.Backoff = nil
				if len(waits) > 0 {
					reportAs(&actions, known.report(all, now), all.DaemonSet)
				}
				withoutCreations(&actions, func(creation plan.PodCreation) bool {
					failures := known.byNode[creation.Node]
					if failures == nil || !failures.Until().After(now) {
						return false
					}
					waits = append(waits, failures.Until().Sub(now))
					return true
				})
				for _, wait := range waits {
					comeBack(&actions, wait)
				}
				return actions
			}
		}
	}
}
