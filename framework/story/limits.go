package story

import (
	"fmt"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// limitsOf is the arithmetic of a DaemonSet's limits at an instant, with the nodes that count against each, for example "maxUnavailable 20% of 10 nodes is 2: 3
// nodes without an available pod (n1, n4, n7)"; empty if it has none. A node uses maxSurge while an updated pod that is not available is beside an available
// old one.
func limitsOf(cluster *history.Cluster, daemonSet *appsv1.DaemonSet, now time.Time) string {
	if daemonSet == nil || daemonSet.Spec.UpdateStrategy.RollingUpdate == nil {
		return ""
	}
	surging, unserved := counted(cluster, daemonSet, now)
	rolling, nodes := daemonSet.Spec.UpdateStrategy.RollingUpdate, cluster.Desired(daemonSet.UID)
	var limits []string
	if surge := rolling.MaxSurge; surge != nil && (!isZero(surge) || len(surging) > 0) {
		used := "used by no node"
		if len(surging) > 0 {
			used = fmt.Sprintf("used by %s (%s)", countOf(len(surging), "node"), firstOf(surging))
		}
		limits = append(limits, fmt.Sprintf("maxSurge %s: %s", spelledOut(surge, nodes), used))
	}
	if unavailable := rolling.MaxUnavailable; unavailable != nil {
		used := "every node has an available pod"
		if len(unserved) > 0 {
			used = fmt.Sprintf("%s without an available pod (%s)", countOf(len(unserved), "node"), firstOf(unserved))
		}
		limits = append(limits, fmt.Sprintf("maxUnavailable %s: %s", spelledOut(unavailable, nodes), used))
	}
	return strings.Join(limits, "; ")
}

func isZero(limit *intstr.IntOrString) bool {
	return limit.Type == intstr.Int && limit.IntVal == 0 || limit.Type == intstr.String && limit.StrVal == "0%"
}

// counted returns the nodes that use up maxSurge, and those without an available pod.
func counted(cluster *history.Cluster, daemonSet *appsv1.DaemonSet, now time.Time) (surging, unserved []string) {
	for _, node := range cluster.EligibleNodes(daemonSet) {
		old, updated, unripe := false, false, false
		for _, pod := range cluster.PodsOn(daemonSet.UID, node) {
			switch available := isAvailable(pod, daemonSet, now); {
			case pod.DeletionTimestamp != nil || history.IsTerminal(pod):
			case available && cluster.IsUpdated(pod):
				updated = true
			case available:
				old = true
			case cluster.IsUpdated(pod):
				unripe = true
			}
		}
		if old && unripe {
			surging = append(surging, node)
		}
		if !old && !updated {
			unserved = append(unserved, node)
		}
	}
	return surging, unserved
}

func isAvailable(pod *corev1.Pod, daemonSet *appsv1.DaemonSet, now time.Time) bool {
	return pod.DeletionTimestamp == nil && history.IsAvailable(pod, daemonSet.Spec.MinReadySeconds, now)
}

// spelledOut is a limit as a number, for example "25% of 10 nodes is 3".
func spelledOut(limit *intstr.IntOrString, nodes int) string {
	if limit.Type != intstr.String {
		return limit.String()
	}
	number, err := intstr.GetScaledValueFromIntOrPercent(limit, nodes, true)
	if err != nil {
		return limit.String()
	}
	return fmt.Sprintf("%s of %d nodes is %d", limit, nodes, number)
}

// takesShares reports whether one of the DaemonSet's limits is a share of its nodes.
func takesShares(daemonSet *appsv1.DaemonSet) bool {
	rolling := daemonSet.Spec.UpdateStrategy.RollingUpdate
	share := func(limit *intstr.IntOrString) bool { return limit != nil && limit.Type == intstr.String }
	return rolling != nil && (share(rolling.MaxSurge) || share(rolling.MaxUnavailable))
}

// podsOn is, in words, what pods a node has, for example "agent-x7k2p old, available; agent-9h2lm updated, pending".
func podsOn(cluster *history.Cluster, lives map[types.UID]life, node string, now time.Time) string {
	var words []string
	for _, l := range lives {
		if history.NodeOf(l.pod) == node {
			words = append(words, podInWords(cluster, l.pod, now, true))
		}
	}
	return alternatives(words)
}

// countOf is "1 node" or "3 nodes".
func countOf(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
