package variants

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// brokenProofs believe pods that were updated in place too early, or never.
func brokenProofs() []Variant {
	return []Variant{
		{Name: "believes-patched-pods", Says: "Takes a patched pod for Ready as long as its condition from before says so.",
			Breaks: []string{"INPLACE-012", "INPLACE-013"}, Planner: records(forget)},
		{Name: "takes-observed-for-restarted", Says: "Takes a patched pod for restarted when its kubelet has seen the patch.", Breaks: []string{"INPLACE-023"},
			Planner: records(func(pod *corev1.Pod, record *updateRecord) bool {
				return pod.Status.ObservedGeneration < record.Generation
			})},
		{Name: "takes-any-new-container", Says: "Takes a container that comes late for an earlier patch for that of the latest.", Breaks: []string{"INPLACE-027"},
			Planner: records(func(_ *corev1.Pod, record *updateRecord) bool {
				changeContainers(record, func(_ string, is *updateInstance) { is.Skipped = nil })
				return true
			})},
		{Name: "waits-for-another-image-id", Says: "Takes a container for restarted when its imageID is another one.", Breaks: []string{"INPLACE-026"}, Planner: remember(otherImageID)},
		{Name: "min-ready-seconds-from-the-condition-alone", Says: "Counts minReadySeconds of a patched pod from a Ready condition that is older than its containers.",
			Breaks: []string{"INPLACE-024"},
			Planner: records(func(pod *corev1.Pod, record *updateRecord) bool {
				for name, before := range record.Containers {
					if status := statusOf(pod, name); status == nil || status.RestartCount <= before.Restarts || pod.Status.ObservedGeneration < record.Generation {
						return true
					}
				}
				return false
			})},
		{Name: "remembers-patches-by-itself", Says: "Knows which pods it has patched as long as its process lives.", Breaks: []string{"INPLACE-013", "INPLACE-025"}, Planner: remember(ownPatches)},
		{Name: "waits-for-a-restart-that-is-not-due", Says: "Waits for the restart of a container that runs already what it is to run.", Breaks: []string{"INPLACE-030"},
			Planner: records(func(_ *corev1.Pod, record *updateRecord) bool {
				changeContainers(record, func(_ string, is *updateInstance) { is.Image = "" })
				return true
			})},
		{Name: "records-the-latest-update-alone", Says: "Forgets the containers of an earlier update that have not been restarted when it updates another container.",
			Breaks: []string{"INPLACE-027"},
			Planner: changeUpdates(func(_ plan.State, update *plan.PodUpdate) {
				rewriteRecord(update, func(container string) bool { return update.Images[container] != "" })
			})},
		{Name: "takes-any-restart-for-the-one", Says: "Takes a pod for restarted when any of its containers has been.", Breaks: []string{"INPLACE-023"},
			Planner: records(func(pod *corev1.Pod, record *updateRecord) bool {
				return !slices.ContainsFunc(pod.Status.ContainerStatuses, func(status corev1.ContainerStatus) bool {
					return status.State.Running != nil && status.State.Running.StartedAt.After(record.At.Time)
				})
			})},
		{Name: "takes-one-restart-for-all", Says: "Takes a pod for restarted when the first of the containers that are to be has been.", Breaks: []string{"INPLACE-013"},
			Planner: records(func(pod *corev1.Pod, record *updateRecord) bool {
				for name, before := range record.Containers {
					if status := statusOf(pod, name); status != nil && status.State.Running != nil && status.RestartCount > before.Restarts {
						record.Containers = map[string]updateInstance{name: before}
					}
				}
				return true
			})},
		{Name: "takes-former-restarts-for-the-one", Says: "Takes a container for restarted when it was restarted ever.", Breaks: []string{"INPLACE-013"},
			Planner: records(func(_ *corev1.Pod, record *updateRecord) bool {
				record.Generation = 0
				changeContainers(record, func(_ string, is *updateInstance) { is.Restarts = 0 })
				return true
			})},
		{Name: "takes-a-start-after-the-patch-for-the-restart", Says: "Takes a container for restarted that started, by its node's clock, no earlier than the second of the patch.",
			Breaks: []string{"INPLACE-013", "INPLACE-026"}, Planner: records(compareStarts)},
		{Name: "believes-pods-without-the-policy", Says: "Takes patched pods for Ready by their condition from before once the policy is another one.", Breaks: []string{"INPLACE-013"},
			Planner: seeing(func(state *plan.State, _ time.Time) {
				if !inPlace(*state) {
					changeRecords(state, forget)
				}
			})},
		{Name: "reports-patched-pods-as-available", Says: "Counts patched pods in the status by their Ready condition from before.", Breaks: []string{"INPLACE-013"},
			Planner: func(next plan.Planner) plan.Planner {
				return func(state plan.State, now time.Time) plan.Actions {
					actions := next(state, now)
					if actions.Err == nil {
						changeRecords(&state, forget)
						actions.Status = next(state, now).Status
					}
					return actions
				}
			}},
	}
}

// compareStarts makes the record one that every container fulfils that started since the patch, and no other.
func compareStarts(pod *corev1.Pod, record *updateRecord) bool {
	changeContainers(record, func(name string, is *updateInstance) {
		status := statusOf(pod, name)
		switch {
		case status == nil || status.State.Running == nil:
		case status.State.Running.StartedAt.Before(&record.At):
			is.ID, is.Restarts = status.ContainerID, status.RestartCount
		default:
			// No runtime gives such an ID.
			is.ID = "before the patch"
		}
	})
	return true
}

// imageIDs are those of pods' containers when they were patched.
type imageIDs map[types.UID]map[string]string

// otherImageID shows patched pods as not Ready until the imageIDs of their changed containers are others.
func otherImageID(m *memory[imageIDs]) Around {
	return both(seeing(func(state *plan.State, _ time.Time) {
		known := *m.of(*state)
		same := func(pod *corev1.Pod) bool {
			for name, id := range known[pod.UID] {
				if status := statusOf(pod, name); status == nil || status.ImageID == id {
					return true
				}
			}
			return false
		}
		changePods(state, same, func(pod *corev1.Pod) {
			if condition := ready(pod); condition != nil {
				condition.Status = corev1.ConditionFalse
			}
		})
	}), doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
		known := m.of(state)
		if *known == nil {
			*known = imageIDs{}
		}
		for _, update := range actions.UpdatePods {
			ids := map[string]string{}
			for name := range update.Images {
				if status := statusOf(update.Pod, name); status != nil {
					ids[name] = status.ImageID
				}
			}
			(*known)[update.Pod.UID] = ids
		}
	}))
}

// ownPatches forgets the records of pods that another process has patched.
func ownPatches(m *memory[map[types.UID]bool]) Around {
	return both(seeing(func(state *plan.State, _ time.Time) {
		own := *m.of(*state)
		changeRecords(state, func(pod *corev1.Pod, _ *updateRecord) bool { return own[pod.UID] })
	}), doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
		own := m.of(state)
		if *own == nil {
			*own = map[types.UID]bool{}
		}
		for _, update := range actions.UpdatePods {
			(*own)[update.Pod.UID] = true
		}
	}))
}
