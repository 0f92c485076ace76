package variants

import (
	"fmt"
	"slices"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// brokenMeantimes overlook what changes while something else is under way, or while nobody is at work.
func brokenMeantimes() []Variant {
	return []Variant{
		{Name: "surges-from-the-next-rollout-on", Says: "Ends a rollout without maxSurge by deleting first although maxSurge was set meanwhile.",
			Breaks: []string{"SURGE-016"}, Planner: remember(surgeNextTime)},
		{Name: "a-node-that-left-while-it-was-away-keeps-its-pod", Says: "Deletes pods only from nodes that it has seen eligible before.",
			Breaks: []string{"TARGET-002"}, Planner: remember(removeWhatItSawLeave)},
		{Name: "an-edit-ends-the-back-off", Says: "Forgets that pods failed when labels or annotations of the DaemonSet change.",
			Breaks: []string{"TARGET-010"}, Planner: remember(forgetByMetadata)},
		{Name: "one-timer-for-each-name", Says: "Sets no timer for a pod while there is one for a DaemonSet of the same name in another namespace.",
			Breaks: []string{"AVAIL-005"}, Planner: remembering(timersByName)},
	}
}

func surgeNextTime(m *memory[strategySeen]) Around {
	return seeingSpec(func(spec *appsv1.DaemonSetSpec, state plan.State, _ time.Time) {
		began := m.of(state).of(state)
		before := state
		before.DaemonSet = state.DaemonSet.DeepCopy()
		began.DeepCopyInto(&before.DaemonSet.Spec.UpdateStrategy)
		underWay := slices.ContainsFunc(nodes(state), func(n *node) bool { return n.eligible && len(n.olds) > 0 })
		if began.Type == appsv1.RollingUpdateDaemonSetStrategyType && underWay && maySurge(state) && !maySurge(before) {
			began.DeepCopyInto(&spec.UpdateStrategy)
		}
	})
}

func removeWhatItSawLeave(m *memory[sets.Set[string]]) Around {
	return doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
		seen, left := m.of(state), map[string]bool{}
		if *seen == nil {
			*seen = sets.New[string]()
		}
		for _, each := range state.Nodes {
			if _, keeps := plan.Eligibility(state.DaemonSet, each); keeps {
				seen.Insert(each.Name)
			}
			left[each.Name] = seen.Has(each.Name)
		}
		withoutDeletions(actions, func(d plan.PodDeletion) bool { return d.Reason == plan.ReasonIneligible && !left[d.Node] })
	})
}

// edit is how the metadata were last seen, and since when.
type edit struct {
	metadata string
	at       time.Time
}

func forgetByMetadata(m *memory[edit]) Around {
	return seeing(func(state *plan.State, now time.Time) {
		last, ds := m.of(*state), state.DaemonSet
		if metadata := fmt.Sprint(ds.Labels, ds.Annotations); metadata != last.metadata {
			*last = edit{metadata, now}
		}
		state.Backoff = backoffs(*state, func(_ string, b plan.Backoff) plan.Backoff {
			if b.Last.Before(last.at) {
				return plan.Backoff{}
			}
			return b
		})
	})
}

// timer is whose it is, and when it rings.
type timer struct {
	of types.UID
	at time.Time
}

func timersByName() Around {
	var mu sync.Mutex
	timers := map[string]timer{}
	return doing(func(actions *plan.Actions, state plan.State, now time.Time) {
		mu.Lock()
		defer mu.Unlock()
		ds := state.DaemonSet
		switch has := timers[ds.Name]; {
		case actions.RequeueAfter == 0:
		case has.of != ds.UID && has.at.After(now):
			actions.RequeueAfter = 0
		default:
			timers[ds.Name] = timer{ds.UID, now.Add(actions.RequeueAfter)}
		}
	})
}
