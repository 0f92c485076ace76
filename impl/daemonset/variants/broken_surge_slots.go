package variants

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// brokenSurgeSlots count wrongly how many nodes may surge, or which do.
func brokenSurgeSlots() []Variant {
	return []Variant{
		{Name: "surges-on-one-node-more", Says: "Lets one node more surge than maxSurge allows.",
			Breaks: []string{"SURGE-002", "SURGE-003"},
			Planner: limiting(maxSurge, func(value *intstr.IntOrString, state plan.State, _ time.Time) int {
				return scaled(value, eligibleNodes(state), true) + 1
			})},
		{Name: "rounds-max-surge-down", Says: "Rounds a percentage of maxSurge down.",
			Breaks: []string{"SURGE-003"},
			Planner: limiting(maxSurge, func(value *intstr.IntOrString, state plan.State, _ time.Time) int {
				return scaled(value, eligibleNodes(state), false)
			})},
		{Name: "percentage-of-all-nodes-surging", Says: "Takes the percentage of maxSurge of all nodes instead of the eligible ones.",
			Breaks: []string{"SURGE-004"},
			Planner: limiting(maxSurge, func(value *intstr.IntOrString, state plan.State, _ time.Time) int {
				return scaled(value, len(state.Nodes), true)
			})},
		{Name: "percentage-of-the-first-look-surging", Says: "Does not compute the percentage of maxSurge again when nodes leave during a rollout.",
			Breaks: []string{"SURGE-004", "SURGE-002"}, Planner: firstLook(maxSurge)},
		{Name: "missing-pod-waits-for-a-slot", Says: "Fills a node without a pod only while maxSurge has something left.",
			Breaks: []string{"SURGE-012"},
			Planner: doing(func(actions *plan.Actions, state plan.State, now time.Time) {
				if maySurge(state) && len(surging(state, now)) >= limitOf(state, maxSurge) {
					withoutCreations(actions, createdFor(plan.ReasonMissing))
				}
			})},
		{Name: "unavailable-old-pod-takes-a-slot", Says: "Counts a node against maxSurge whose old pod is not available.",
			Breaks: []string{"SURGE-013"},
			Planner: doing(func(actions *plan.Actions, state plan.State, now time.Time) {
				held := 0
				for _, n := range nodes(state) {
					if len(n.olds)+len(n.ended) > 0 && len(n.news) > 0 && !available(state, n.news, now) {
						held++
					}
				}
				capSurge(actions, limitOf(state, maxSurge)-held)
			})},
		{Name: "a-recovered-node-takes-no-slot", Says: "Does not count a node against maxSurge whose old pod was not available when the updated one was created.",
			Breaks: []string{"SURGE-002"}, Planner: remember(recoveredTakesNoSlot)},
		{Name: "a-closed-node-keeps-its-slot", Says: "Counts a node against maxSurge that surged when it became ineligible, until the rollout ends.",
			Breaks: []string{"SURGE-017"}, Planner: remember(closedNodesKeepSlots)},
		{Name: "replaces-one-unready-pod-at-a-time",
			Says:   "Creates an updated pod beside an old one that is not available only while no other such node waits for its updated pod.",
			Breaks: []string{"UNREADY-001", "SURGE-013"},
			Planner: doing(func(actions *plan.Actions, state plan.State, now time.Time) {
				room := 1
				for _, n := range nodes(state) {
					if !available(state, n.olds, now) && len(n.news) > 0 && !available(state, n.news, now) {
						room--
					}
				}
				withoutCreations(actions, func(c plan.PodCreation) bool {
					if c.Reason != plan.ReasonOldUnavailable {
						return false
					}
					room--
					return room < 0
				})
			})},
	}
}

// capSurge drops the creations of surge pods beyond room.
func capSurge(actions *plan.Actions, room int) {
	withoutCreations(actions, func(c plan.PodCreation) bool {
		if c.Reason != plan.ReasonSurge {
			return false
		}
		room--
		return room < 0
	})
}

// rolloutSeen is what a planner remembers of one rollout.
type rolloutSeen struct {
	generation string
	// nodes are its eligible nodes when it began, or the largest number since.
	nodes int
	held  map[string]bool
}

// of begins anew with another template.
func (r *rolloutSeen) of(state plan.State) *rolloutSeen {
	if generation := state.DaemonSet.Annotations[appsv1.DeprecatedTemplateGeneration]; generation != r.generation || r.held == nil {
		*r = rolloutSeen{generation: generation, held: map[string]bool{}}
	}
	return r
}

// firstLook takes a percentage of the largest number of eligible nodes that there was during the rollout.
func firstLook(which limit) Around {
	return remember(func(m *memory[rolloutSeen]) Around {
		return limiting(which, func(value *intstr.IntOrString, state plan.State, _ time.Time) int {
			seen := m.of(state).of(state)
			seen.nodes = max(seen.nodes, eligibleNodes(state))
			return scaled(value, seen.nodes, true)
		})
	})
}

func recoveredTakesNoSlot(m *memory[rolloutSeen]) Around {
	return both(
		limiting(maxSurge, func(value *intstr.IntOrString, state plan.State, now time.Time) int {
			slots := scaled(value, eligibleNodes(state), true)
			for _, n := range surging(state, now) {
				if m.of(state).of(state).held[n.name] {
					slots++
				}
			}
			return slots
		}),
		doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
			for _, creation := range actions.CreatePods {
				if creation.Reason == plan.ReasonOldUnavailable {
					m.of(state).of(state).held[creation.Node] = true
				}
			}
		}))
}

func closedNodesKeepSlots(m *memory[rolloutSeen]) Around {
	return doing(func(actions *plan.Actions, state plan.State, now time.Time) {
		seen, open, closed := m.of(state).of(state), 0, 0
		for _, n := range surging(state, now) {
			if n.eligible {
				seen.held[n.name] = true
				open++
			}
		}
		for _, n := range nodes(state) {
			if !n.eligible && seen.held[n.name] {
				closed++
			}
		}
		if closed > 0 {
			capSurge(actions, limitOf(state, maxSurge)-open-closed)
		}
	})
}
