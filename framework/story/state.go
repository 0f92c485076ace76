package story

import (
	"fmt"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// nodesNamed bounds how many nodes a line of the state names.
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

// limitsOf spells out the percentages of a DaemonSet's limits, for example "maxSurge 25% of 10 nodes is 3"; empty if it has none.
func limitsOf(cluster *history.Cluster, daemonSet *appsv1.DaemonSet) string {
	if daemonSet == nil || daemonSet.Spec.UpdateStrategy.RollingUpdate == nil {
		return ""
	}
	rolling, nodes := daemonSet.Spec.UpdateStrategy.RollingUpdate, cluster.Desired(daemonSet.UID)
	var limits []string
	for _, limit := range []struct {
		name  string
		value *intstr.IntOrString
	}{{"maxSurge", rolling.MaxSurge}, {"maxUnavailable", rolling.MaxUnavailable}} {
		if limit.value == nil || limit.value.Type != intstr.String {
			continue
		}
		if number, err := intstr.GetScaledValueFromIntOrPercent(limit.value, nodes, true); err == nil {
			limits = append(limits, fmt.Sprintf("%s %s of %d nodes is %d", limit.name, limit.value, nodes, number))
		}
	}
	return strings.Join(limits, ", ")
}

// stateOf puts a state in words: a line per DaemonSet, one for their history objects, and one per group of nodes with pods alike. With a node given,
// that node alone.
func stateOf(cluster *history.Cluster, node string, now time.Time) []string {
	var lines []string
	for _, daemonSet := range daemonSetsOf(cluster) {
		status := daemonSet.Status
		lines = append(lines, fmt.Sprintf("DaemonSet %s: %s; status: desired %d, current %d, updated %d, ready %d, available %d, unavailable %d, misscheduled %d",
			daemonSet.Name, strategyOf(daemonSet), status.DesiredNumberScheduled, status.CurrentNumberScheduled, status.UpdatedNumberScheduled,
			status.NumberReady, status.NumberAvailable, status.NumberUnavailable, status.NumberMisscheduled))
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

// nodesAlike groups the nodes by what pods they have.
func nodesAlike(cluster *history.Cluster, only string, now time.Time) []string {
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
		slices.Sort(words)
		if len(words) == 0 {
			words = []string{"no pod"}
		}
		key := strings.Join(words, "; ")
		nodes[key] = append(nodes[key], node)
	}
	var lines []string
	for words, names := range nodes {
		slices.Sort(names)
		text := strings.Join(names[:min(len(names), nodesNamed)], ", ")
		if hidden := len(names) - nodesNamed; hidden > 0 {
			text += fmt.Sprintf(" and %d more", hidden)
		}
		if text == "" {
			text = "no node"
		}
		lines = append(lines, text+": "+words)
	}
	slices.Sort(lines)
	return lines
}

// podInWords is, for example, "pod, updated, available", or with its name "agent-x7k2p, updated, available".
func podInWords(cluster *history.Cluster, pod *corev1.Pod, now time.Time, named bool) string {
	l := life{pod: pod}
	if owner := cluster.OwnerOf(pod); owner != nil {
		l.minReadySeconds = owner.Spec.MinReadySeconds
	}
	name := "pod"
	if named {
		name = pod.Name
	}
	words := []string{name}
	if revision := revisionOf(cluster, pod); revision != "" {
		words = append(words, revision)
	}
	return strings.Join(append(words, l.at(now).String()), ", ")
}
