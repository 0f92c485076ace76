package variants

import (
	"fmt"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// brokenStrangersRecords are of an author who knows the documents and the reference alone. They are about what is reported and recorded: a memo that is too coarse, a
// step that is left out of one of two ways, a memory that ends with its process, and what a template leaves behind that comes back.
func brokenStrangersRecords() []Variant {
	return []Variant{
		{Name: "availability-is-counted-by-the-number-of-nodes",
			Says:   "Does not count ready and available nodes again while the pods, and the numbers of nodes, are ones that it has counted for, though the nodes are others.",
			Breaks: []string{"STATUS-004", "STATUS-005"}, Planner: remember(countByNumbers)},
		{Name: "a-stall-is-cleared-while-its-daemonset-goes",
			Says:   "Writes that a stall is over when no pod waits any more, also for a DaemonSet that is being deleted.",
			Breaks: []string{"STATUS-015"}, Planner: clearWhileGoing},
		{Name: "a-process-clears-the-stalls-that-it-reported",
			Says:   "Leaves the report of a stall standing that is over before a process that has just begun looks at it.",
			Breaks: []string{"COND-003"}, Planner: remember(clearReported)},
		{Name: "a-template-that-comes-back-stalls-unreported",
			Says:   "Does not report the stall of a template whose stall was reported before another template took its place.",
			Breaks: []string{"COND-001", "COND-002", "HOSTPORT-010"}, Planner: remember(reportTemplatesOnce)},
		{Name: "histories-replace-the-spec-of-pods-alone",
			Says:   "Makes histories that replace the spec of the pod template, and merge its labels and annotations with those that are there.",
			Breaks: []string{"KUBECTL-003"}, Planner: doing(replaceSpecAlone)},
	}
}

// readinessCounted are the numbers of ready and available nodes, by those of nodes that are desired, current and updated, for pods as they are.
type readinessCounted struct {
	pods string
	by   map[[3]int32][2]int32
}

// countByNumbers remembers numbers until a pod changes in what they depend on. That a node goes as another one comes is not seen by how many there are.
func countByNumbers(m *memory[readinessCounted]) Around {
	return reporting(func(status *appsv1.DaemonSetStatus, state plan.State, now time.Time) {
		var lines []string
		for _, pod := range state.Pods {
			lines = append(lines, fmt.Sprint(pod.UID, plan.TargetNode(pod), plan.IsReady(pod), plan.IsAvailable(pod, state.DaemonSet.Spec.MinReadySeconds, now)))
		}
		slices.Sort(lines)
		counted, pods := m.of(state), strings.Join(lines, "\n")
		if counted.by == nil || counted.pods != pods {
			*counted = readinessCounted{pods: pods, by: map[[3]int32][2]int32{}}
		}
		key := [3]int32{status.DesiredNumberScheduled, status.CurrentNumberScheduled, status.UpdatedNumberScheduled}
		before, known := counted.by[key]
		if !known {
			counted.by[key] = [2]int32{status.NumberReady, status.NumberAvailable}
			return
		}
		status.NumberReady, status.NumberAvailable = before[0], before[1]
		status.NumberUnavailable = status.DesiredNumberScheduled - status.NumberAvailable
	})
}

// clearWhileGoing leaves nobody an alert about a DaemonSet that a finalizer keeps.
func clearWhileGoing(next plan.Planner) plan.Planner {
	return func(state plan.State, now time.Time) plan.Actions {
		ds := state.DaemonSet
		stalled := stalledSince(ds.Status)
		waits := slices.ContainsFunc(state.Pods, func(pod *corev1.Pod) bool {
			return metav1.IsControlledBy(pod, ds) && pod.DeletionTimestamp == nil && !plan.IsReady(pod)
		})
		if ds.DeletionTimestamp == nil || stalled == nil || waits {
			return next(state, now)
		}
		over := *stalled
		over.Status, over.LastTransitionTime = corev1.ConditionFalse, metav1.NewTime(now).Rfc3339Copy()
		over.Reason, over.Message = plan.StalledProgressing, "no pod waits any more"
		status := ds.Status.DeepCopy()
		status.Conditions = plan.WithStalled(status.Conditions, []appsv1.DaemonSetCondition{over})
		return plan.Actions{Status: status}
	}
}

// changingStalls is the planner whose report of a stall is changed, in the passes that look for one. change returns the condition to write in place of the
// planned one, with whether there is a change; none takes it away. An event about the transition that is not reported is dropped.
func changingStalls(change func(planned, stored *appsv1.DaemonSetCondition, state plan.State) (*appsv1.DaemonSetCondition, bool)) Around {
	return doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
		status := actions.Status
		if status == nil {
			status = state.DaemonSet.Status.DeepCopy()
		}
		if state.AwaitingOwnWrites || actions.CreateRevision != nil || status.ObservedGeneration != state.DaemonSet.Generation {
			return
		}
		condition, changed := change(stalledSince(*status), conditionOfStalls(state.DaemonSet.Status), state)
		if !changed {
			return
		}
		isOurs := func(c appsv1.DaemonSetCondition) bool { return c.Type == plan.ConditionStalled }
		if condition == nil {
			status.Conditions = slices.DeleteFunc(slices.Clone(status.Conditions), isOurs)
		} else {
			status.Conditions = plan.WithStalled(status.Conditions, []appsv1.DaemonSetCondition{*condition})
		}
		actions.Events = slices.DeleteFunc(slices.Clone(actions.Events), func(event plan.Event) bool {
			return event.Reason == plan.EventRolloutStalled || event.Reason == plan.EventRolloutResumed
		})
		actions.Status = unlessWritten(state, status)
	})
}

// conditionOfStalls returns the condition of stalls, whatever it says, or nil.
func conditionOfStalls(status appsv1.DaemonSetStatus) *appsv1.DaemonSetCondition {
	for i := range status.Conditions {
		if status.Conditions[i].Type == plan.ConditionStalled {
			return &status.Conditions[i]
		}
	}
	return nil
}

// stallsReported reports whether the process has reported a stall.
type stallsReported struct{ any bool }

// clearReported knows of transitions by what the process reported itself.
func clearReported(m *memory[stallsReported]) Around {
	return changingStalls(func(planned, stored *appsv1.DaemonSetCondition, state plan.State) (*appsv1.DaemonSetCondition, bool) {
		reported := m.of(state)
		reported.any = reported.any || planned != nil
		return stored, !reported.any && stored != nil && stored.Status == corev1.ConditionTrue
	})
}

// templatesReported are the template whose stall was reported last, and those that others took the place of since, by their hashes.
type templatesReported struct {
	last string
	over sets.Set[string]
}

// reportTemplatesOnce spares who knows already that a template does not roll out.
func reportTemplatesOnce(m *memory[templatesReported]) Around {
	return changingStalls(func(planned, stored *appsv1.DaemonSetCondition, state plan.State) (*appsv1.DaemonSetCondition, bool) {
		reported, hash := m.of(state), hashOfCurrent(state)
		if reported.over == nil {
			reported.over = sets.New[string]()
		}
		if reported.last != "" && reported.last != hash {
			reported.over.Insert(reported.last)
			reported.last = ""
		}
		if planned == nil {
			return nil, false
		}
		if !reported.over.Has(hash) {
			reported.last = hash
			return nil, false
		}
		if stored != nil && stored.Status == corev1.ConditionTrue {
			// That of the template before: it is over with that.
			stored = stored.DeepCopy()
			stored.Status, stored.LastTransitionTime = corev1.ConditionFalse, planned.LastTransitionTime
			stored.Reason, stored.Message = plan.StalledProgressing, "the rollout goes on"
		}
		return stored, true
	})
}

// replaceSpecAlone has the directive one level too deep.
func replaceSpecAlone(actions *plan.Actions, _ plan.State, _ time.Time) {
	if actions.CreateRevision == nil {
		return
	}
	var data struct {
		Spec struct {
			Template map[string]any `json:"template"`
		} `json:"spec"`
	}
	if err := json.Unmarshal(actions.CreateRevision.Data.Raw, &data); err != nil {
		return
	}
	spec, is := data.Spec.Template["spec"].(map[string]any)
	if !is {
		return
	}
	delete(data.Spec.Template, "$patch")
	spec["$patch"] = "replace"
	raw, err := json.Marshal(data)
	if err != nil {
		return
	}
	actions.CreateRevision = actions.CreateRevision.DeepCopy()
	actions.CreateRevision.Data.Raw = raw
}
