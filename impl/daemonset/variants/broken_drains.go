package variants

import (
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// brokenDrains replace pods that others delete too soon or too late.
func brokenDrains() []Variant {
	return []Variant{
		{Name: "makes-no-surge-pod-beside-one-that-has-ended", Says: "With maxSurge, creates no pod beside one that has ended and is held back in deletion.",
			Breaks:  []string{"DRAIN-007"},
			Planner: waitForEnded(maySurge)},
		{Name: "replaces-drained-pods-within-max-surge", Says: "Replaces pods while they terminate on no more nodes at once than maxSurge allows.",
			Breaks: []string{"DRAIN-002"}, Planner: doing(drainWithinSurge)},
		{Name: "during-a-rollout-updated-pods-end-first",
			Says:   "During a rollout, replaces an updated pod that is terminating only when it is gone, although maxSurge is above zero.",
			Breaks: []string{"DRAIN-006"}, Planner: doing(waitForUpdated)},
		{Name: "on-delete-surges-where-max-surge-is-stored",
			Says:   "With the OnDelete strategy, replaces a pod while it terminates if the DaemonSet has a maxSurge from before.",
			Breaks: []string{"SURGE-015", "DRAIN-003"}, Planner: doing(surgeOnDelete)},
		{Name: "five-pods-in-half-a-minute-are-enough", Says: "Creates no more than five pods of a DaemonSet on a node within half a minute, whatever becomes of them.",
			Breaks: []string{"SURGE-012"}, Planner: remember(fiveAtMost)},
		{Name: "what-is-past-its-grace-period-is-gone", Says: "Takes a pod for gone that is still terminating a second after its grace period.",
			Breaks: []string{"DRAIN-003"}, Planner: withoutOverdue},
		{Name: "what-terminates-on-a-lost-node-is-gone", Says: "Takes a pod for gone that is terminating on a node that is not Ready.",
			Breaks: []string{"DRAIN-003"},
			Planner: seeing(func(state *plan.State, _ time.Time) {
				lost := map[string]bool{}
				for _, each := range state.Nodes {
					isReady := func(c corev1.NodeCondition) bool {
						return c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue
					}
					lost[each.Name] = !slices.ContainsFunc(each.Status.Conditions, isReady)
				}
				withoutPods(state, func(pod *corev1.Pod) bool { return pod.DeletionTimestamp != nil && lost[plan.TargetNode(pod)] })
			})},
	}
}

func drainWithinSurge(actions *plan.Actions, state plan.State, now time.Time) {
	if !maySurge(state) {
		return
	}
	drained, room := map[string]bool{}, limitOf(state, maxSurge)
	for _, n := range nodes(state) {
		switch {
		case len(n.leaving) == 0 || len(n.olds) > 0:
		case len(n.news) == 0:
			drained[n.name] = true
		case !available(state, n.news, now):
			room--
		}
	}
	withoutCreations(actions, func(c plan.PodCreation) bool {
		if !drained[c.Node] {
			return false
		}
		room--
		return room < 0
	})
}

func waitForUpdated(actions *plan.Actions, state plan.State, _ time.Time) {
	all, isUpdated := nodes(state), updated(state)
	if !maySurge(state) || howMany(all, func(n *node) bool { return len(n.olds) > 0 }) == 0 {
		return
	}
	ending := map[string]bool{}
	for _, n := range all {
		ending[n.name] = len(n.olds) == 0 && slices.ContainsFunc(n.leaving, isUpdated)
	}
	withoutCreations(actions, func(c plan.PodCreation) bool { return ending[c.Node] })
}

func surgeOnDelete(actions *plan.Actions, state plan.State, _ time.Time) {
	stored := state.DaemonSet.Spec.UpdateStrategy.RollingUpdate
	if state.AwaitingOwnWrites || actions.CreateRevision != nil || !onDelete(state) || stored == nil || scaled(stored.MaxSurge, 100, true) == 0 {
		return
	}
	hash := hashOfCurrent(state)
	if !slices.ContainsFunc(state.Revisions, func(r *appsv1.ControllerRevision) bool { return r.Labels[plan.HashLabel] == hash }) {
		return
	}
	for _, n := range nodes(state) {
		if n.eligible && len(n.leaving) > 0 && len(slices.Concat([]*corev1.Pod{}, n.olds, n.news, n.ended)) == 0 {
			actions.CreatePods = append(slices.Clone(actions.CreatePods), plan.PodCreation{
				Node: n.name, Hash: hash, Reason: plan.ReasonMissing, Pod: plan.NewPod(state.DaemonSet, hash, n.name),
			})
		}
	}
}

// withoutOverdue hides pods a second after the time by which they should have been gone.
func withoutOverdue(next plan.Planner) plan.Planner {
	return func(state plan.State, now time.Time) plan.Actions {
		var first time.Duration
		withoutPods(&state, func(pod *corev1.Pod) bool {
			if pod.DeletionTimestamp == nil {
				return false
			}
			wait := pod.DeletionTimestamp.Add(time.Second).Sub(now)
			if wait > 0 && (first == 0 || wait < first) {
				first = wait
			}
			return wait <= 0
		})
		actions := next(state, now)
		comeBack(&actions, first)
		return actions
	}
}

// creationsSeen are when pods were created, by node.
type creationsSeen struct{ at map[string][]time.Time }

func fiveAtMost(m *memory[creationsSeen]) Around {
	const most, within = 5, 30 * time.Second
	return doing(func(actions *plan.Actions, state plan.State, now time.Time) {
		seen := m.of(state)
		if seen.at == nil {
			seen.at = map[string][]time.Time{}
		}
		withoutCreations(actions, func(c plan.PodCreation) bool {
			recent := slices.DeleteFunc(seen.at[c.Node], func(at time.Time) bool { return now.Sub(at) > within })
			if len(recent) == most {
				seen.at[c.Node] = recent
				comeBack(actions, recent[0].Add(within+time.Millisecond).Sub(now))
				return true
			}
			seen.at[c.Node] = append(recent, now)
			return false
		})
	})
}

// waitForEnded creates no pod on a node that has one which has ended, while the state is such.
func waitForEnded(while func(plan.State) bool) Around {
	return doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
		held := map[string]bool{}
		for _, n := range nodes(state) {
			held[n.name] = while(state) && len(n.ended) > 0
		}
		withoutCreations(actions, func(creation plan.PodCreation) bool { return held[creation.Node] })
	})
}
