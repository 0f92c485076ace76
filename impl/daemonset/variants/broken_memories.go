package variants

import (
	"fmt"
	"slices"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// brokenMemories remember too much, or for too long.
func brokenMemories() []Variant {
	return []Variant{
		{Name: "remembers-hashes-by-name-and-generation", Says: "Labels pods with the hash that a DaemonSet of that name had at the same template generation.",
			Breaks: []string{"HISTORY-009"}, Planner: remembering(rememberHashes)},
		{Name: "one-back-off-for-all-daemonsets", Says: "Lets pods that fail on a node wait as long as those of another DaemonSet there.",
			Breaks: []string{"TARGET-010"}, Planner: remembering(shareBackoffs)},
		{Name: "surges-once-on-each-node", Says: "Creates no second surge pod on a node in one rollout, whatever became of the first.",
			Breaks: []string{"SURGE-011"},
			Planner: remember(func(m *memory[rolloutSeen]) Around {
				return doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
					seen := m.of(state).of(state)
					withoutCreations(actions, func(c plan.PodCreation) bool {
						again := c.Reason == plan.ReasonSurge && seen.held[c.Node]
						seen.held[c.Node] = seen.held[c.Node] || c.Reason == plan.ReasonSurge
						return again
					})
				})
			})},
		{Name: "a-changed-spec-restarts-what-is-not-ready", Says: "Deletes updated pods that are not Ready when anything but the template changes.",
			Breaks: []string{"ROLLING-015"}, Planner: remember(restartUnready)},
		{Name: "rolls-each-template-out-once", Says: "Does nothing about a node for a template whose rollout has ended there before.",
			Breaks: []string{"ROLLING-001"}, Planner: remember(rollOutOnce)},
		{Name: "rests-once-the-numbers-are-right", Says: "Creates and deletes no pods while the status says that all are updated and available.",
			Breaks: []string{"ROLLING-013"},
			Planner: doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
				if s := state.DaemonSet.Status; !maySurge(state) && s.ObservedGeneration == state.DaemonSet.Generation && s.NumberMisscheduled == 0 &&
					s.DesiredNumberScheduled == s.UpdatedNumberScheduled && s.DesiredNumberScheduled == s.NumberAvailable {
					actions.CreatePods, actions.DeletePods = nil, nil
				}
			})},
		{Name: "a-known-revision-needs-no-patience", Says: "Takes a pod for available as soon as it is Ready if it is of a template that there was before.",
			Breaks: []string{"ROLLING-005"},
			Planner: deciding(func(state *plan.State, now time.Time) {
				if wasThereBefore(*state) {
					isUpdated := updated(*state)
					changePods(state, func(pod *corev1.Pod) bool { return isUpdated(pod) && plan.IsReady(pod) }, func(pod *corev1.Pod) { setReady(pod, now.Add(-time.Hour)) })
				}
			})},
		{Name: "replaces-a-pod-as-it-planned-when-it-deleted-it", Says: "Creates a pod in the place of one that it deleted by the template that was in force then.",
			Breaks: []string{"ROLLOVER-001"}, Planner: remember(replaceAsPlanned)},
	}
}

// generationSeen is the generation of a DaemonSet, and its template's, as they were when a plan was made that could act.
type generationSeen struct {
	generation int64
	template   string
}

func restartUnready(m *memory[generationSeen]) Around {
	return doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
		if state.AwaitingOwnWrites {
			return
		}
		before, now := m.of(state), generationSeen{generation: state.DaemonSet.Generation, template: state.DaemonSet.Annotations[appsv1.DeprecatedTemplateGeneration]}
		changed := before.generation != 0 && before.generation != now.generation && before.template == now.template
		*before = now
		if !changed {
			return
		}
		for _, n := range nodes(state) {
			for _, pod := range n.news {
				if n.eligible && !plan.IsReady(pod) {
					remove(actions, pod, plan.ReasonOldUnavailable)
				}
			}
		}
	})
}

// replacements are pods to create, by node.
type replacements struct{ planned map[string]plan.PodCreation }

func replaceAsPlanned(m *memory[replacements]) Around {
	return doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
		next := m.of(state)
		if next.planned == nil {
			next.planned = map[string]plan.PodCreation{}
		}
		hash := plan.TemplateHash(&state.DaemonSet.Spec.Template, state.DaemonSet.Status.CollisionCount)
		for _, d := range actions.DeletePods {
			if d.Reason == plan.ReasonOutdated {
				next.planned[d.Node] = plan.PodCreation{Node: d.Node, Hash: hash, Reason: plan.ReasonMissing, Pod: plan.NewPod(state.DaemonSet, hash, d.Node)}
			}
		}
		actions.CreatePods = slices.Clone(actions.CreatePods)
		for i, c := range actions.CreatePods {
			if planned, found := next.planned[c.Node]; found {
				actions.CreatePods[i] = planned
				delete(next.planned, c.Node)
			}
		}
	})
}

func rememberHashes() Around {
	var mu sync.Mutex
	known := map[string]string{}
	return doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
		mu.Lock()
		defer mu.Unlock()
		ds := state.DaemonSet
		key := fmt.Sprintf("%s/%s %s", ds.Namespace, ds.Name, ds.Annotations[appsv1.DeprecatedTemplateGeneration])
		for i := range actions.CreatePods {
			creation := &actions.CreatePods[i]
			if known[key] == "" {
				known[key] = creation.Hash
			}
			creation.Hash = known[key]
			creation.Pod.Labels[plan.HashLabel] = known[key]
		}
	})
}

func shareBackoffs() Around {
	var mu sync.Mutex
	all := map[string]plan.Backoff{}
	return func(next plan.Planner) plan.Planner {
		return func(state plan.State, now time.Time) plan.Actions {
			mu.Lock()
			defer mu.Unlock()
			state.Backoff = map[string]plan.Backoff{}
			for name, b := range all {
				state.Backoff[name] = b
			}
			actions := next(state, now)
			for name, b := range actions.Backoff {
				all[name] = b
			}
			return actions
		}
	}
}

// rolledOut are the nodes that have got a template in place of another, and those that are about to.
type rolledOut struct{ done, begun map[string]bool }

func rollOutOnce(m *memory[rolledOut]) Around {
	return doing(func(actions *plan.Actions, state plan.State, now time.Time) {
		seen := m.of(state)
		if seen.done == nil {
			*seen = rolledOut{done: map[string]bool{}, begun: map[string]bool{}}
		}
		hash := hashOfCurrent(state)
		for _, n := range nodes(state) {
			if key := n.name + hash; seen.begun[key] && len(n.olds) == 0 && available(state, n.news, now) {
				seen.done[key] = true
			}
		}
		withoutCreations(actions, func(c plan.PodCreation) bool {
			key := c.Node + hash
			seen.begun[key] = seen.begun[key] || c.Reason == plan.ReasonSurge
			return c.Reason == plan.ReasonSurge && seen.done[key]
		})
		withoutDeletions(actions, func(d plan.PodDeletion) bool {
			key := d.Node + hash
			seen.begun[key] = seen.begun[key] || d.Reason == plan.ReasonOutdated
			return d.Reason == plan.ReasonOutdated && seen.done[key]
		})
	})
}

// wasThereBefore reports whether another history is younger than that of the current template.
func wasThereBefore(state plan.State) bool {
	for _, revision := range state.Revisions {
		if !isCurrent(state, revision) {
			continue
		}
		for _, other := range state.Revisions {
			if other.CreationTimestamp.After(revision.CreationTimestamp.Time) {
				return true
			}
		}
	}
	return false
}
