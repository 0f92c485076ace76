package scenario

import (
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/state"
)

// RolledOut holds when every eligible node has exactly one pod of the DaemonSet, which is updated and available, and no node that may not keep one has
// any.
func RolledOut(daemonSet *appsv1.DaemonSet) Condition {
	return ofCurrent(daemonSet, "it is rolled out", state.NotRolledOut)
}

// Steady holds when the DaemonSet has been RolledOut for judge.Lag, so that no implementation can claim not to know.
func Steady(daemonSet *appsv1.DaemonSet) Condition {
	rolledOut := RolledOut(daemonSet)
	var since time.Time
	return Condition{Text: rolledOut.Text + " and has been for " + judge.Lag.String(), Unmet: func(cluster *history.Cluster) string {
		if unmet := rolledOut.Unmet(cluster); unmet != "" {
			since = time.Time{}
			return unmet
		}
		if since.IsZero() {
			since = cluster.Time
		}
		if cluster.Time.Sub(since) < judge.Lag {
			return "it has not been for long enough"
		}
		return ""
	}}
}

// PodsPerNode holds when every eligible node has that many live pods of the DaemonSet.
func PodsPerNode(daemonSet *appsv1.DaemonSet, count int) Condition {
	text := fmt.Sprintf("every eligible node has %d live pods", count)
	return ofCurrent(daemonSet, text, func(cluster *history.Cluster, current *appsv1.DaemonSet) string {
		for _, node := range cluster.EligibleNodes(current) {
			live := 0
			for _, pod := range cluster.PodsOn(current.UID, node) {
				if history.IsLive(pod) {
					live++
				}
			}
			if live != count {
				return fmt.Sprintf("node %s has %d live pods", node, live)
			}
		}
		return ""
	})
}

// PodsSeen holds once that many different pods of the DaemonSet's present template have come up, no matter what became of them.
func PodsSeen(daemonSet *appsv1.DaemonSet, count int) Condition {
	seen := sets.New[types.UID]()
	return Condition{Text: fmt.Sprintf("%d updated pods have come up", count), Unmet: func(cluster *history.Cluster) string {
		for _, pod := range cluster.UpdatedPods(daemonSet) {
			seen.Insert(pod.UID)
		}
		if seen.Len() < count {
			return fmt.Sprintf("%d of %d updated pods have come up", seen.Len(), count)
		}
		return ""
	}}
}

// Leaving holds once the pod is terminating or gone.
func Leaving(pod *corev1.Pod) Condition {
	return state.When("pod "+pod.Name+" is terminating or gone", func(cluster *history.Cluster) bool {
		now := cluster.Pods[pod.UID]
		return now == nil || now.DeletionTimestamp != nil
	})
}

// Past holds from the instant on.
func Past(instant time.Time) Condition {
	return state.When("it is past "+instant.UTC().Format(time.TimeOnly), func(cluster *history.Cluster) bool { return cluster.Time.After(instant) })
}

// Processed holds when the DaemonSet's status says that the controller has seen this generation of it, or a later one.
func Processed(daemonSet *appsv1.DaemonSet) Condition {
	text := fmt.Sprintf("the status of DaemonSet %s observes generation %d", daemonSet.Name, daemonSet.Generation)
	return Condition{Text: text, Unmet: func(cluster *history.Cluster) string {
		current := cluster.DaemonSets[daemonSet.UID]
		switch {
		case current == nil:
			return fmt.Sprintf("DaemonSet %s does not exist", daemonSet.Name)
		case current.Status.ObservedGeneration < daemonSet.Generation:
			return fmt.Sprintf("the status of DaemonSet %s observes generation %d, not %d", current.Name, current.Status.ObservedGeneration, daemonSet.Generation)
		}
		return ""
	}}
}

// Quiet holds when nothing in the scenario's namespaces or nodes has changed for the duration.
func Quiet(duration time.Duration) Condition {
	changes, since := -1, time.Time{}
	return state.When(fmt.Sprintf("nothing has changed for %s", duration), func(cluster *history.Cluster) bool {
		if cluster.Changes != changes {
			changes, since = cluster.Changes, cluster.Time
		}
		return cluster.Time.Sub(since) >= duration
	})
}

// ofCurrent asks about the DaemonSet as it is now, once the recording has this generation of it.
func ofCurrent(daemonSet *appsv1.DaemonSet, text string, unmet func(*history.Cluster, *appsv1.DaemonSet) string) Condition {
	return Condition{Text: fmt.Sprintf("DaemonSet %s: %s", daemonSet.Name, text), Unmet: func(cluster *history.Cluster) string {
		current := cluster.DaemonSets[daemonSet.UID]
		if current == nil || current.Generation < daemonSet.Generation {
			return fmt.Sprintf("generation %d of DaemonSet %s does not exist", daemonSet.Generation, daemonSet.Name)
		}
		return unmet(cluster, current)
	}}
}

// ReadyPods holds when exactly that many pods, of whatever controller, are live and Ready.
func ReadyPods(count int) Condition {
	return state.When(fmt.Sprintf("%d pods are Ready", count), func(cluster *history.Cluster) bool {
		ready := 0
		for _, pod := range cluster.Pods {
			if history.IsLive(pod) && history.IsReady(pod) {
				ready++
			}
		}
		return ready == count
	})
}
