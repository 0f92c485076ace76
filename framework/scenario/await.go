package scenario

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/state"
)

// Condition is something to wait for in the recorded state.
type Condition = state.Condition

// Await waits until the condition holds and reports whether it did. It gives up when nothing has changed for as long as the scenario's patience, or
// nothing has come forward for longestWait times that, whatever else changes: a slow machine takes longer, until the spec's time is up, and
// decides nothing else. Not holding is no failure: whether the implementation should have brought it about is for the judges of the recording.
func (s *Scenario) Await(ctx context.Context, condition Condition) bool {
	s.tb.Helper()
	return s.AwaitAfter(ctx, 0, condition)
}

// AwaitAfter is Await for what may take that long by itself, in which nothing may change: it waits longer by as much.
func (s *Scenario) AwaitAfter(ctx context.Context, takes time.Duration, condition Condition) bool {
	s.tb.Helper()
	return s.await(ctx, takes+s.env.Patience, condition) == ""
}

// await returns in what the state still differs from the condition when it gives up; empty if the condition holds.
func (s *Scenario) await(ctx context.Context, patience time.Duration, condition Condition) string {
	s.tb.Helper()
	quiet, stalled, unmet := Quiet(patience), stalled(longestWait*patience), ""
	s.must(s.recorder.Await(ctx, func(cluster *history.Cluster) bool {
		unmet = condition.Unmet(cluster)
		// Each is asked every time: they remember since when.
		isQuiet, isStalled := quiet.Holds(cluster), stalled.Holds(cluster)
		return unmet == "" || isQuiet || isStalled
	}), "wait until %s, which was still coming forward or has only begun to stand still", condition.Text)
	return unmet
}

// longestWait bounds a wait while things keep changing but none comes forward, in times of the scenario's patience.
const longestWait = 2

// stalled holds when there have not been more Ready updated pods than before for the duration.
func stalled(duration time.Duration) Condition {
	most, since := -1, time.Time{}
	return state.When(fmt.Sprintf("no more updated pods have become Ready for %s", duration), func(cluster *history.Cluster) bool {
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
	})
}

// Require is Await for a precondition. If it is not met nothing can be decided, so the scenario ends there, with the state that was found.
func (s *Scenario) Require(ctx context.Context, what string, condition Condition) {
	s.tb.Helper()
	s.RequireAfter(ctx, 0, what, condition)
}

// RequireAfter is Require for what takes that long by itself, in which nothing may change: it waits longer by as much.
func (s *Scenario) RequireAfter(ctx context.Context, takes time.Duration, what string, condition Condition) {
	s.tb.Helper()
	patience := takes + s.env.Patience
	if unmet := s.await(ctx, patience, condition); unmet != "" {
		s.tb.Fatalf("precondition not met, nothing having changed for %s: %s: %s", patience, what, unmet)
	}
}

// AwaitUntroubled waits until everybody has been at work for the duration since the API server last stood still, or for that and the scenario's patience.
// Rules take nothing for tested of what is decided sooner; that they could is for them to say.
func (s *Scenario) AwaitUntroubled(ctx context.Context, d time.Duration) {
	s.tb.Helper()
	untroubled := state.When(fmt.Sprintf("the API server has answered for %s", d), func(*history.Cluster) bool { return s.env.Pulse.Untroubled() >= d })
	s.AwaitAfter(ctx, d, untroubled)
}

// awaitServiceAccount waits until pods can be made in the namespace: they are rejected until it has its default service account.
func (s *Scenario) awaitServiceAccount(ctx context.Context, namespace string) {
	s.tb.Helper()
	// The account is made once and never changes, so looking again costs less than a watch.
	err := s.poll(ctx, func(ctx context.Context) (bool, error) {
		_, err := s.admin.CoreV1().ServiceAccounts(namespace).Get(ctx, "default", metav1.GetOptions{})
		return err == nil, ignoreNotFound(err)
	})
	s.must(err, "wait for the default service account of namespace %s", namespace)
}

// pollInterval is how often the API server is asked for what no watch shows.
const pollInterval = 50 * time.Millisecond

// poll asks until the answer is done or an error, or the scenario's patience has passed. It is for what a stimulus takes to be in force, and decides nothing.
func (s *Scenario) poll(ctx context.Context, done wait.ConditionWithContextFunc) error {
	return wait.PollUntilContextTimeout(ctx, pollInterval, s.env.Patience, true, done)
}
