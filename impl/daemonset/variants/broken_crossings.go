package variants

import (
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// brokenCrossings go wrong where one feature crosses another's way, by what a single pass sees.
func brokenCrossings() []Variant {
	return []Variant{
		{Name: "histories-without-a-label-are-nobodys", Says: "Deletes a history beyond the limit that has lost its revision label, although pods are of it.",
			Breaks: []string{"HISTORY-017"}, Planner: doing(trimUnlabelled)},
		{Name: "ready-pods-make-up-for-a-closed-node", Says: "With maxSurge, deletes the available old pod of an ineligible node once more nodes have a Ready pod than are desired, available or not.",
			Breaks: []string{"SURGE-017"}, Planner: doing(leaveForReady)},
		{Name: "a-deleted-daemonset-loses-its-failed-pods", Says: "Goes on to delete the pods that fail of a DaemonSet that is being deleted.",
			Breaks: []string{"STATUS-015"}, Planner: buryForDeleted},
		{Name: "a-succeeded-pod-takes-over", Says: "Deletes the old pod beside an updated one that has succeeded, as beside one that is available.",
			Breaks: []string{"SURGE-016"}, Planner: doing(handOverToASucceededPod)},
		{Name: "evicted-pods-wait-for-the-end-of-the-pressure", Says: "Leaves a pod that its kubelet evicted while the node has a taint for pressure.",
			Breaks: []string{"TARGET-009"}, Planner: doing(leaveUnderPressure)},
		{Name: "one-back-off-stops-everything", Says: "Creates and deletes no pod anywhere while it waits to replace one that failed.",
			Breaks: []string{"TARGET-010"}, Planner: doing(waitForOneBackoff)},
		{Name: "histories-from-before-keep-their-numbers", Says: "Gives a history that is older than the DaemonSet no larger number when its template is the current one again.",
			Breaks: []string{"HISTORY-010"}, Planner: doing(keepNumbersOfOthers)},
	}
}

// trimUnlabelled looks for the labels of pods among those that histories have, not those that they are about to get.
func trimUnlabelled(actions *plan.Actions, state plan.State, _ time.Time) {
	ds := state.DaemonSet
	if state.AwaitingOwnWrites {
		return
	}
	old := slices.DeleteFunc(slices.Clone(state.Revisions), func(r *appsv1.ControllerRevision) bool {
		stored := plan.StoredTemplate(r)
		return !metav1.IsControlledBy(r, ds) || r.DeletionTimestamp != nil || stored != nil && apiequality.Semantic.DeepEqual(stored, &ds.Spec.Template)
	})
	slices.SortFunc(old, func(a, b *appsv1.ControllerRevision) int { return int(a.Revision - b.Revision) })
	excess := len(old) - 10
	if ds.Spec.RevisionHistoryLimit != nil {
		excess = len(old) - int(*ds.Spec.RevisionHistoryLimit)
	}
	live := sets.New[string]()
	for _, pod := range state.Pods {
		live.Insert(pod.Labels[plan.HashLabel])
	}
	live.Delete("")
	for _, revision := range old {
		label := revision.Labels[plan.HashLabel]
		if excess <= 0 || live.Has(label) {
			continue
		}
		excess--
		same := func(r *appsv1.ControllerRevision) bool { return r.UID == revision.UID }
		if label != "" || slices.ContainsFunc(actions.DeleteRevisions, same) {
			continue
		}
		actions.DeleteRevisions = append(slices.Clone(actions.DeleteRevisions), revision)
		actions.UpdateRevisions = slices.DeleteFunc(slices.Clone(actions.UpdateRevisions), func(u plan.RevisionUpdate) bool { return same(u.Revision) })
	}
}

// leaveForReady spares as many ineligible nodes as there are more Ready pods than desired ones.
func leaveForReady(actions *plan.Actions, state plan.State, now time.Time) {
	if state.AwaitingOwnWrites || actions.CreateRevision != nil || !maySurge(state) {
		return
	}
	all := nodes(state)
	spare := -eligibleNodes(state) + howMany(all, func(n *node) bool {
		return slices.ContainsFunc(slices.Concat(n.olds, n.news), plan.IsReady)
	})
	for _, deletion := range actions.DeletePods {
		if deletion.Reason == plan.ReasonIneligible && plan.IsReady(deletion.Pod) {
			spare--
		}
	}
	for _, n := range all {
		leaving := func(d plan.PodDeletion) bool { return d.Node == n.name }
		if n.eligible || len(n.news) > 0 || !available(state, n.olds, now) || slices.ContainsFunc(actions.DeletePods, leaving) {
			continue
		}
		if spare--; spare >= 0 {
			remove(actions, n.olds[0], plan.ReasonIneligible)
		}
	}
}

// buryForDeleted deletes failed pods before it asks whether the DaemonSet is being deleted.
func buryForDeleted(next plan.Planner) plan.Planner {
	return func(state plan.State, now time.Time) plan.Actions {
		actions := next(state, now)
		if state.DaemonSet.DeletionTimestamp == nil || state.AwaitingOwnWrites {
			return actions
		}
		for _, n := range nodes(state) {
			for _, pod := range n.ended {
				if pod.DeletionTimestamp == nil && pod.Status.Phase == corev1.PodFailed {
					remove(&actions, pod, plan.ReasonFailed)
				}
			}
		}
		return actions
	}
}

func handOverToASucceededPod(actions *plan.Actions, state plan.State, now time.Time) {
	if state.AwaitingOwnWrites || actions.CreateRevision != nil || !maySurge(state) {
		return
	}
	isUpdated := updated(state)
	for _, n := range nodes(state) {
		succeeded := func(pod *corev1.Pod) bool {
			return pod.Status.Phase == corev1.PodSucceeded && pod.DeletionTimestamp == nil && isUpdated(pod)
		}
		if slices.ContainsFunc(n.ended, succeeded) && available(state, n.olds, now) {
			for _, pod := range n.olds {
				remove(actions, pod, plan.ReasonReplaced)
			}
		}
	}
}

// leaveUnderPressure looks again every two seconds: taints that every daemon pod tolerates wake nobody.
func leaveUnderPressure(actions *plan.Actions, state plan.State, _ time.Time) {
	pressed := sets.New[string]()
	for _, each := range state.Nodes {
		if slices.ContainsFunc(each.Spec.Taints, func(t corev1.Taint) bool { return strings.HasSuffix(t.Key, "-pressure") }) {
			pressed.Insert(each.Name)
		}
	}
	isLeft := func(pod *corev1.Pod) bool { return pod.Status.Reason == "Evicted" && pressed.Has(plan.TargetNode(pod)) }
	withoutDeletions(actions, func(d plan.PodDeletion) bool {
		if d.Reason != plan.ReasonFailed || !isLeft(d.Pod) {
			return false
		}
		delete(actions.Backoff, d.Node)
		comeBack(actions, 2*time.Second)
		return true
	})
	actions.Events = slices.DeleteFunc(slices.Clone(actions.Events), func(e plan.Event) bool {
		return e.Reason == plan.EventFailedDaemonPod && e.Pod != nil && isLeft(e.Pod)
	})
}

// waitForOneBackoff ends the pass at the first pod that has to wait, and has the next one when that is over.
func waitForOneBackoff(actions *plan.Actions, state plan.State, now time.Time) {
	stays := func(pod *corev1.Pod) bool { return pod.DeletionTimestamp == nil }
	waits := false
	for _, n := range nodes(state) {
		if wait := state.Backoff[n.name].Until().Sub(now); wait > 0 && slices.ContainsFunc(n.ended, stays) {
			waits = true
			comeBack(actions, wait)
		}
	}
	if !waits {
		return
	}
	actions.DeletePods, actions.UpdatePods, actions.CreatePods, actions.Backoff = nil, nil, nil, nil
	actions.Events = slices.DeleteFunc(slices.Clone(actions.Events), func(e plan.Event) bool { return e.Pod != nil })
}

// keepNumbersOfOthers takes a history that was there before the DaemonSet for one that is not its own to write.
func keepNumbersOfOthers(actions *plan.Actions, state plan.State, _ time.Time) {
	actions.UpdateRevisions = slices.DeleteFunc(slices.Clone(actions.UpdateRevisions), func(u plan.RevisionUpdate) bool {
		return !u.Adopt && u.Revision.CreationTimestamp.Before(&state.DaemonSet.CreationTimestamp) &&
			slices.ContainsFunc(state.Revisions, func(r *appsv1.ControllerRevision) bool {
				return r.UID == u.Revision.UID && r.Revision != u.Revision.Revision
			})
	})
}
