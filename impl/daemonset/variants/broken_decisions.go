package variants

import (
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// brokenDecisions decide too early, too late, or on a number or a name that does not mean what they take it for.
func brokenDecisions() []Variant {
	return []Variant{
		{Name: "on-delete-never-ends-a-reported-stall",
			Says:   "With the OnDelete strategy, leaves the condition about stalls as it is, and records no events about it.",
			Breaks: []string{"COND-003"}, Planner: both(reporting(leaveConditions), doing(tellNothingOfStalls))},
		{Name: "total-of-pods-overflows", Says: "Surges only while there are fewer pods than nodes and maxSurge together, a sum of 32 bits.",
			Breaks: []string{"SURGE-005"}, Planner: doing(surgeUpToATotal)},
		{Name: "on-delete-decides-when-the-deletion-is-seen",
			Says:   "With the OnDelete strategy, replaces a pod by one of the template that was in force when it was first seen terminating.",
			Breaks: []string{"ONDELETE-002", "TARGET-004"}, Planner: remember(prepareReplacements)},
		{Name: "not-ready-before-it-was-created", Says: "Counts minReadySeconds from no earlier than a pod's creation, whatever its Ready condition says.",
			Breaks: []string{"AVAIL-003", "SURGE-007"}, Planner: seeing(readySinceCreation)},
		{Name: "waits-until-the-pods-are-quiet",
			Says:   "Creates, updates and deletes pods only once none of them has changed, in whatever, for half a second.",
			Breaks: []string{"UNREADY-001", "PAUSE-005"}, Planner: remember(awaitQuietPods)},
		{Name: "remembers-what-it-deleted-by-name", Says: "Takes a pod for terminating that has the name of one that it has deleted, however long ago.",
			Breaks: []string{"SURGE-010", "SURGE-014"}, Planner: remember(deletedNames)},
	}
}

func leaveConditions(status *appsv1.DaemonSetStatus, state plan.State, _ time.Time) {
	if onDelete(state) {
		status.Conditions = state.DaemonSet.Status.Conditions
	}
}

func tellNothingOfStalls(actions *plan.Actions, state plan.State, _ time.Time) {
	if onDelete(state) {
		actions.Events = slices.DeleteFunc(slices.Clone(actions.Events), func(e plan.Event) bool {
			return e.Reason == plan.EventRolloutStalled || e.Reason == plan.EventRolloutResumed
		})
	}
}

// surgeUpToATotal adds in 32 bits, in which a limit fits, and a sum of it and the nodes may not. A limit in percent is small.
func surgeUpToATotal(actions *plan.Actions, state plan.State, _ time.Time) {
	rolling := state.DaemonSet.Spec.UpdateStrategy.RollingUpdate
	if !maySurge(state) || (*maxSurge(rolling)).Type != intstr.Int {
		return
	}
	var desired, live int32
	for _, n := range nodes(state) {
		if n.eligible {
			desired++
			live += int32(len(n.olds) + len(n.news))
		}
	}
	if desired+(*maxSurge(rolling)).IntVal <= live {
		withoutCreations(actions, createdFor(plan.ReasonSurge))
	}
}

// preparedPods are those that are ready to be created, by the names of their nodes.
type preparedPods map[string]plan.PodCreation

func prepareReplacements(m *memory[preparedPods]) Around {
	return doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
		prepared := m.of(state)
		if *prepared == nil || !onDelete(state) {
			*prepared = preparedPods{}
		}
		if !onDelete(state) {
			return
		}
		hash := templateHashOf(state)
		for _, n := range nodes(state) {
			_, known := (*prepared)[n.name]
			switch {
			case len(n.olds)+len(n.news) > 0:
				delete(*prepared, n.name)
			case len(n.leaving) > 0 && !known:
				(*prepared)[n.name] = plan.PodCreation{Node: n.name, Hash: hash, Reason: plan.ReasonMissing, Pod: plan.NewPod(state.DaemonSet, hash, n.name)}
			}
		}
		actions.CreatePods = slices.Clone(actions.CreatePods)
		for i, creation := range actions.CreatePods {
			if instead, known := (*prepared)[creation.Node]; known {
				actions.CreatePods[i] = instead
			}
		}
	})
}

func readySinceCreation(state *plan.State, _ time.Time) {
	early := func(pod *corev1.Pod) bool {
		c := ready(pod)
		return c != nil && c.Status == corev1.ConditionTrue && !c.LastTransitionTime.IsZero() && c.LastTransitionTime.Before(&pod.CreationTimestamp)
	}
	changePods(state, early, func(pod *corev1.Pod) { ready(pod).LastTransitionTime = pod.CreationTimestamp })
}

// podsSeen are the pods as they were last seen, and since when they have been so.
type podsSeen struct {
	pods  string
	since time.Time
}

func awaitQuietPods(m *memory[podsSeen]) Around {
	const quiet = 500 * time.Millisecond
	return doing(func(actions *plan.Actions, state plan.State, now time.Time) {
		var each []string
		for _, pod := range state.Pods {
			each = append(each, string(pod.UID)+" "+pod.ResourceVersion)
		}
		slices.Sort(each)
		seen := m.of(state)
		if pods := strings.Join(each, ","); pods != seen.pods {
			*seen = podsSeen{pods, now}
		}
		left := seen.since.Add(quiet).Sub(now)
		if left <= 0 || len(actions.DeletePods)+len(actions.UpdatePods)+len(actions.CreatePods) == 0 {
			return
		}
		actions.DeletePods, actions.UpdatePods, actions.CreatePods, actions.Backoff = nil, nil, nil, nil
		actions.Events = slices.DeleteFunc(slices.Clone(actions.Events), func(e plan.Event) bool { return e.Pod != nil })
		comeBack(actions, left)
	})
}

// requested are the pods that it has deleted: which one it was, by name.
type requested map[string]types.UID

func deletedNames(m *memory[requested]) Around {
	see := seeing(func(state *plan.State, _ time.Time) {
		deleted := *m.of(*state)
		namesake := func(pod *corev1.Pod) bool {
			uid, known := deleted[pod.Name]
			return known && uid != pod.UID && pod.DeletionTimestamp == nil
		}
		changePods(state, namesake, func(pod *corev1.Pod) { pod.DeletionTimestamp = &pod.CreationTimestamp })
	})
	return both(see, doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
		deleted := m.of(state)
		if *deleted == nil {
			*deleted = requested{}
		}
		for _, deletion := range actions.DeletePods {
			(*deleted)[deletion.Pod.Name] = deletion.Pod.UID
		}
	}))
}
