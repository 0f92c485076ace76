package variants

import (
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// patience is how long these variants wait for an updated pod.
const patience = 2 * time.Second

// brokenPauses do not wait as they should while a surge rollout cannot go on.
func brokenPauses() []Variant {
	return []Variant{
		{Name: "gives-up-on-surge-pods", Says: "Surges on another node where an updated pod has not become available within two seconds.",
			Breaks: []string{"PAUSE-001", "PAUSE-002", "PAUSE-003", "HOSTPORT-009", "SURGE-002"},
			Planner: both(doing(lookAgain), surgingBeside(func(n *node, now time.Time) bool {
				return now.Sub(n.news[0].CreationTimestamp.Time) > patience
			}))},
		{Name: "unscheduled-pods-cost-nothing", Says: "Does not hold an updated pod against maxSurge that has not been scheduled.",
			Breaks:  []string{"PAUSE-002", "HOSTPORT-009", "SURGE-002"},
			Planner: surgingBeside(func(n *node, _ time.Time) bool { return n.news[0].Spec.NodeName == "" })},
		{Name: "makes-room-for-pods-that-do-not-fit", Says: "Deletes the old pod of a node on which the updated one cannot be scheduled.",
			Breaks: []string{"PAUSE-002", "HOSTPORT-009", "SURGE-016"},
			Planner: makingRoom(func(n *node, _ time.Time) bool {
				scheduled := condition(n.news[0], corev1.PodScheduled)
				return scheduled != nil && scheduled.Status == corev1.ConditionFalse
			})},
		{Name: "makes-room-for-pods-that-do-not-start", Says: "Deletes the old pod of a node on which the updated one has not become available within two seconds.",
			Breaks: []string{"PAUSE-001", "PAUSE-003", "SURGE-016"},
			Planner: both(doing(lookAgain), makingRoom(func(n *node, now time.Time) bool {
				return n.news[0].Spec.NodeName != "" && now.Sub(n.news[0].CreationTimestamp.Time) > patience
			}))},
		{Name: "a-pause-is-the-end", Says: "Gives a rollout up for good that has stood still at maxSurge for two seconds.",
			Breaks: []string{"PAUSE-004", "HOSTPORT-011"}, Planner: remember(giveUp)},
		{Name: "a-pause-stops-everything", Says: "Creates no pod at all while maxSurge is used up.",
			Breaks: []string{"PAUSE-005", "PAUSE-006"},
			Planner: doing(func(actions *plan.Actions, state plan.State, now time.Time) {
				if maySurge(state) && len(surging(state, now)) >= limitOf(state, maxSurge) {
					withoutCreations(actions, func(plan.PodCreation) bool { return true })
				}
			})},
		{Name: "a-stall-stops-replacements", Says: "Creates no updated pod beside an old one that is not available while it reports that the rollout is stalled.",
			Breaks: []string{"PAUSE-005"}, Planner: doing(leaveStalled)},
		{Name: "a-pause-delays-other-daemonsets", Says: "Creates and deletes no pod of other DaemonSets in the namespace while the rollout of one stands still.",
			Breaks: []string{"PAUSE-008"}, Planner: remembering(delayOthers)},
	}
}

// leaveStalled has a stall that was reported for the generation last, and nothing be done beyond maxSurge meanwhile.
func leaveStalled(actions *plan.Actions, state plan.State, _ time.Time) {
	ds, planned := state.DaemonSet, len(actions.CreatePods)
	if stalledSince(ds.Status) == nil || ds.Status.ObservedGeneration != ds.Generation {
		return
	}
	withoutCreations(actions, createdFor(plan.ReasonOldUnavailable))
	if len(actions.CreatePods) == planned || actions.Status == nil {
		return
	}
	status := actions.Status.DeepCopy()
	status.Conditions = plan.WithStalled(status.Conditions, ds.Status.Conditions)
	actions.Status = unlessWritten(state, status)
}

// surgingBeside lets as many more nodes surge as there are with an updated pod that is waited for and that free selects.
func surgingBeside(free func(n *node, now time.Time) bool) Around {
	return limiting(maxSurge, func(value *intstr.IntOrString, state plan.State, now time.Time) int {
		number := scaled(value, eligibleNodes(state), true)
		for _, n := range surging(state, now) {
			if free(n, now) {
				number++
			}
		}
		return number
	})
}

// lookAgain comes back while nodes surge.
func lookAgain(actions *plan.Actions, state plan.State, now time.Time) {
	if len(surging(state, now)) > 0 {
		comeBack(actions, patience)
	}
}

// makingRoom deletes the old pods of surging nodes that which selects.
func makingRoom(which func(n *node, now time.Time) bool) Around {
	return doing(func(actions *plan.Actions, state plan.State, now time.Time) {
		if state.AwaitingOwnWrites || !maySurge(state) {
			return
		}
		for _, n := range surging(state, now) {
			if which(n, now) {
				for _, pod := range n.olds {
					remove(actions, pod, plan.ReasonReplaced)
				}
			}
		}
	})
}

// standstill is since when the rollout of a template has stood still; over: it has been given up.
type standstill struct {
	generation string
	since      time.Time
	over       bool
}

func giveUp(m *memory[standstill]) Around {
	return doing(func(actions *plan.Actions, state plan.State, now time.Time) {
		s := m.of(state)
		generation := state.DaemonSet.Annotations[appsv1.DeprecatedTemplateGeneration]
		if generation != s.generation {
			*s = standstill{generation: generation}
		}
		switch used := maySurge(state) && len(surging(state, now)) >= limitOf(state, maxSurge); {
		case s.over:
		case !used:
			s.since = time.Time{}
		case s.since.IsZero():
			s.since = now
		default:
			s.over = now.Sub(s.since) >= patience
		}
		if !s.over && !s.since.IsZero() {
			comeBack(actions, s.since.Add(patience).Sub(now))
		}
		if s.over {
			withoutCreations(actions, func(c plan.PodCreation) bool { return c.Reason != plan.ReasonMissing })
			withoutDeletions(actions, func(plan.PodDeletion) bool { return true })
		}
	})
}

// delayOthers remembers which DaemonSets stand still.
func delayOthers() Around {
	var mu sync.Mutex
	still := map[types.UID]string{}
	return doing(func(actions *plan.Actions, state plan.State, now time.Time) {
		mu.Lock()
		defer mu.Unlock()
		uid := state.DaemonSet.UID
		delete(still, uid)
		others := 0
		for _, namespace := range still {
			if namespace == state.DaemonSet.Namespace {
				others++
			}
		}
		if maySurge(state) && len(surging(state, now)) >= limitOf(state, maxSurge) {
			still[uid] = state.DaemonSet.Namespace
		}
		if others > 0 {
			actions.CreatePods, actions.DeletePods = nil, nil
		}
	})
}
