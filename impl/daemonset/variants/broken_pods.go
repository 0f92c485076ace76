package variants

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// brokenPods touch pods that they should not, or too many at once.
func brokenPods() []Variant {
	return []Variant{
		{Name: "deletes-orphans", Says: "Deletes every pod in the namespace that nobody controls.",
			Breaks: []string{"TARGET-003"},
			Planner: doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
				for _, pod := range state.Pods {
					if len(pod.OwnerReferences) == 0 && pod.DeletionTimestamp == nil {
						remove(actions, pod, plan.ReasonDuplicate)
					}
				}
			})},
		{Name: "leaves-evicted-pods", Says: "Leaves pods that a kubelet has evicted to the garbage collector, and creates others in their place.",
			Breaks: []string{"UNREADY-004", "TARGET-009"},
			Planner: seeing(func(state *plan.State, _ time.Time) {
				withoutPods(state, func(pod *corev1.Pod) bool {
					return pod.Status.Phase == corev1.PodFailed && pod.Status.Reason == "Evicted"
				})
			})},
	}
}

// brokenDuplicates hold more pods on a node than they may.
func brokenDuplicates() []Variant {
	return []Variant{
		{Name: "creates-every-pod-twice", Says: "Creates every pod twice; the one too many is pruned.",
			Breaks: []string{"SURGE-009", "SURGE-010", "SURGE-023", "ROLLING-013", "ROLLING-018"}, Planner: doing(createTwice)},
		{Name: "creates-every-pod-twice-and-keeps-both", Says: "Creates every pod twice and deletes neither.",
			Breaks: []string{"SURGE-010", "SURGE-011", "ROLLING-013"}, Planner: both(doing(keepDuplicates), doing(createTwice))},
		{Name: "wears-out", Says: "Creates and deletes no pods from the fifth generation of a DaemonSet on.",
			Breaks: []string{"STRESS-001"}, Planner: doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
				if state.DaemonSet.Generation >= 5 {
					actions.CreatePods, actions.DeletePods = nil, nil
				}
			})},
		{Name: "keeps-duplicates", Says: "Deletes no pod for being one too many on its node, whoever created it.",
			Breaks: []string{"SURGE-010", "ROLLING-013"}, Planner: doing(keepDuplicates)},
		{Name: "keeps-duplicates-until-one-is-available", Says: "Deletes no updated pod for being one too many on its node before one of them is available.",
			Breaks: []string{"SURGE-010"}, Planner: doing(keepUnavailableDuplicates)},
		{Name: "keeps-the-younger-duplicate", Says: "Keeps of two equal pods on a node the younger one.",
			Breaks: []string{"SURGE-010"}, Planner: doing(keepYounger)},
		{Name: "keeps-the-duplicate-that-was-restarted-least", Says: "Keeps of two equal pods on a node the one whose containers have been restarted less often, however young it is.",
			Breaks: []string{"SURGE-010"}, Planner: deciding(func(state *plan.State, _ time.Time) { restartedAreYounger(state) })},
		{Name: "forgets-what-it-wrote", Says: "Does not wait until its cache shows what it wrote.",
			Breaks:  []string{"SURGE-010", "ROLLING-013"},
			Planner: seeing(func(state *plan.State, _ time.Time) { state.AwaitingOwnWrites = false })},
		{Name: "gives-its-cache-a-second-and-a-half", Says: "Waits no longer than that until its cache shows what it wrote, and goes by what the cache has then.",
			Breaks: []string{"SURGE-010", "ROLLING-013"}, Planner: remember(waitBriefly)},
		{Name: "forgets-what-it-wrote-for-another-generation", Says: "Does not wait until its cache shows what it wrote for a generation that is not the latest.",
			Breaks: []string{"SURGE-010", "ROLLING-013"}, Planner: remember(func(m *memory[int64]) Around {
				return seeing(func(state *plan.State, _ time.Time) {
					if seen, generation := m.of(*state), state.DaemonSet.Generation; *seen != generation {
						*seen, state.AwaitingOwnWrites = generation, false
					}
				})
			})},
	}
}

// waitBriefly knows since when it has been waiting.
func waitBriefly(m *memory[time.Time]) Around {
	const patience = 1500 * time.Millisecond
	return func(next plan.Planner) plan.Planner {
		return func(state plan.State, now time.Time) plan.Actions {
			since := m.of(state)
			if !state.AwaitingOwnWrites || since.IsZero() {
				*since = now
			}
			left := patience - now.Sub(*since)
			if state.AwaitingOwnWrites && left <= 0 {
				*since, state.AwaitingOwnWrites = now, false
			}
			actions := next(state, now)
			if state.AwaitingOwnWrites {
				comeBack(&actions, left)
			}
			return actions
		}
	}
}

func createTwice(actions *plan.Actions, _ plan.State, _ time.Time) {
	actions.CreatePods = slices.Concat(actions.CreatePods, actions.CreatePods)
}

func keepDuplicates(actions *plan.Actions, state plan.State, _ time.Time) {
	same := map[string]bool{}
	for _, n := range nodes(state) {
		for _, pods := range [][]*corev1.Pod{n.olds, n.news} {
			for _, pod := range pods {
				same[string(pod.UID)] = len(pods) > 1
			}
		}
	}
	withoutDeletions(actions, func(d plan.PodDeletion) bool { return d.Reason == plan.ReasonDuplicate && same[string(d.Pod.UID)] })
}

// keepYounger shows the planner the ages of pods the wrong way round.
// restartedAreYounger shows a pod a day younger for each restart of its containers.
func restartedAreYounger(state *plan.State) {
	restarts := func(pod *corev1.Pod) (sum int32) {
		for _, c := range pod.Status.ContainerStatuses {
			sum += c.RestartCount
		}
		return sum
	}
	changePods(state, func(pod *corev1.Pod) bool { return restarts(pod) > 0 }, func(pod *corev1.Pod) {
		pod.CreationTimestamp = metav1.NewTime(pod.CreationTimestamp.AddDate(0, 0, int(restarts(pod))))
	})
}

func keepYounger(actions *plan.Actions, state plan.State, now time.Time) {
	changePods(&state, every, func(pod *corev1.Pod) {
		pod.CreationTimestamp = metav1.NewTime(now.Add(now.Sub(pod.CreationTimestamp.Time)))
	})
	reversed := plan.Plan(state, now)
	withoutDeletions(actions, deletedFor(plan.ReasonDuplicate))
	for _, deletion := range reversed.DeletePods {
		if deletion.Reason == plan.ReasonDuplicate {
			remove(actions, deletion.Pod, deletion.Reason)
		}
	}
}

func keepUnavailableDuplicates(actions *plan.Actions, state plan.State, now time.Time) {
	isUpdated := updated(state)
	for _, n := range nodes(state) {
		if available(state, n.news, now) {
			continue
		}
		withoutDeletions(actions, func(d plan.PodDeletion) bool {
			return d.Reason == plan.ReasonDuplicate && d.Node == n.name && isUpdated(d.Pod)
		})
	}
}
