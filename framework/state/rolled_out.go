package state

import (
	"fmt"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// EveryDaemonSetRolledOut holds when every recorded DaemonSet is: see NotRolledOut.
func EveryDaemonSetRolledOut() Condition {
	return rolledOut("every eligible node has exactly one pod, updated and available, and no node has one that may not keep it",
		func(*appsv1.DaemonSet) bool { return true })
}

// DaemonSetRolledOut holds when the recorded DaemonSets of that name are: see NotRolledOut.
func DaemonSetRolledOut(name string) Condition {
	return rolledOut("every eligible node has exactly one pod of DaemonSet "+name+", updated and available, and no node has one that may not keep it",
		func(daemonSet *appsv1.DaemonSet) bool { return daemonSet.Name == name })
}

func rolledOut(text string, which func(*appsv1.DaemonSet) bool) Condition {
	return Condition{Text: text, Unmet: func(cluster *history.Cluster) string {
		var problems []string
		for _, daemonSet := range cluster.DaemonSets {
			if !which(daemonSet) {
				continue
			}
			if problem := NotRolledOut(cluster, daemonSet); problem != "" {
				problems = append(problems, problem)
			}
		}
		slices.Sort(problems)
		return strings.Join(problems, "; ")
	}}
}

// NotRolledOut says what is missing until every eligible node has exactly one pod of the DaemonSet, which is updated and available, and no node that may
// not keep one has any. It is empty when nothing is.
func NotRolledOut(cluster *history.Cluster, daemonSet *appsv1.DaemonSet) string {
	return join(onEligibleNodes(cluster, daemonSet), onOtherNodes(cluster, daemonSet))
}

func onEligibleNodes(cluster *history.Cluster, daemonSet *appsv1.DaemonSet) string {
	nodes := cluster.EligibleNodes(daemonSet)
	var wrong []string
	for _, node := range nodes {
		if problem := onNode(cluster, daemonSet, node); problem != "" {
			wrong = append(wrong, node+" has "+problem)
		}
	}
	if len(wrong) == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d eligible nodes have exactly one pod of DaemonSet %s that is updated and available: %s",
		len(nodes)-len(wrong), len(nodes), daemonSet.Name, some(wrong))
}

// onNode says what is wrong with the DaemonSet's pods on a node, or nothing.
func onNode(cluster *history.Cluster, daemonSet *appsv1.DaemonSet, node string) string {
	pods := cluster.PodsOn(daemonSet.UID, node)
	if len(pods) == 1 && !outdated(cluster, pods[0]) && history.IsAvailable(pods[0], daemonSet.Spec.MinReadySeconds, cluster.Time) {
		return ""
	}
	if len(pods) == 0 {
		return "no pod"
	}
	words := make([]string, len(pods))
	for i, pod := range pods {
		words[i] = describe(cluster, daemonSet, pod)
	}
	return strings.Join(words, " and ")
}

// onOtherNodes says which nodes have a pod although they may not keep it.
func onOtherNodes(cluster *history.Cluster, daemonSet *appsv1.DaemonSet) string {
	var others []string
	for _, node := range cluster.NodesOf(daemonSet.UID) {
		if !cluster.Eligibility(daemonSet.UID, node).ShouldContinue {
			others = append(others, node)
		}
	}
	if len(others) == 0 {
		return ""
	}
	return fmt.Sprintf("%d nodes that must not run DaemonSet %s have a pod of it: %s", len(others), daemonSet.Name, some(others))
}

func outdated(cluster *history.Cluster, pod *corev1.Pod) bool { return !cluster.IsUpdated(pod) }

func describe(cluster *history.Cluster, daemonSet *appsv1.DaemonSet, pod *corev1.Pod) string {
	revision, condition := "an updated pod", "not Ready"
	if outdated(cluster, pod) {
		revision = "an old pod"
	}
	switch {
	case pod.DeletionTimestamp != nil:
		condition = "terminating"
	case history.IsTerminal(pod):
		condition = string(pod.Status.Phase)
	case history.IsAvailable(pod, daemonSet.Spec.MinReadySeconds, cluster.Time):
		condition = "available"
	case history.IsReady(pod):
		condition = "Ready and not yet available"
	case pod.Spec.NodeName == "":
		condition = "not bound to the node"
	}
	return fmt.Sprintf("%s (%s)", revision, condition)
}

// some lists the first few and counts the rest.
func some(all []string) string {
	const most = 4
	if len(all) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(all[:most], ", "), len(all)-most)
	}
	return strings.Join(all, ", ")
}

func join(problems ...string) string {
	return strings.Join(slices.DeleteFunc(problems, func(problem string) bool { return problem == "" }), "; ")
}
