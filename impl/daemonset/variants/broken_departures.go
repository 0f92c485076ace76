package variants

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// brokenDepartures go wrong where nodes come or go while a rollout is under way.
func brokenDepartures() []Variant {
	return []Variant{
		{Name: "waits-for-nodes-that-are-down", Says: "Makes no updated pod beside an old one that is not available on a node that is tainted as unreachable.",
			Breaks: []string{"UNREADY-001"},
			Planner: doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
				down := map[string]bool{}
				for _, node := range state.Nodes {
					down[node.Name] = slices.ContainsFunc(node.Spec.Taints, func(taint corev1.Taint) bool { return taint.Key == corev1.TaintNodeUnreachable })
				}
				actions.CreatePods = slices.DeleteFunc(actions.CreatePods, func(creation plan.PodCreation) bool {
					return creation.Reason == plan.ReasonOldUnavailable && down[creation.Node]
				})
			})},
		{Name: "nodes-that-are-being-deleted-are-gone", Says: "Takes a node for gone that is being deleted and that a finalizer holds back.",
			Breaks: []string{"TARGET-001"},
			Planner: seeing(func(state *plan.State, _ time.Time) {
				leaving := map[string]bool{}
				for _, node := range state.Nodes {
					leaving[node.Name] = node.DeletionTimestamp != nil
				}
				withoutNodes(state, func(name string) bool { return leaving[name] })
			})},
		{Name: "waits-until-a-node-that-it-left-is-empty", Says: "Makes no pod on a node that it had to leave before the last one that it had there is gone.",
			Breaks: []string{"TARGET-002"}, Planner: remember(waitForEmptyNodes)},
		{Name: "percentage-of-the-pods-surging", Says: "Takes the percentage of maxSurge of the pods that there are.",
			Breaks:  []string{"SURGE-004"},
			Planner: limiting(maxSurge, percentageOfPods)},
		{Name: "percentage-of-the-pods-rolling", Says: "Takes the percentage of maxUnavailable of the pods that there are, if these are more than the eligible nodes.",
			Breaks:  []string{"ROLLING-004"},
			Planner: limiting(maxUnavailable, percentageOfPods)},
		{Name: "pods-that-end-on-a-node-that-left-are-unavailable",
			Says:    "Counts a node that is not eligible against maxUnavailable while its pod is terminating.",
			Breaks:  []string{"TARGET-005"},
			Planner: doing(countLeft)},
		{Name: "pods-that-end-on-a-node-that-left-hold-slots", Says: "Counts a node that is not eligible against maxSurge while its pods are terminating.",
			Breaks: []string{"TARGET-005"},
			Planner: doing(func(actions *plan.Actions, state plan.State, now time.Time) {
				if left := howMany(nodes(state), left); left > 0 {
					capSurge(actions, limitOf(state, maxSurge)-len(surging(state, now))-left)
				}
			})},
		{Name: "closed-nodes-share-one-spare", Says: "Deletes the old pods of all nodes that became ineligible once there is one available pod more than desired.",
			Breaks: []string{"SURGE-017"}, Planner: doing(retireTogether)},
		{Name: "pods-of-a-deleted-node-hold-slots", Says: "Counts an updated pod against maxSurge that is on a node that does not exist any more.",
			Breaks: []string{"TARGET-006"},
			Planner: doing(func(actions *plan.Actions, state plan.State, now time.Time) {
				if lost := lostPods(state); lost > 0 {
					capSurge(actions, limitOf(state, maxSurge)-len(surging(state, now))-lost)
				}
			})},
		{Name: "joining-nodes-cost-nothing", Says: "Does not hold a node against maxUnavailable that joined after the template was changed.",
			Breaks:  []string{"ROLLING-010"},
			Planner: lenient(maxUnavailable, joined)},
		{Name: "deleted-nodes-count-until-their-pods-are-gone", Says: "Takes the percentage of maxSurge of the eligible nodes and of deleted ones that pods are still bound to.",
			Breaks: []string{"SURGE-004", "SURGE-002"},
			Planner: limiting(maxSurge, func(value *intstr.IntOrString, state plan.State, _ time.Time) int {
				return scaled(value, eligibleNodes(state)+deletedNodes(state), true)
			})},
		{Name: "deleted-nodes-count-for-max-unavailable", Says: "Takes the percentage of maxUnavailable of the eligible nodes and of deleted ones that pods are still bound to.",
			Breaks: []string{"ROLLING-004", "ROLLING-002"},
			Planner: limiting(maxUnavailable, func(value *intstr.IntOrString, state plan.State, _ time.Time) int {
				return scaled(value, eligibleNodes(state)+deletedNodes(state), true)
			})},
		{Name: "percentages-of-the-reported-nodes", Says: "Takes percentages of the number of nodes that the status says should run the pod.",
			Breaks: []string{"SURGE-004", "ROLLING-004"}, Planner: both(limiting(maxSurge, percentageOfReported), limiting(maxUnavailable, percentageOfReported))},
	}
}

func percentageOfReported(value *intstr.IntOrString, state plan.State, _ time.Time) int {
	return scaled(value, int(state.DaemonSet.Status.DesiredNumberScheduled), true)
}

func percentageOfPods(value *intstr.IntOrString, state plan.State, _ time.Time) int {
	pods := 0
	for _, n := range nodes(state) {
		pods += len(n.olds) + len(n.news)
	}
	return scaled(value, max(pods, eligibleNodes(state)), true)
}

// left reports whether pods are terminating on a node that should have none.
func left(n *node) bool { return !n.eligible && len(n.leaving) > 0 }

func countLeft(actions *plan.Actions, state plan.State, now time.Time) {
	all := nodes(state)
	left := howMany(all, left)
	if left == 0 || maySurge(state) {
		return
	}
	room := limitOf(state, maxUnavailable) - left - howMany(all, func(n *node) bool { return n.unavailable(state, now) })
	withoutDeletions(actions, func(d plan.PodDeletion) bool {
		if d.Reason != plan.ReasonOutdated {
			return false
		}
		room--
		return room < 0
	})
}

// retireTogether does for all nodes that keep their pods what the plan does for one.
func retireTogether(actions *plan.Actions, state plan.State, now time.Time) {
	var closed []*corev1.Pod
	for _, n := range nodes(state) {
		if _, keeps := plan.Eligibility(state.DaemonSet, n.object); !n.eligible && keeps && available(state, n.olds, now) {
			closed = append(closed, n.olds...)
		}
	}
	if !slices.ContainsFunc(closed, func(pod *corev1.Pod) bool {
		return slices.ContainsFunc(actions.DeletePods, func(d plan.PodDeletion) bool { return d.Pod.UID == pod.UID })
	}) {
		return
	}
	for _, pod := range closed {
		remove(actions, pod, plan.ReasonIneligible)
	}
}

// lostPods counts the updated pods on nodes that do not exist.
func lostPods(state plan.State) int {
	lost, isUpdated := 0, updated(state)
	for _, pod := range state.Pods {
		there := slices.ContainsFunc(state.Nodes, func(each *corev1.Node) bool { return each.Name == plan.TargetNode(pod) })
		if !there && isUpdated(pod) && metav1.IsControlledBy(pod, state.DaemonSet) {
			lost++
		}
	}
	return lost
}

// joined reports whether the node is younger than the history of the current template, and has no available pod.
func joined(n *node, state plan.State, now time.Time) bool {
	name := plan.RevisionName(state.DaemonSet)
	for _, revision := range state.Revisions {
		if revision.Name == name {
			return n.unavailable(state, now) && revision.CreationTimestamp.Before(&n.object.CreationTimestamp)
		}
	}
	return false
}

// deletedNodes counts the nodes that do not exist and have pods of the DaemonSet.
func deletedNodes(state plan.State) int {
	names := sets.New[string]()
	for _, pod := range state.Pods {
		if pod.Spec.NodeName != "" && metav1.IsControlledBy(pod, state.DaemonSet) {
			names.Insert(pod.Spec.NodeName)
		}
	}
	for _, each := range state.Nodes {
		names.Delete(each.Name)
	}
	return names.Len()
}

// waitForEmptyNodes remembers the nodes that had to give up pods, until none of these is left there.
func waitForEmptyNodes(m *memory[sets.Set[string]]) Around {
	return doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
		left := m.of(state)
		if *left == nil {
			*left = sets.New[string]()
		}
		for _, n := range nodes(state) {
			switch {
			case !n.eligible && len(n.olds)+len(n.news)+len(n.leaving) > 0:
				left.Insert(n.name)
			case len(n.leaving) == 0:
				left.Delete(n.name)
			}
		}
		withoutCreations(actions, func(creation plan.PodCreation) bool { return left.Has(creation.Node) })
	})
}
