package variants

import (
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
	"github.com/rollcall-conformance/rollcall/impl/inplace"
)

// brokenReportedBugs have defects that controllers of this kind had. Where one was reported, its function says where.
func brokenReportedBugs() []Variant {
	return []Variant{
		{Name: "each-look-at-a-failed-pod-begins-its-delay-anew",
			Says:   "Begins the delay of a pod that failed anew with each pass that finds the pod before the delay is over.",
			Breaks: []string{"TARGET-009", "TARGET-010"}, Planner: remember(restartDelays)},
		{Name: "a-free-slot-goes-round-the-back-off",
			Says:   "Creates another updated pod beside those that failed on a node at once, as long as maxSurge has one more slot to give than the node's.",
			Breaks: []string{"SURGE-024", "TARGET-010"}, Planner: doing(surgePastFailures)},
		{Name: "its-own-deletions-have-to-end-first",
			Says:   "Creates no pod on a node while one on another node is terminating that it deleted itself.",
			Breaks: []string{"UNREADY-001", "UNREADY-002", "TARGET-002"}, Planner: remember(endDeletionsFirst)},
		{Name: "a-pod-deleted-before-it-was-bound-is-the-last",
			Says:   "Creates no pod on a node, until the spec changes, where it has seen one terminate that was bound to no node yet and that somebody else deleted.",
			Breaks: []string{"DRAIN-005", "SURGE-012"}, Planner: remember(giveUpUnbound)},
		{Name: "what-is-being-updated-in-place-is-not-deleted",
			Says:   "Recreates no pod whose update in place has not taken effect, though what it is to become by now takes another pod.",
			Breaks: []string{"INPLACE-008"}, Planner: doing(leaveBeingUpdated)},
		{Name: "failures-of-an-overtaken-template-are-waited-out",
			Says:   "Waits until the delay of a pod that failed is over, though another template is in force by then.",
			Breaks: []string{"TARGET-010", "ROLLOVER-004"}, Planner: remember(keepDelays)},
		{Name: "an-unready-old-pod-goes-once-the-updated-one-is-bound",
			Says:   "With maxSurge, leaves an old pod that is not Ready until the updated one beside it is bound, which may wait for just what the old one has.",
			Breaks: []string{"SURGE-022"}, Planner: doing(waitForBinding)},
	}
}

// restartDelays takes a pod that waits to be replaced for one that has just failed, whenever something makes it look (kruise#744, kruise#815). It remembers the
// last looks, by node.
func restartDelays(m *memory[map[string]time.Time]) Around {
	return seeing(func(state *plan.State, now time.Time) {
		if state.AwaitingOwnWrites {
			return
		}
		before, looks := *m.of(*state), map[string]time.Time{}
		changed := maps.Clone(state.Backoff)
		for _, n := range nodes(*state) {
			b := state.Backoff[n.name]
			if b.Delay == 0 || !slices.ContainsFunc(n.ended, undeleted) {
				continue
			}
			if last := before[n.name]; last.After(b.Last) {
				b.Last = last
			}
			if now.Before(b.Until()) {
				b.Last = now
			}
			looks[n.name] = b.Last
			changed[n.name] = b
		}
		state.Backoff = changed
		*m.of(*state) = looks
	})
}

func undeleted(pod *corev1.Pod) bool { return pod.DeletionTimestamp == nil }

// surgePastFailures sees in a node whose updated pods failed a node without one (k/k#124388: with maxSurge 1 the slot of the failed pod hides it).
func surgePastFailures(actions *plan.Actions, state plan.State, now time.Time) {
	if !maySurge(state) || state.AwaitingOwnWrites || state.Refused != nil || actions.CreateRevision != nil {
		return
	}
	taken := map[string]bool{}
	free := limitOf(state, maxSurge) - len(surging(state, now))
	for _, c := range actions.CreatePods {
		taken[c.Node] = true
		switch c.Reason {
		case plan.ReasonSurge:
			free--
		case plan.ReasonOldUnavailable:
			// The old pod may be available again by the time that the pod is created, which takes a slot then.
			return
		}
	}
	for _, d := range actions.DeletePods {
		taken[d.Node] = true
	}
	isUpdated, hash := updated(state), hashOfCurrent(state)
	failed := func(pod *corev1.Pod) bool { return undeleted(pod) && isUpdated(pod) }
	for _, n := range nodes(state) {
		fails := slices.ContainsFunc(n.ended, failed) && now.Before(state.Backoff[n.name].Until())
		if free < 2 || taken[n.name] || !n.eligible || !fails || len(n.news) > 0 || !available(state, n.olds, now) {
			continue
		}
		free--
		actions.CreatePods = append(slices.Clone(actions.CreatePods), plan.PodCreation{
			Node: n.name, Hash: hash, Reason: plan.ReasonSurge, Pod: plan.NewPod(state.DaemonSet, hash, n.name),
		})
	}
}

// endDeletionsFirst takes a deletion for done when the pod is gone, and waits for that (k/k#63465, repaired by k/k#77773). It remembers which pods it deleted.
func endDeletionsFirst(m *memory[map[types.UID]bool]) Around {
	return doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
		before, own := *m.of(state), map[types.UID]bool{}
		var lasting []string
		for _, pod := range state.Pods {
			if !before[pod.UID] {
				continue
			}
			own[pod.UID] = true
			if pod.DeletionTimestamp != nil && !plan.HasEnded(pod) {
				lasting = append(lasting, plan.TargetNode(pod))
			}
		}
		for _, d := range actions.DeletePods {
			own[d.Pod.UID] = true
		}
		*m.of(state) = own
		withoutCreations(actions, func(c plan.PodCreation) bool {
			return slices.ContainsFunc(lasting, func(node string) bool { return node != c.Node })
		})
	})
}

// unbound are the pods that were being deleted before they were bound.
type unbound struct {
	generation int64
	// own are those that it was to delete itself, seen those of others.
	own, seen map[types.UID]bool
	// nodes are where they were, for this generation.
	nodes map[string]bool
}

// giveUpUnbound takes such a pod for one that was created and deleted as it should be, with which nothing is left to do (k/k#136932).
func giveUpUnbound(m *memory[unbound]) Around {
	return doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
		u, ds := m.of(state), state.DaemonSet
		if u.own == nil {
			u.own, u.seen = map[types.UID]bool{}, map[types.UID]bool{}
		}
		if u.nodes == nil || u.generation != ds.Generation {
			u.generation, u.nodes = ds.Generation, map[string]bool{}
		}
		for _, pod := range state.Pods {
			waited := pod.DeletionTimestamp != nil && pod.Spec.NodeName == "" && metav1.IsControlledBy(pod, ds)
			if waited && !u.own[pod.UID] && !u.seen[pod.UID] {
				u.seen[pod.UID] = true
				u.nodes[plan.TargetNode(pod)] = true
			}
		}
		for _, d := range actions.DeletePods {
			u.own[d.Pod.UID] = true
		}
		withoutCreations(actions, func(c plan.PodCreation) bool { return u.nodes[c.Node] })
	})
}

// leaveBeingUpdated waits for the end of each update that it began, as one does who has a state for it (kruise#1183).
func leaveBeingUpdated(actions *plan.Actions, state plan.State, now time.Time) {
	if !inPlace(state) || !rolling(state) || maySurge(state) {
		return
	}
	withoutDeletions(actions, func(d plan.PodDeletion) bool {
		due := d.Reason == plan.ReasonOutdated || d.Reason == plan.ReasonOldUnavailable
		return due && d.Pod.Annotations[inplace.Record] != "" && !tookEffect(d.Pod, now)
	})
}

// tookEffect reports whether the last update of the pod in place has: then it would be believed to be Ready if it said so.
func tookEffect(pod *corev1.Pod, now time.Time) bool {
	probe := pod.DeepCopy()
	probe.Status.Conditions = nil
	setReady(probe, now)
	believed, _ := inplace.Believe(probe, now)
	return ready(believed).Status == corev1.ConditionTrue
}

// keepDelays keeps what failed for the node, and not for the template (kube-controller-manager and kruise take the generation that the status has observed, which may be
// the one before).
func keepDelays(m *memory[map[string]plan.Backoff]) Around {
	return func(next plan.Planner) plan.Planner {
		return func(state plan.State, now time.Time) plan.Actions {
			known := m.of(state)
			if *known == nil {
				*known = map[string]plan.Backoff{}
			}
			isUpdated := updated(state)
			changed := map[string]plan.Backoff{}
			maps.Copy(changed, state.Backoff)
			for _, n := range nodes(state) {
				_, present := changed[n.name]
				overtaken := slices.ContainsFunc(n.ended, func(pod *corev1.Pod) bool { return undeleted(pod) && !isUpdated(pod) })
				if b := (*known)[n.name]; !present && overtaken && now.Before(b.Until()) {
					changed[n.name] = b
				}
			}
			state.Backoff = changed
			actions := next(state, now)
			maps.Copy(*known, actions.Backoff)
			return actions
		}
	}
}

// waitForBinding keeps the old pod for as long as the updated one may not come up on the node at all (k/k#106417 is a rollout that stands so).
func waitForBinding(actions *plan.Actions, state plan.State, _ time.Time) {
	if !maySurge(state) {
		return
	}
	waiting := map[string]bool{}
	for _, n := range nodes(state) {
		waiting[n.name] = len(n.news) > 0 && !slices.ContainsFunc(n.news, func(pod *corev1.Pod) bool { return pod.Spec.NodeName != "" })
	}
	withoutDeletions(actions, func(d plan.PodDeletion) bool { return d.Reason == plan.ReasonOldUnavailable && waiting[d.Node] })
}
