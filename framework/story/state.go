package story

import (
	"fmt"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// nodesNamed bounds how many nodes a line names.
const nodesNamed = 5

func daemonSetsOf(cluster *history.Cluster) []*appsv1.DaemonSet {
	var all []*appsv1.DaemonSet
	for _, daemonSet := range cluster.DaemonSets {
		all = append(all, daemonSet)
	}
	slices.SortFunc(all, func(a, b *appsv1.DaemonSet) int {
		return strings.Compare(a.Namespace+"/"+a.Name+"/"+string(a.UID), b.Namespace+"/"+b.Name+"/"+string(b.UID))
	})
	return all
}

// workloadOf returns the DaemonSet that a violation is about: the owner of the entry's pod, or else the only one; nil if there is none such.
func workloadOf(cluster *history.Cluster, v judge.Violation, entry history.Entry) *appsv1.DaemonSet {
	for _, candidate := range slices.Insert(slices.Clone(v.Window), 0, entry) {
		if pod, ok := candidate.Object.(*corev1.Pod); ok {
			if owner := cluster.OwnerOf(pod); owner != nil {
				return owner
			}
		}
	}
	if all := daemonSetsOf(cluster); len(all) == 1 {
		return all[0]
	}
	return nil
}

// stateOf puts a state in words: a line per DaemonSet, UnitedDaemonSet and PodDisruptionBudget, one for the history objects, and one per group of nodes with pods
// alike. With a node given, that node alone.
func stateOf(cluster *history.Cluster, node string, now time.Time) []string {
	var lines []string
	for _, daemonSet := range daemonSetsOf(cluster) {
		status := daemonSet.Status
		lines = append(lines, fmt.Sprintf("DaemonSet %s: %s; status: desired %d, current %d, updated %d, ready %d, available %d, unavailable %d, misscheduled %d",
			daemonSet.Name, strategyOf(daemonSet), status.DesiredNumberScheduled, status.CurrentNumberScheduled, status.UpdatedNumberScheduled,
			status.NumberReady, status.NumberAvailable, status.NumberUnavailable, status.NumberMisscheduled))
	}
	for _, united := range cluster.United() {
		lines = append(lines, familyInWords(united))
	}
	for _, budget := range cluster.Budgets() {
		status := budget.Status
		lines = append(lines, fmt.Sprintf("PodDisruptionBudget %s: %s; status: expected %d, healthy %d, desired %d, allowed %d; selected: %s",
			budget.Name, budgetOf(budget), status.ExpectedPods, status.CurrentHealthy, status.DesiredHealthy, status.DisruptionsAllowed, selected(cluster, budget, now)))
	}
	var revisions []string
	for _, revision := range cluster.Revisions {
		revisions = append(revisions, fmt.Sprintf("%s (revision %d)", revision.Name, revision.Revision))
	}
	if slices.Sort(revisions); len(revisions) > 0 {
		lines = append(lines, "ControllerRevisions: "+strings.Join(revisions, ", "))
	}
	return append(lines, nodesAlike(cluster, node, now)...)
}

// selected are the pods of a budget in words.
func selected(cluster *history.Cluster, budget *policyv1.PodDisruptionBudget, now time.Time) string {
	var words []string
	for _, pod := range cluster.SelectedBy(budget) {
		words = append(words, podInWords(cluster, pod, now, true))
	}
	return alternatives(words)
}

// group is some nodes, in order, and what pods they have alike.
type group struct {
	nodes []string
	pods  string
}

// groupsOf groups the nodes by what pods they have.
func groupsOf(cluster *history.Cluster, only string, now time.Time) []group {
	pods := map[string][]*corev1.Pod{}
	for _, daemonSet := range daemonSetsOf(cluster) {
		for _, node := range cluster.EligibleNodes(daemonSet) {
			if _, known := pods[node]; !known {
				pods[node] = nil
			}
		}
	}
	for _, pod := range cluster.Pods {
		pods[history.NodeOf(pod)] = append(pods[history.NodeOf(pod)], pod)
	}
	nodes := map[string][]string{}
	for node, here := range pods {
		if only != "" && node != only {
			continue
		}
		var words []string
		for _, pod := range here {
			words = append(words, podInWords(cluster, pod, now, only != ""))
		}
		nodes[alternatives(words)] = append(nodes[alternatives(words)], node)
	}
	var groups []group
	for words, names := range nodes {
		slices.Sort(names)
		groups = append(groups, group{names, words})
	}
	slices.SortFunc(groups, func(a, b group) int { return strings.Compare(a.nodes[0], b.nodes[0]) })
	return groups
}

// nodesAlike is a line per group of nodes.
func nodesAlike(cluster *history.Cluster, only string, now time.Time) []string {
	var lines []string
	for _, group := range groupsOf(cluster, only, now) {
		names := group.nodes
		if names[0] == "" {
			names = append([]string{"no node"}, names[1:]...)
		}
		lines = append(lines, firstOf(names)+": "+group.pods)
	}
	return lines
}

// firstOf lists the first few of the nodes, and how many more there are.
func firstOf(nodes []string) string {
	text := strings.Join(nodes[:min(len(nodes), nodesNamed)], ", ")
	if hidden := len(nodes) - nodesNamed; hidden > 0 {
		text += fmt.Sprintf(" and %d more", hidden)
	}
	return text
}

// alternatives joins words about pods, in order.
func alternatives(words []string) string {
	if len(words) == 0 {
		return "no pod"
	}
	slices.Sort(words)
	return strings.Join(words, "; ")
}

// podInWords is, for example, "updated pod, available", or with its name "agent-x7k2p updated, available".
func podInWords(cluster *history.Cluster, pod *corev1.Pod, now time.Time, named bool) string {
	l := life{pod: pod}
	if owner := cluster.OwnerOf(pod); owner != nil {
		l.minReadySeconds = owner.Spec.MinReadySeconds
	}
	revision := revisionOf(cluster, pod)
	name := strings.TrimSpace(revision + " pod")
	if named {
		name = strings.TrimSpace(pod.Name + " " + revision)
	}
	return name + ", " + l.at(now).String()
}
