package variants

import (
	"fmt"
	"maps"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// brokenFormers confuse an object with a former one of its name.
func brokenFormers() []Variant {
	return []Variant{
		{Name: "judges-a-node-by-its-former-labels", Says: "Uses the former labels of a node that was added again, until its labels change.",
			Breaks: []string{"TARGET-002"}, Planner: remember(formerLabels)},
		{Name: "pods-of-a-former-node-do-not-count", Says: "Ignores pods that are older than their node.",
			Breaks: []string{"ROLLING-013"}, Planner: seeing(func(state *plan.State, _ time.Time) { withoutPods(state, olderThanNode(*state)) })},
		{Name: "deletes-pods-of-a-former-node", Says: "Deletes pods that are older than their node.",
			Breaks: []string{"ROLLING-015"},
			Planner: doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
				older := olderThanNode(state)
				for _, n := range nodes(state) {
					for _, pod := range n.news {
						if older(pod) {
							remove(actions, pod, plan.ReasonOutdated)
						}
					}
				}
			})},
		{Name: "keeps-the-limits-of-a-former-daemonset", Says: "Uses the limits that a former DaemonSet of the same name had at the same generation.",
			Breaks: []string{"ROLLING-002"}, Planner: remembering(formerLimits)},
		{Name: "rests-after-a-former-daemonset", Says: "Creates no pod for eight seconds for a DaemonSet that was deleted and created again.",
			Breaks: []string{"SURGE-012"}, Planner: remembering(restAfterFormer)},
		{Name: "backs-off-from-a-former-daemonset", Says: "Lets pods that fail wait as long as those of a former DaemonSet of the same name on the node.",
			Breaks: []string{"TARGET-010"}, Planner: remembering(formerBackoffs)},
	}
}

// olderThanNode returns the test for pods that are older than the node that they are on.
func olderThanNode(state plan.State) func(*corev1.Pod) bool {
	since := map[string]time.Time{}
	for _, node := range state.Nodes {
		since[node.Name] = node.CreationTimestamp.Time
	}
	return func(pod *corev1.Pod) bool { return pod.CreationTimestamp.Time.Before(since[plan.TargetNode(pod)]) }
}

// nodeSeen is the last that was seen of a node, and what the one before it under its name had.
type nodeSeen struct {
	uid            types.UID
	labels, former map[string]string
}

func formerLabels(m *memory[map[string]*nodeSeen]) Around {
	return seeing(func(state *plan.State, _ time.Time) {
		all := m.of(*state)
		if *all == nil {
			*all = map[string]*nodeSeen{}
		}
		changeNodes(state, func(node *corev1.Node) {
			seen := (*all)[node.Name]
			switch {
			case seen == nil:
				(*all)[node.Name] = &nodeSeen{uid: node.UID, labels: maps.Clone(node.Labels)}
				return
			case seen.uid != node.UID:
				*seen = nodeSeen{uid: node.UID, labels: maps.Clone(node.Labels), former: seen.labels}
			case !maps.Equal(seen.labels, node.Labels):
				*seen = nodeSeen{uid: node.UID, labels: maps.Clone(node.Labels)}
			}
			if seen.former != nil {
				node.Labels = maps.Clone(seen.former)
			}
		})
	})
}

func formerLimits() Around {
	var mu sync.Mutex
	known := map[string]appsv1.DaemonSetUpdateStrategy{}
	return seeingSpec(func(spec *appsv1.DaemonSetSpec, state plan.State, _ time.Time) {
		mu.Lock()
		defer mu.Unlock()
		ds := state.DaemonSet
		key := fmt.Sprintf("%s/%s %d", ds.Namespace, ds.Name, ds.Generation)
		if strategy, found := known[key]; found {
			spec.UpdateStrategy = *strategy.DeepCopy()
		} else {
			known[key] = *spec.UpdateStrategy.DeepCopy()
		}
	})
}

func formerBackoffs() Around {
	type record struct {
		uid         types.UID
		own, former map[string]plan.Backoff
	}
	var mu sync.Mutex
	known := map[string]*record{}
	return func(next plan.Planner) plan.Planner {
		return func(state plan.State, now time.Time) plan.Actions {
			mu.Lock()
			defer mu.Unlock()
			ds := state.DaemonSet
			key := ds.Namespace + "/" + ds.Name
			r := known[key]
			if r == nil {
				r = &record{uid: ds.UID, own: map[string]plan.Backoff{}}
				known[key] = r
			}
			if r.uid != ds.UID {
				*r = record{uid: ds.UID, own: map[string]plan.Backoff{}, former: r.own}
			}
			backoff := maps.Clone(r.former)
			if backoff == nil {
				backoff = map[string]plan.Backoff{}
			}
			maps.Copy(backoff, state.Backoff)
			state.Backoff = backoff
			actions := next(state, now)
			maps.Copy(r.own, actions.Backoff)
			return actions
		}
	}
}

func restAfterFormer() Around {
	type sight struct {
		uid types.UID
		// until when to rest; zero for the first DaemonSet of a name.
		until time.Time
	}
	var mu sync.Mutex
	seen := map[string]sight{}
	return doing(func(actions *plan.Actions, state plan.State, now time.Time) {
		mu.Lock()
		defer mu.Unlock()
		ds := state.DaemonSet
		key := ds.Namespace + "/" + ds.Name
		last, known := seen[key]
		if !known || last.uid != ds.UID {
			last = sight{uid: ds.UID}
			if known {
				last.until = now.Add(8 * time.Second)
			}
			seen[key] = last
		}
		if now.Before(last.until) {
			actions.CreatePods = nil
			comeBack(actions, last.until.Sub(now))
		}
	})
}
