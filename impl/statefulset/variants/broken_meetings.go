package variants

import (
	"encoding/json"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	daemons "github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
	"github.com/rollcall-conformance/rollcall/impl/inplace"
	"github.com/rollcall-conformance/rollcall/impl/statefulset/plan"
)

// brokenMeetings are right in every situation by itself. They go wrong where two meet.
func brokenMeetings() []Variant {
	return []Variant{
		{Name: "set-starts-over-with-all-of-an-unfinished-update",
			Says:   "Waits for another restart of every container of an update that was not done when the next one came, also of those that had been restarted and that the next one leaves alone.",
			Breaks: []string{"INPLACE-035", "INPLACE-033"}, Planner: recording(startOverWithAll)},
		{Name: "set-restores-lost-pods-of-the-revision-before",
			Says:   "Creates a lost pod of a StatefulSet below the partition from the latest revision before that of the update, also where the pods had not come to that one.",
			Breaks: []string{"INPLACE-018"}, Planner: restoreOfTheRevisionBefore},
	}
}

// startOverWithAll takes an update that is overtaken for one that has to begin again, and notes all of its containers as they are now.
func startOverWithAll(containers written, update plan.PodUpdate, _ plan.State, now time.Time) {
	var earlier struct {
		Containers written `json:"containers"`
	}
	if !unfinished(update.Pod, now) || json.Unmarshal([]byte(update.Pod.Annotations[inplace.Record]), &earlier) != nil {
		return
	}
	for name, was := range earlier.Containers {
		if _, noted := containers[name]; !noted {
			is := instanceOf(update.Pod, name)
			containers[name] = writtenInstance{ID: is.ContainerID, Restarts: is.RestartCount, Image: was.Image}
		}
	}
}

// unfinished reports whether the pod's last update in place is not done, whatever its Ready condition says.
func unfinished(pod *corev1.Pod, now time.Time) bool {
	if _, recorded := pod.Annotations[inplace.Record]; !recorded {
		return false
	}
	pod = pod.DeepCopy()
	makeReady(pod, now.Add(-time.Hour))
	return !ready(pod, now)
}

// restoreOfTheRevisionBefore goes by the history, and not by the status, for what was in force before the update.
func restoreOfTheRevisionBefore(next plan.Planner) plan.Planner {
	return func(state plan.State, now time.Time) plan.Actions {
		actions := next(state, now)
		before, updating := revisionBefore(state)
		if actions.Err != nil || len(actions.CreatePods) == 0 || before == nil || !updating {
			return actions
		}
		state.Set = state.Set.DeepCopy()
		state.Set.Status.CurrentRevision = before.Name
		created := next(state, now)
		actions.CreatePods, actions.CreateClaims = created.CreatePods, created.CreateClaims
		return actions
	}
}

// revisionBefore is the newest revision that is not of the template in force; updating says that the one that is current is none of it, either.
func revisionBefore(state plan.State) (before *appsv1.ControllerRevision, updating bool) {
	others := slices.DeleteFunc(slices.Clone(state.Revisions), func(revision *appsv1.ControllerRevision) bool {
		return daemons.StoredTemplate(revision) == nil || ofTemplate(state.Set, revision)
	})
	for _, revision := range others {
		updating = updating || revision.Name == state.Set.Status.CurrentRevision
		if before == nil || before.Revision < revision.Revision {
			before = revision
		}
	}
	return before, updating
}
