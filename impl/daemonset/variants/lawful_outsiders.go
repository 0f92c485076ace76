package variants

import (
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// lawfulOutsiders choose otherwise than the reference which pods stay, which go, and what holds a rollout up.
func lawfulOutsiders() []Variant {
	return []Variant{
		{Name: "keeps-unready-old-pods-beside-updated-ones",
			Says: "With maxSurge, keeps an old pod that is not Ready, and is older than the updated one beside it, until that is available, or has not been bound for two seconds.",
			Lawful: "SURGE-022 leaves open which of two pods is kept if neither is available, and UNREADY-001 has the updated pod come beside the old one or instead of it. " +
				"SURGE-002: what was created within the limit stays lawful when an old pod recovers.",
			Planner: remember(keepUnready)},
		{Name: "replaces-unready-pods-within-max-unavailable",
			Says: "Without surge, deletes old pods that are not Ready only as far as maxUnavailable leaves room beside the nodes that have neither an old nor an available pod.",
			Lawful: "S2 L666-672 counts them against the limit. ROLLING-008 only observes how many are deleted at a time, and ROLLING-001 and SURGE-001 have nothing due " +
				"where more are unavailable than the limit allows, or something is under way.",
			Planner: doing(unreadyWithinLimit)},
		{Name: "pods-that-ended-hold-a-rollout-up",
			Says:    "Takes no further node into a rollout while a pod that has ended waits on an eligible node to be deleted, unless there is an old pod beside it that is not available.",
			Lawful:  "SURGE-011, and by SURGE-001 ROLLING-001: a failing pod may hold a rollout up for as long as it lasts. SURGE-013 has a rollout go on where old pods are not available.",
			Planner: doing(waitForEndedPods)},
		{Name: "keeps-the-younger-of-two-old-revisions",
			Says: "Keeps of two old pods on a node, of two revisions, the younger one where they serve equally.",
			Lawful: "SURGE-010 has the oldest kept of one revision. Of two old revisions ROLLOVER-002, ROLLOVER-003 and SURGE-016 have the available one kept, " +
				"and SURGE-022 leaves open which of two that are not.",
			Planner: doing(keepYoungerRevision)},
		{Name: "percentages-of-the-fewest-nodes-of-a-generation",
			Says:    "Takes percentages of the smallest number of eligible nodes that it has seen under the generation, and one node at least.",
			Lawful:  "maxSurge and maxUnavailable are upper bounds (SURGE-001, SURGE-003, SURGE-004, ROLLING-003, ROLLING-004), and what a smaller number allows is never more.",
			Planner: remember(ofFewestNodes)},
		{Name: "leaves-a-slot-to-each-cordoned-node",
			Says:    "Lowers maxSurge by the number of eligible nodes that are cordoned, to one at least.",
			Lawful:  "maxSurge is an upper bound (SURGE-001).",
			Planner: limiting(maxSurge, lessCordoned)},
	}
}

func keepUnready(m *memory[holding]) Around {
	return doing(func(actions *plan.Actions, state plan.State, now time.Time) {
		if state.AwaitingOwnWrites || !maySurge(state) {
			return
		}
		byName, h, wanted := map[string]*node{}, m.of(state), map[string]bool{}
		for _, n := range nodes(state) {
			byName[n.name] = n
		}
		withoutDeletions(actions, func(d plan.PodDeletion) bool {
			n := byName[d.Node]
			// An old pod that is younger is one of a rollout that was taken back (ROLLBACK-003).
			older := func(updated *corev1.Pod) bool { return d.Pod.CreationTimestamp.Before(&updated.CreationTimestamp) }
			if d.Reason != plan.ReasonOldUnavailable || n == nil || !n.eligible || !slices.ContainsFunc(n.news, older) {
				return false
			}
			if slices.ContainsFunc(n.news, func(updated *corev1.Pod) bool { return updated.Spec.NodeName != "" }) {
				return true
			}
			// The old one may have what the updated one waits for, such as a host port.
			wanted[string(d.Pod.UID)] = true
			return h.held(string(d.Pod.UID), 2*time.Second, now, actions)
		})
		h.only(wanted)
	})
}

func unreadyWithinLimit(actions *plan.Actions, state plan.State, now time.Time) {
	if state.AwaitingOwnWrites || !rolling(state) || maySurge(state) || inPlace(state) {
		return
	}
	all := nodes(state)
	room := max(1, limitOf(state, maxUnavailable)) - howMany(all, func(n *node) bool { return n.unavailable(state, now) && len(n.olds) == 0 })
	eligible := sets.New[string]()
	for _, n := range all {
		if n.eligible {
			eligible.Insert(n.name)
		}
	}
	withoutDeletions(actions, func(d plan.PodDeletion) bool {
		if d.Reason != plan.ReasonOldUnavailable || !eligible.Has(d.Node) {
			return false
		}
		room--
		return room < 0
	})
}

func waitForEndedPods(actions *plan.Actions, state plan.State, now time.Time) {
	holdsUp := func(n *node) bool {
		waits := slices.ContainsFunc(n.ended, func(pod *corev1.Pod) bool { return pod.DeletionTimestamp == nil })
		return n.eligible && waits && (len(n.olds) == 0 || available(state, n.olds, now))
	}
	if state.AwaitingOwnWrites || !slices.ContainsFunc(nodes(state), holdsUp) {
		return
	}
	withoutCreations(actions, createdFor(plan.ReasonSurge))
	withoutDeletions(actions, deletedFor(plan.ReasonOutdated))
	actions.UpdatePods = slices.DeleteFunc(slices.Clone(actions.UpdatePods), updatedFor(plan.ReasonOutdated))
}

func keepYoungerRevision(actions *plan.Actions, state plan.State, now time.Time) {
	if state.AwaitingOwnWrites {
		return
	}
	serves := func(pod *corev1.Pod) [3]bool {
		return [3]bool{available(state, []*corev1.Pod{pod}, now), plan.IsReady(pod), pod.Spec.NodeName != ""}
	}
	for _, n := range nodes(state) {
		if len(n.olds) != 2 {
			continue
		}
		for i, goes := range [2]*corev1.Pod{n.olds[0], n.olds[1]} {
			stays := n.olds[1-i]
			hash, other := goes.Labels[plan.HashLabel], stays.Labels[plan.HashLabel]
			at := slices.IndexFunc(actions.DeletePods, func(d plan.PodDeletion) bool { return d.Pod.UID == goes.UID && d.Reason == plan.ReasonDuplicate })
			staysToo := slices.ContainsFunc(actions.DeletePods, func(d plan.PodDeletion) bool { return d.Pod.UID == stays.UID })
			older := stays.CreationTimestamp.Before(&goes.CreationTimestamp)
			if at < 0 || staysToo || !older || hash == "" || other == "" || hash == other || serves(goes) != serves(stays) {
				continue
			}
			actions.DeletePods = slices.Clone(actions.DeletePods)
			actions.DeletePods[at].Pod = stays
			break
		}
	}
}

// fewestNodes is the smallest number of eligible nodes that was seen under a generation.
type fewestNodes struct {
	generation int64
	number     int
}

func ofFewestNodes(m *memory[fewestNodes]) Around {
	return seeingSpec(func(spec *appsv1.DaemonSetSpec, state plan.State, _ time.Time) {
		fewest, generation, eligible := m.of(state), state.DaemonSet.Generation, eligibleNodes(state)
		if fewest.generation != generation {
			*fewest = fewestNodes{generation: generation, number: eligible}
		}
		fewest.number = min(fewest.number, eligible)
		limits := spec.UpdateStrategy.RollingUpdate
		if limits == nil {
			return
		}
		for _, which := range []limit{maxSurge, maxUnavailable} {
			value := *which(limits)
			if value == nil || value.Type != intstr.String || scaled(value, 100, true) == 0 {
				continue
			}
			lowered := intstr.FromInt(max(1, scaled(value, fewest.number, true)))
			*which(limits) = &lowered
		}
	})
}

func lessCordoned(value *intstr.IntOrString, state plan.State, _ time.Time) int {
	cordoned := howMany(nodes(state), func(n *node) bool { return n.eligible && n.object.Spec.Unschedulable })
	return max(1, scaled(value, eligibleNodes(state), true)-cordoned)
}
