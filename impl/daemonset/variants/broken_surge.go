package variants

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

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
		{Name: "creates-no-pod-beside-another", Says: "Creates no updated pod beside an old one, although maxSurge asks for it.",
			Breaks: []string{"SURGE-001", "SURGE-011", "UNREADY-001"},
			Planner: doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
				taken := map[string]bool{}
				for _, n := range nodes(state) {
					taken[n.name] = len(n.olds) > 0
				}
				withoutCreations(actions, func(c plan.PodCreation) bool { return taken[c.Node] })
			})},
		{Name: "waits-for-terminating-pods", Says: "Creates no pod on a node while its only one is terminating, although maxSurge asks for it.",
			Breaks: []string{"DRAIN-002", "DRAIN-006", "UNREADY-002", "UNREADY-003"},
			Planner: doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
				leaving := map[string]bool{}
				for _, n := range nodes(state) {
					leaving[n.name] = len(n.leaving) > 0 && len(n.olds)+len(n.news) == 0
				}
				withoutCreations(actions, func(c plan.PodCreation) bool { return leaving[c.Node] })
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
