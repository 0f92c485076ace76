package variants

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// brokenReplacements do not replace as they should a pod that somebody else took down.
func brokenReplacements() []Variant {
	return []Variant{
		{Name: "ended-pods-are-in-the-way", Says: "Creates no pod on a node while one that has failed or succeeded is still being deleted there.",
			Breaks: []string{"DRAIN-007"},
			Planner: doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
				taken := map[string]bool{}
				for _, n := range nodes(state) {
					taken[n.name] = slices.ContainsFunc(n.ended, func(pod *corev1.Pod) bool { return pod.DeletionTimestamp != nil })
				}
				withoutCreations(actions, func(c plan.PodCreation) bool { return taken[c.Node] })
			})},
		{Name: "counts-on-pods-that-terminate", Says: "Creates a replacement for each pod of a node that is terminating, whether or not the node has one.",
			Breaks: []string{"DRAIN-005"}, Planner: doing(createForEachLeaving)},
		{Name: "removes-failed-pods-without-a-word", Says: "Says in no Event that a pod has failed.",
			Breaks: []string{"UNREADY-004"},
			Planner: doing(func(actions *plan.Actions, _ plan.State, _ time.Time) {
				actions.Events, actions.DeletePods = nil, slices.Clone(actions.DeletePods)
				for i := range actions.DeletePods {
					actions.DeletePods[i].Reason = plan.ReasonDuplicate
				}
			})},
		{Name: "lets-nodes-rest-after-an-eviction", Says: "Creates a pod on a node eight seconds after one there was evicted, as after one that failed.",
			Breaks: []string{"CROSS-005"}, Planner: remember(restAfterEvictions)},
		{Name: "fills-gaps-when-the-rollout-is-over", Says: "Creates no pod on an empty node while the updated pods of other nodes are not available.",
			Breaks: []string{"UNREADY-005"},
			Planner: doing(func(actions *plan.Actions, state plan.State, now time.Time) {
				if len(surging(state, now)) > 0 {
					withoutCreations(actions, createdFor(plan.ReasonMissing))
				}
			})},
		{Name: "replaces-one-unavailable-pod-at-a-time", Says: "Gives one node with an unavailable old pod an updated one, and the next when that is available.",
			Breaks: []string{"UNREADY-009"}, Planner: doing(replaceOneAtATime)},
		{Name: "replaces-unavailable-pods-slowly", Says: "Takes ten seconds before it gives a node an updated pod whose old one is not available.",
			Breaks:  []string{"UNREADY-001", "UNREADY-008", "UNREADY-009"},
			Planner: holdCreations(10*time.Second, createdFor(plan.ReasonOldUnavailable))},
		{Name: "replaces-unready-pods-that-nobody-writes", Says: "Gives a node an updated pod whose old one is not Ready once nobody has written that one for two seconds.",
			Breaks: []string{"UNREADY-001"}, Planner: remember(waitForQuiet(2 * time.Second))},
		{Name: "young-old-pods-are-available", Says: "Takes an old pod for available as soon as it is Ready.",
			Breaks: []string{"UNREADY-010"},
			Planner: deciding(func(state *plan.State, now time.Time) {
				isUpdated := updated(*state)
				changePods(state, func(pod *corev1.Pod) bool { return !isUpdated(pod) && plan.IsReady(pod) },
					func(pod *corev1.Pod) { setReady(pod, now.Add(-24*time.Hour)) })
			})},
		{Name: "replaces-updated-pods-that-are-not-ready", Says: "Creates another updated pod on a node whose only one was available and is not Ready.",
			Breaks: []string{"UNREADY-011"}, Planner: doing(createBesideUnready)},
	}
}

// another is an updated pod for the node.
func another(state plan.State, node string) plan.PodCreation {
	hash := plan.TemplateHash(&state.DaemonSet.Spec.Template, state.DaemonSet.Status.CollisionCount)
	return plan.PodCreation{Node: node, Hash: hash, Reason: plan.ReasonMissing, Pod: plan.NewPod(state.DaemonSet, hash, node)}
}

func createForEachLeaving(actions *plan.Actions, state plan.State, _ time.Time) {
	if state.AwaitingOwnWrites || !maySurge(state) || actions.CreateRevision != nil {
		return
	}
	for _, n := range nodes(state) {
		if n.eligible && len(n.leaving) > 1 && len(n.news) == 1 {
			actions.CreatePods = append(slices.Clone(actions.CreatePods), another(state, n.name))
		}
	}
}

func replaceOneAtATime(actions *plan.Actions, state plan.State, now time.Time) {
	waiting := slices.ContainsFunc(nodes(state), func(n *node) bool {
		return len(n.news) > 0 && !available(state, n.news, now) && !available(state, n.olds, now)
	})
	withoutCreations(actions, func(c plan.PodCreation) bool {
		again := c.Reason == plan.ReasonOldUnavailable && waiting
		waiting = waiting || c.Reason == plan.ReasonOldUnavailable
		return again
	})
}

func createBesideUnready(actions *plan.Actions, state plan.State, _ time.Time) {
	if state.AwaitingOwnWrites || !maySurge(state) || actions.CreateRevision != nil {
		return
	}
	for _, n := range nodes(state) {
		if n.eligible && len(n.olds) == 0 && len(n.news) == 1 && ready(n.news[0]) != nil && !plan.IsReady(n.news[0]) &&
			n.news[0].Status.Phase == corev1.PodRunning && wasReady(n.news[0]) {
			actions.CreatePods = append(slices.Clone(actions.CreatePods), another(state, n.name))
		}
	}
}

// wasReady reports whether the pod's Ready condition has changed since its containers were started: it was Ready once.
func wasReady(pod *corev1.Pod) bool {
	return pod.Status.StartTime != nil && ready(pod).LastTransitionTime.After(pod.Status.StartTime.Add(time.Second))
}

// resting are the nodes on which a pod was evicted, and until when they rest.
type resting map[string]time.Time

// restAfterEvictions creates no pod on a node for eight seconds from when a pod there was seen to be evicted.
func restAfterEvictions(m *memory[resting]) Around {
	return doing(func(actions *plan.Actions, state plan.State, now time.Time) {
		until := m.of(state)
		if *until == nil {
			*until = resting{}
		}
		for _, pod := range state.Pods {
			target := condition(pod, corev1.DisruptionTarget)
			if _, known := (*until)[plan.TargetNode(pod)]; pod.DeletionTimestamp != nil && target != nil && target.Status == corev1.ConditionTrue && !known {
				(*until)[plan.TargetNode(pod)] = now.Add(8 * time.Second)
			}
		}
		withoutCreations(actions, func(c plan.PodCreation) bool {
			wait := (*until)[c.Node].Sub(now)
			comeBack(actions, wait)
			return wait > 0
		})
	})
}

// waitForQuiet puts off what is created because an old pod is not Ready until delay after it saw the pod last in another version.
func waitForQuiet(delay time.Duration) func(m *memory[holding]) Around {
	return func(m *memory[holding]) Around {
		return doing(func(actions *plan.Actions, state plan.State, now time.Time) {
			h, wanted, waits := m.of(state), map[string]bool{}, map[string]bool{}
			for _, n := range nodes(state) {
				for _, pod := range n.olds {
					key := string(pod.UID) + pod.ResourceVersion
					wanted[key] = true
					if !plan.IsReady(pod) && h.held(key, delay, now, actions) {
						waits[n.name] = true
					}
				}
			}
			h.only(wanted)
			withoutCreations(actions, func(c plan.PodCreation) bool { return c.Reason == plan.ReasonOldUnavailable && waits[c.Node] })
		})
	}
}
