package variants

import (
	"context"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// lawfulPaces are slower than the reference, within what promptly means, or use less of a limit than they may.
func lawfulPaces() []Variant {
	const prompt = "A reaction may take five seconds."
	return []Variant{
		{Name: "reacts-after-two-seconds", Says: "Looks two seconds after what made it look.", Lawful: prompt, Reconciler: reactLate(2 * time.Second)},
		{Name: "reacts-after-half-a-second", Says: "Looks half a second after what made it look, which takes many changes together.",
			Lawful: prompt, Reconciler: reactLate(500 * time.Millisecond)},
		{Name: "frees-slots-late", Says: "Creates a surge pod three seconds after a slot for it became free.",
			Lawful: prompt, Planner: holdCreations(3*time.Second, createdFor(plan.ReasonSurge))},
		{Name: "takes-old-pods-down-late", Says: "Deletes an available old pod three seconds after maxUnavailable allows it.",
			Lawful: prompt, Planner: holdDeletions(3*time.Second, deletedFor(plan.ReasonOutdated))},
		{Name: "fills-nodes-late", Says: "Creates a missing pod three seconds after it is missed.",
			Lawful: prompt, Planner: holdCreations(3*time.Second, createdFor(plan.ReasonMissing))},
		{Name: "evacuates-late", Says: "Deletes pods from ineligible nodes three seconds after these became so.",
			Lawful: prompt, Planner: holdDeletions(3*time.Second, deletedFor(plan.ReasonIneligible))},
		{Name: "adopts-late", Says: "Takes pods and history objects over three seconds after it could, and does nothing else before.",
			Lawful: prompt, Planner: remember(adoptLate)},
		{Name: "relabels-and-renumbers-late", Says: "Gives pods and histories other labels and numbers three seconds after it could, and does nothing else before.",
			Lawful: prompt, Planner: remember(upkeepLate)},
		{Name: "trims-one-at-a-time", Says: "Deletes one history a second beyond the limit.",
			Lawful: prompt, Planner: remember(trimOne)},
		{Name: "a-terminating-surge-pod-frees-its-slot", Says: "Gives a node's surge slot away while its updated pod is terminating and the old one available.",
			Lawful: "SURGE-002 leaves open whether a pod on its way out holds a slot: it is not available, and is one no longer that can become so.",
			Planner: deciding(func(state *plan.State, _ time.Time) {
				isUpdated, surge := updated(*state), maySurge(*state)
				withoutPods(state, func(pod *corev1.Pod) bool { return surge && pod.DeletionTimestamp != nil && isUpdated(pod) })
			})},
		{Name: "one-surge-at-a-time", Says: "Surges on one node at a time, whatever maxSurge allows.",
			Lawful:  "maxSurge is an upper bound.",
			Planner: limiting(maxSurge, func(*intstr.IntOrString, plan.State, time.Time) int { return 1 })},
		{Name: "never-surges-on-all-nodes", Says: "Holds one node back from surging, whatever maxSurge says.",
			Lawful: "maxSurge is an upper bound.",
			Planner: limiting(maxSurge, func(value *intstr.IntOrString, state plan.State, _ time.Time) int {
				eligible := eligibleNodes(state)
				return min(scaled(value, eligible, true), max(1, eligible-1))
			})},
		{Name: "never-takes-all-nodes-down", Says: "Holds one node back, whatever maxUnavailable says.",
			Lawful: "maxUnavailable is an upper bound.",
			Planner: limiting(maxUnavailable, func(value *intstr.IntOrString, state plan.State, _ time.Time) int {
				eligible := eligibleNodes(state)
				return min(scaled(value, eligible, true), max(1, eligible-1))
			})},
		{Name: "rounds-max-unavailable-down", Says: "Rounds a percentage of maxUnavailable down.",
			Lawful: "maxUnavailable is an upper bound, and one node at a time is what a limit of zero comes to.",
			Planner: limiting(maxUnavailable, func(value *intstr.IntOrString, state plan.State, _ time.Time) int {
				return scaled(value, eligibleNodes(state), false)
			})},
		{Name: "one-unavailable-at-a-time", Says: "Takes one node down at a time, whatever maxUnavailable allows.",
			Lawful:  "maxUnavailable is an upper bound.",
			Planner: limiting(maxUnavailable, func(*intstr.IntOrString, plan.State, time.Time) int { return 1 })},
		{Name: "looks-every-second", Says: "Looks again every second, and writes nothing where nothing has changed.",
			Lawful:     "SURGE-025 forbids writes, not looks.",
			Reconciler: lookEvery(time.Second)},
		{Name: "backs-off-from-100-ms", Says: "Replaces a pod that failed after 100 ms, 200 ms, 400 ms, …",
			Lawful: "SURGE-024 and TARGET-010 ask for a delay that grows, not for one that begins with a second.", Planner: backOffBy(func(d time.Duration) time.Duration { return d / 10 }, func(d time.Duration) time.Duration { return 10 * d })},
		{Name: "trims-history-after-a-rollout", Says: "Deletes histories beyond the limit only when no rollout is under way.",
			Lawful: "HISTORY-016 says that they are deleted, not that it happens before a rollout ends.",
			Planner: doing(func(actions *plan.Actions, _ plan.State, _ time.Time) {
				if actions.RolloutInProgress {
					actions.DeleteRevisions = nil
				}
			})},
	}
}

// lookEvery repeats every pass that asks for no other one.
func lookEvery(period time.Duration) func(reconcile.Reconciler, client.Client) reconcile.Reconciler {
	return func(inner reconcile.Reconciler, _ client.Client) reconcile.Reconciler {
		return reconcile.Func(func(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
			result, err := inner.Reconcile(ctx, request)
			if err == nil && (result.RequeueAfter == 0 || result.RequeueAfter > period) {
				result.RequeueAfter = period
			}
			return result, err
		})
	}
}

// reactLate makes a pass over a DaemonSet wait after the first request for it; the pass answers later requests too.
func reactLate(delay time.Duration) func(reconcile.Reconciler, client.Client) reconcile.Reconciler {
	return func(inner reconcile.Reconciler, _ client.Client) reconcile.Reconciler {
		return reactAfter(inner, func() time.Duration { return delay })
	}
}

// reactAfter makes a pass over an object wait for a delay after the first request for it. One delay is asked for at a time.
func reactAfter(inner reconcile.Reconciler, delay func() time.Duration) reconcile.Reconciler {
	var mu sync.Mutex
	due := map[reconcile.Request]time.Time{}
	return reconcile.Func(func(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
		mu.Lock()
		at, waiting := due[request]
		if !waiting {
			at = time.Now().Add(delay())
			due[request] = at
		}
		wait := time.Until(at)
		if wait <= 0 {
			delete(due, request)
		}
		mu.Unlock()
		if wait > 0 {
			return reconcile.Result{RequeueAfter: wait}, nil
		}
		return inner.Reconcile(ctx, request)
	})
}

// adoptLate puts everything off while there is something to adopt: what is not adopted yet is nothing to decide by, and the planner's plan counts on it.
func adoptLate(m *memory[holding]) Around { return holdAllWhile(m, adopts) }

// upkeepLate puts everything off while pods or histories are to be changed that are its own.
func upkeepLate(m *memory[holding]) Around {
	return holdAllWhile(m, func(actions plan.Actions) bool {
		return !adopts(actions) && (len(actions.UpdateRevisions) > 0 ||
			slices.ContainsFunc(actions.PatchPods, func(patch plan.PodPatch) bool { return patch.Hash != "" }))
	})
}

// holdAllWhile puts all of a plan off for three seconds where which says so.
func holdAllWhile(m *memory[holding], which func(plan.Actions) bool) Around {
	const key = "all"
	return doing(func(actions *plan.Actions, state plan.State, now time.Time) {
		if state.AwaitingOwnWrites {
			return
		}
		h := m.of(state)
		if !which(*actions) {
			h.only(nil)
			return
		}
		if h.held(key, 3*time.Second, now, actions) {
			*actions = plan.Actions{RequeueAfter: actions.RequeueAfter, RolloutInProgress: actions.RolloutInProgress}
		}
	})
}

// trimOne deletes the first history that is too many, and the next a second later.
func trimOne(m *memory[written]) Around {
	return doing(func(actions *plan.Actions, state plan.State, now time.Time) {
		last := m.of(state)
		if state.AwaitingOwnWrites || len(actions.DeleteRevisions) == 0 {
			return
		}
		if wait := last.at.Add(time.Second).Sub(now); wait > 0 {
			actions.DeleteRevisions = nil
			comeBack(actions, wait)
			return
		}
		last.at = now
		if len(actions.DeleteRevisions) > 1 {
			actions.DeleteRevisions = actions.DeleteRevisions[:1]
			comeBack(actions, time.Second)
		}
	})
}

func adopts(actions plan.Actions) bool {
	return slices.ContainsFunc(actions.PatchPods, func(patch plan.PodPatch) bool { return patch.Adopt }) ||
		slices.ContainsFunc(actions.UpdateRevisions, func(update plan.RevisionUpdate) bool { return update.Adopt })
}

// backOffBy shows the planner other delays than it keeps: seen makes them, kept takes them back.
func backOffBy(seen, kept func(time.Duration) time.Duration) Around {
	return func(next plan.Planner) plan.Planner {
		return func(state plan.State, now time.Time) plan.Actions {
			state.Backoff = backoffs(state, func(_ string, b plan.Backoff) plan.Backoff {
				b.Delay = seen(b.Delay)
				return b
			})
			actions := next(state, now)
			for name, b := range actions.Backoff {
				if state.Backoff[name].Delay > 0 {
					b.Delay = kept(b.Delay)
					actions.Backoff[name] = b
				}
			}
			return actions
		}
	}
}
