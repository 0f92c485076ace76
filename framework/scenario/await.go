package scenario

import (
	"context"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// Condition is something to wait for in the recorded state.
type Condition func(*history.Cluster) bool

// Await waits until the condition holds and tells whether it did. It gives up when nothing has changed for as long as the scenario's patience, or
// nothing has come forward for longestWait times that, whatever else changes: a slow machine takes longer, until the spec's time is up, and
// decides nothing else. Not holding is no failure: whether the implementation should have brought it about is for the judges of the recording.
func (s *Scenario) Await(ctx context.Context, condition Condition) bool {
	s.tb.Helper()
	return s.awaitPatiently(ctx, s.env.Patience, condition)
}

func (s *Scenario) awaitPatiently(ctx context.Context, patience time.Duration, condition Condition) bool {
	s.tb.Helper()
	quiet, stalled, holds := Quiet(patience), stalled(longestWait*patience), false
	s.must(s.recorder.Await(ctx, func(cluster *history.Cluster) bool {
		holds = condition(cluster)
		return quiet(cluster) || stalled(cluster) || holds
	}), "wait for the implementation, which was still coming forward or has only begun to stand still")
	return holds
}

// longestWait bounds a wait while things keep changing but none comes forward, in times of the scenario's patience.
const longestWait = 2

// stalled holds when there have not been more Ready updated pods than before for the duration.
func stalled(duration time.Duration) Condition {
	most, since := -1, time.Time{}
	return func(cluster *history.Cluster) bool {
		ready := 0
		for _, pod := range cluster.Pods {
			if history.IsLive(pod) && history.IsReady(pod) && cluster.IsUpdated(pod) {
				ready++
			}
		}
		if ready > most {
			most, since = ready, cluster.Time
		}
		return cluster.Time.Sub(since) >= duration
	}
}

// Require waits as Await does for what a scenario builds on. If it does not come about nothing can be decided, so the spec ends there.
func (s *Scenario) Require(ctx context.Context, what string, condition Condition) {
	s.tb.Helper()
	s.RequireAfter(ctx, 0, what, condition)
}

// RequireAfter is Require for what takes that long by itself, in which nothing may change: its patience is longer by as much.
func (s *Scenario) RequireAfter(ctx context.Context, takes time.Duration, what string, condition Condition) {
	s.tb.Helper()
	patience := takes + s.env.Patience
	if !s.awaitPatiently(ctx, patience, condition) {
		s.tb.Fatalf("precondition not reached, with patience of %s: %s", patience, what)
	}
}

// RolledOut holds when every eligible node has exactly one pod of the DaemonSet, which is updated and available, and no other node has any.
func RolledOut(daemonSet *appsv1.DaemonSet) Condition {
	return whileItExists(daemonSet, func(cluster *history.Cluster, current *appsv1.DaemonSet) bool {
		return len(cluster.NodesOf(current.UID)) == len(cluster.EligibleNodes(current)) && rolledOutOnEligible(cluster, current)
	})
}

// RolledOutOnEligible is RolledOut without regard to nodes that are not eligible.
func RolledOutOnEligible(daemonSet *appsv1.DaemonSet) Condition {
	return whileItExists(daemonSet, rolledOutOnEligible)
}

// Steady holds when the DaemonSet has been RolledOut for judge.Lag, so that no implementation can claim not to know.
func Steady(daemonSet *appsv1.DaemonSet) Condition {
	rolledOut := RolledOut(daemonSet)
	var since time.Time
	return func(cluster *history.Cluster) bool {
		if !rolledOut(cluster) {
			since = time.Time{}
			return false
		}
		if since.IsZero() {
			since = cluster.Time
		}
		return cluster.Time.Sub(since) >= judge.Lag
	}
}

// PodsPerNode holds when every eligible node has that many live pods of the DaemonSet.
func PodsPerNode(daemonSet *appsv1.DaemonSet, count int) Condition {
	return whileItExists(daemonSet, func(cluster *history.Cluster, current *appsv1.DaemonSet) bool {
		for _, node := range cluster.EligibleNodes(current) {
			live := 0
			for _, pod := range cluster.PodsOn(current.UID, node) {
				if history.IsLive(pod) {
					live++
				}
			}
			if live != count {
				return false
			}
		}
		return true
	})
}

// PodsSeen holds once that many different pods of the DaemonSet's present template have come up, no matter what became of them.
func PodsSeen(daemonSet *appsv1.DaemonSet, count int) Condition {
	seen := sets.New[types.UID]()
	return func(cluster *history.Cluster) bool {
		for _, pod := range cluster.UpdatedPods(daemonSet) {
			seen.Insert(pod.UID)
		}
		return seen.Len() >= count
	}
}

// Past holds from the instant on.
func Past(instant time.Time) Condition {
	return func(cluster *history.Cluster) bool { return cluster.Time.After(instant) }
}

// whileItExists asks about the DaemonSet as it is now; one that does not exist holds nothing.
func whileItExists(daemonSet *appsv1.DaemonSet, ask func(*history.Cluster, *appsv1.DaemonSet) bool) Condition {
	return func(cluster *history.Cluster) bool {
		current := cluster.DaemonSets[daemonSet.UID]
		return current != nil && current.Generation >= daemonSet.Generation && ask(cluster, current)
	}
}

func rolledOutOnEligible(cluster *history.Cluster, daemonSet *appsv1.DaemonSet) bool {
	for _, node := range cluster.EligibleNodes(daemonSet) {
		pods := cluster.PodsOn(daemonSet.UID, node)
		if len(pods) != 1 || !history.MatchesTemplate(pods[0], &daemonSet.Spec.Template) ||
			!history.IsAvailable(pods[0], daemonSet.Spec.MinReadySeconds, cluster.Time) {
			return false
		}
	}
	return true
}

// Processed holds when the DaemonSet's status says that the controller has seen this generation of it, or a later one.
func Processed(daemonSet *appsv1.DaemonSet) Condition {
	return func(cluster *history.Cluster) bool {
		current := cluster.DaemonSets[daemonSet.UID]
		return current != nil && current.Status.ObservedGeneration >= daemonSet.Generation
	}
}

// Together holds while all of the conditions do.
func Together(conditions ...Condition) Condition {
	return func(cluster *history.Cluster) bool {
		holds := true
		for _, condition := range conditions {
			// Each is asked every time: some remember since when.
			holds = condition(cluster) && holds
		}
		return holds
	}
}

// Quiet holds when nothing in the scenario's namespaces or nodes has changed for the duration.
func Quiet(duration time.Duration) Condition {
	changes, since := -1, time.Time{}
	return func(cluster *history.Cluster) bool {
		if cluster.Changes != changes {
			changes, since = cluster.Changes, cluster.Time
		}
		return cluster.Time.Sub(since) >= duration
	}
}

// awaitServiceAccount waits until pods can be made in the namespace: they are rejected until it has its default service account.
func (s *Scenario) awaitServiceAccount(ctx context.Context, namespace string) {
	s.tb.Helper()
	bounded, cancel := context.WithTimeout(ctx, s.env.Patience)
	defer cancel()
	// The account is made once and never changes, so looking again costs less than a watch.
	err := wait.PollUntilContextCancel(bounded, 50*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		_, err := s.env.Client.CoreV1().ServiceAccounts(namespace).Get(ctx, "default", metav1.GetOptions{})
		return err == nil, ignoreNotFound(err)
	})
	s.must(err, "wait for the default service account of namespace %s", namespace)
}
