package variants

import (
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	daemons "github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
	"github.com/rollcall-conformance/rollcall/impl/inplace"
	"github.com/rollcall-conformance/rollcall/impl/statefulset/plan"
)

// brokenSlips are right as long as no pod is missing, and no revision comes back.
func brokenSlips() []Variant {
	return []Variant{
		{Name: "set-updates-while-larger-ordinals-are-missing",
			Says:   "Updates the pods of a StatefulSet that there are while those with larger ordinals have yet to be created.",
			Breaks: []string{"INPLACE-018"}, Planner: updateMeanwhile},
		{Name: "set-remembers-what-a-pod-came-to",
			Says:   "Believes at once that an update in place is done which the pod of a StatefulSet has been through before, to the same revision.",
			Breaks: []string{"INPLACE-033"}, Planner: believeAgain},
	}
}

// updateMeanwhile updates as if no more pods were asked for than those up to the largest ordinal that there is.
func updateMeanwhile(next plan.Planner) plan.Planner {
	return func(state plan.State, now time.Time) plan.Actions {
		actions := next(state, now)
		last := -1
		for _, pod := range state.Pods {
			last = max(last, ordinalOf(pod))
		}
		if actions.Err != nil || len(actions.UpdatePods) > 0 || last < 0 || last >= lastOrdinal(state.Set) {
			return actions
		}
		state.Set = state.Set.DeepCopy()
		state.Set.Spec.Replicas = ptr.To(replicas(state.Set) - int32(lastOrdinal(state.Set)-last))
		actions.UpdatePods = next(state, now).UpdatePods
		return actions
	}
}

// believeAgain keeps in mind which pods have come to which revision, and does not read the record of a pod that is of such a one again.
func believeAgain(next plan.Planner) plan.Planner {
	var mu sync.Mutex
	came := map[string]bool{}
	return func(state plan.State, now time.Time) plan.Actions {
		mu.Lock()
		defer mu.Unlock()
		state.Pods = slices.Clone(state.Pods)
		for i, pod := range state.Pods {
			key := string(pod.UID) + pod.Labels[plan.RevisionLabel]
			believed, _ := inplace.Believe(pod, now)
			if pod.Annotations[inplace.Proof] != "" && len(inplace.Proofs([]*corev1.Pod{pod}, now)) == 0 && daemons.IsReady(believed) {
				came[key] = true
			}
			if came[key] {
				state.Pods[i] = pod.DeepCopy()
				delete(state.Pods[i].Annotations, inplace.Record)
			}
		}
		return next(state, now)
	}
}
