package variants

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// brokenHands ignore what others do to pods.
func brokenHands() []Variant {
	return []Variant{
		{Name: "remembers-the-revision-of-a-pod", Says: "Keeps to the revision label with which it saw a pod first.",
			Breaks: []string{"HISTORY-024"}, Planner: remember(firstLabels)},
		{Name: "takes-the-first-owner-for-the-controller", Says: "Takes a pod for somebody else's that has another owner before the DaemonSet which controls it.",
			Breaks: []string{"SURGE-010", "ROLLING-013"},
			Planner: seeing(func(state *plan.State, _ time.Time) {
				withoutPods(state, func(pod *corev1.Pod) bool {
					return len(pod.OwnerReferences) > 0 && pod.OwnerReferences[0].UID != state.DaemonSet.UID
				})
			})},
		{Name: "adopts-pods-as-updated", Says: "Gives the pods that it adopts the revision label of the current history, whatever label they have.",
			Breaks: []string{"HISTORY-024"},
			Planner: doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
				for i := range actions.PatchPods {
					if patch := &actions.PatchPods[i]; patch.Adopt {
						patch.Hash = hashOfCurrent(state)
					}
				}
			})},
		{Name: "adopts-pods-of-the-template-as-updated",
			Says:   "Gives the pods that it adopts without a revision label that of the current history, if they have the images of the template.",
			Breaks: []string{"HISTORY-024"},
			Planner: doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
				for i := range actions.PatchPods {
					patch := &actions.PatchPods[i]
					if patch.Adopt && patch.Pod.Labels[plan.HashLabel] == "" && slices.EqualFunc(patch.Pod.Spec.Containers, state.DaemonSet.Spec.Template.Spec.Containers, sameImage) {
						patch.Hash = hashOfCurrent(state)
					}
				}
			})},
		{Name: "a-deleted-surge-pod-keeps-its-slot", Says: "Holds an updated pod against maxSurge for ever that somebody deleted before it was available.",
			Breaks: []string{"SURGE-011"}, Planner: remember(loseSlots)},
		{Name: "takes-deletions-for-failures", Says: "Waits eight seconds before it replaces the third pod that others deleted on a node, and those after it.",
			Breaks: []string{"DRAIN-002"}, Planner: remember(backOffFromDeletions)},
	}
}

func sameImage(a, b corev1.Container) bool { return a.Name == b.Name && a.Image == b.Image }

func firstLabels(m *memory[map[types.UID]string]) Around {
	return seeing(func(state *plan.State, _ time.Time) {
		all := m.of(*state)
		if *all == nil {
			*all = map[types.UID]string{}
		}
		for _, pod := range state.Pods {
			if (*all)[pod.UID] == "" {
				(*all)[pod.UID] = pod.Labels[plan.HashLabel]
			}
		}
		changePods(state, func(pod *corev1.Pod) bool { return (*all)[pod.UID] != pod.Labels[plan.HashLabel] }, func(pod *corev1.Pod) {
			pod.Labels[plan.HashLabel] = (*all)[pod.UID]
		})
	})
}

// slots are the surge pods that have not been available yet, and how many of them went without.
type slots struct {
	waiting map[types.UID]bool
	lost    int
}

func loseSlots(m *memory[slots]) Around {
	return doing(func(actions *plan.Actions, state plan.State, now time.Time) {
		s, waiting, there := m.of(state), map[types.UID]bool{}, map[types.UID]bool{}
		for _, pod := range state.Pods {
			there[pod.UID] = true
		}
		for uid := range s.waiting {
			if !there[uid] {
				s.lost++
			} else {
				waiting[uid] = true
			}
		}
		for _, n := range nodes(state) {
			for _, pod := range n.news {
				switch {
				case available(state, []*corev1.Pod{pod}, now):
					delete(waiting, pod.UID)
				case n.surges(state, now):
					waiting[pod.UID] = true
				}
			}
		}
		for _, d := range actions.DeletePods {
			delete(waiting, d.Pod.UID)
		}
		s.waiting = waiting
		capSurge(actions, limitOf(state, maxSurge)-len(surging(state, now))-s.lost)
	})
}

// deletedByOthers are the pods of a node that others deleted.
type deletedByOthers struct {
	pods map[types.UID]bool
	last time.Time
}

// deletions are those of one DaemonSet.
type deletions struct {
	own    map[types.UID]bool
	byNode map[string]*deletedByOthers
}

func backOffFromDeletions(m *memory[deletions]) Around {
	return doing(func(actions *plan.Actions, state plan.State, now time.Time) {
		seen := m.of(state)
		if seen.own == nil {
			*seen = deletions{own: map[types.UID]bool{}, byNode: map[string]*deletedByOthers{}}
		}
		for _, pod := range state.Pods {
			node := plan.TargetNode(pod)
			if pod.DeletionTimestamp == nil || seen.own[pod.UID] {
				continue
			}
			if seen.byNode[node] == nil {
				seen.byNode[node] = &deletedByOthers{pods: map[types.UID]bool{}}
			}
			if on := seen.byNode[node]; !on.pods[pod.UID] {
				on.pods[pod.UID], on.last = true, now
			}
		}
		withoutCreations(actions, func(c plan.PodCreation) bool {
			on := seen.byNode[c.Node]
			if on == nil || len(on.pods) < 3 || now.After(on.last.Add(8*time.Second)) {
				return false
			}
			comeBack(actions, on.last.Add(8*time.Second).Sub(now)+time.Millisecond)
			return true
		})
		for _, d := range actions.DeletePods {
			seen.own[d.Pod.UID] = true
		}
	})
}
