package variants

import (
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// brokenSurges hand over wrongly on the nodes that they surge on.
func brokenSurges() []Variant {
	return []Variant{
		{Name: "deletes-first", Says: "Deletes the old pod to make room for the updated one, although maxSurge asks for the updated one first.",
			Breaks: []string{"SURGE-001", "SURGE-006", "SURGE-008", "SURGE-016"}, Planner: doing(deleteFirst)},
		{Name: "hands-over-to-a-running-pod", Says: "Deletes the old pod as soon as the updated one on its node runs.",
			Breaks: []string{"SURGE-006", "SURGE-008", "SURGE-016"}, Planner: doing(handOverToARunningPod)},
		{Name: "hands-over-late", Says: "Deletes the old pod ten seconds after the updated one became available.",
			Breaks: []string{"SURGE-007"}, Planner: holdDeletions(10*time.Second, deletedFor(plan.ReasonReplaced))},
		{Name: "keeps-replaced-pods", Says: "Never deletes an old pod whose successor is available.",
			Breaks: []string{"SURGE-007", "SURGE-011"},
			Planner: doing(func(actions *plan.Actions, _ plan.State, _ time.Time) {
				withoutDeletions(actions, deletedFor(plan.ReasonReplaced))
			})},
		{Name: "lowered-max-surge-deletes", Says: "Deletes surge pods that are in excess of a maxSurge that was lowered.",
			Breaks: []string{"SURGE-020"}, Planner: doing(deleteExcess)},
		{Name: "keeps-the-oldest-pod", Says: "Keeps the oldest of two pods when surge is switched off, whether or not it is available.",
			Breaks: []string{"SURGE-021"}, Planner: doing(keepOldest)},
		{Name: "third-pod-while-none-is-ready", Says: "Creates another updated pod while neither pod of a node is Ready.",
			Breaks: []string{"SURGE-022"}, Planner: doing(createThird)},
		{Name: "old-pods-pile-up", Says: "Keeps old pods of more than one revision on a node, and adds an updated one.",
			Breaks: []string{"SURGE-009"}, Planner: seeing(hideOlderPods)},
		{Name: "does-not-see-old-pods-that-are-not-ready", Says: "Leaves old pods that are not Ready out of account, and creates another beside them.",
			Breaks: []string{"SURGE-009"},
			Planner: seeing(func(state *plan.State, _ time.Time) {
				isUpdated := updated(*state)
				withoutPods(state, func(pod *corev1.Pod) bool { return !isUpdated(pod) && !plan.IsReady(pod) })
			})},
		{Name: "surge-pods-not-pinned", Says: "Leaves it to the scheduler where a surge pod runs, and remembers in an annotation where it was meant to.",
			Breaks: []string{"SURGE-026"}, Planner: both(seeing(readMeant), doing(writeMeant))},
	}
}

// deleteFirst makes room for every pod that should be created beside another.
func deleteFirst(actions *plan.Actions, state plan.State, _ time.Time) {
	surge := map[string]bool{}
	withoutCreations(actions, func(c plan.PodCreation) bool {
		surge[c.Node] = c.Reason == plan.ReasonSurge
		return surge[c.Node]
	})
	for _, n := range nodes(state) {
		for _, pod := range n.olds {
			if surge[n.name] {
				remove(actions, pod, plan.ReasonOutdated)
			}
		}
	}
}

func handOverToARunningPod(actions *plan.Actions, state plan.State, _ time.Time) {
	if state.AwaitingOwnWrites || !maySurge(state) {
		return
	}
	runs := func(pod *corev1.Pod) bool { return pod.Status.Phase == corev1.PodRunning }
	for _, n := range nodes(state) {
		for _, pod := range n.olds {
			if slices.ContainsFunc(n.news, runs) {
				remove(actions, pod, plan.ReasonReplaced)
			}
		}
	}
}

func deleteExcess(actions *plan.Actions, state plan.State, now time.Time) {
	if state.AwaitingOwnWrites || !maySurge(state) {
		return
	}
	held := surging(state, now)
	for i := limitOf(state, maxSurge); i < len(held); i++ {
		for _, pod := range held[i].news {
			remove(actions, pod, plan.ReasonDuplicate)
		}
	}
}

// keepOldest turns the choice between an old and an updated pod around where the updated one was chosen for being available.
func keepOldest(actions *plan.Actions, state plan.State, _ time.Time) {
	if state.AwaitingOwnWrites || maySurge(state) {
		return
	}
	for _, n := range nodes(state) {
		if len(n.olds) == 1 && len(n.news) == 1 {
			withoutDeletions(actions, func(d plan.PodDeletion) bool { return d.Node == n.name && d.Reason == plan.ReasonDuplicate })
			younger := n.news[0]
			if younger.CreationTimestamp.Before(&n.olds[0].CreationTimestamp) {
				younger = n.olds[0]
			}
			remove(actions, younger, plan.ReasonDuplicate)
		}
	}
}

func createThird(actions *plan.Actions, state plan.State, _ time.Time) {
	if state.AwaitingOwnWrites || !maySurge(state) || actions.CreateRevision != nil {
		return
	}
	for _, n := range nodes(state) {
		if n.eligible && len(n.olds) == 1 && len(n.news) == 1 && !plan.IsReady(n.olds[0]) && !plan.IsReady(n.news[0]) {
			withoutDeletions(actions, func(d plan.PodDeletion) bool { return d.Node == n.name })
			hash := n.news[0].Labels[plan.HashLabel]
			actions.CreatePods = append(slices.Clone(actions.CreatePods), plan.PodCreation{
				Node: n.name, Hash: hash, Reason: plan.ReasonOldUnavailable, Pod: plan.NewPod(state.DaemonSet, hash, n.name),
			})
		}
	}
}

// hideOlderPods shows one old pod per node, the oldest.
func hideOlderPods(state *plan.State, _ time.Time) {
	if !maySurge(*state) {
		return
	}
	hidden := map[*corev1.Pod]bool{}
	for _, n := range nodes(*state) {
		slices.SortFunc(n.olds, func(a, b *corev1.Pod) int { return a.CreationTimestamp.Compare(b.CreationTimestamp.Time) })
		for i, pod := range n.olds {
			hidden[pod] = i > 0
		}
	}
	withoutPods(state, func(pod *corev1.Pod) bool { return hidden[pod] })
}

// meantFor is the annotation in which a surge pod carries its node.
const meantFor = "meant-for"

func writeMeant(actions *plan.Actions, _ plan.State, _ time.Time) {
	for _, creation := range actions.CreatePods {
		if creation.Reason == plan.ReasonSurge {
			creation.Pod.Spec.Affinity = nil
			metav1.SetMetaDataAnnotation(&creation.Pod.ObjectMeta, meantFor, creation.Node)
		}
	}
}

func readMeant(state *plan.State, _ time.Time) {
	ds := state.DaemonSet
	changePods(state, func(pod *corev1.Pod) bool { return pod.Annotations[meantFor] != "" && pod.Spec.NodeName == "" }, func(pod *corev1.Pod) {
		pod.Spec.Affinity = plan.NewPod(ds, "", pod.Annotations[meantFor]).Spec.Affinity
	})
}

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
		{Name: "never-surges-on-all-nodes", Says: "Holds one node back from surging, whatever maxSurge says.",
			Breaks: []string{"SURGE-005"},
			Planner: limiting(maxSurge, func(value *intstr.IntOrString, state plan.State, _ time.Time) int {
				eligible := eligibleNodes(state)
				return min(scaled(value, eligible, true), max(1, eligible-1))
			})},
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
		{Name: "a-terminating-surge-pod-frees-its-slot", Says: "Gives a node's surge slot away while its updated pod is terminating and the old one available.",
			Breaks: []string{"SURGE-002"},
			Planner: deciding(func(state *plan.State, _ time.Time) {
				isUpdated, surge := updated(*state), maySurge(*state)
				withoutPods(state, func(pod *corev1.Pod) bool { return surge && pod.DeletionTimestamp != nil && isUpdated(pod) })
			})},
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
