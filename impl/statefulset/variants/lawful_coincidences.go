package variants

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/impl/statefulset/plan"
)

// lawfulCoincidences do otherwise than the reference where pods are lost while others are updated.
func lawfulCoincidences() []Variant {
	return []Variant{
		{Name: "set-creates-lost-pods-one-by-one",
			Says: "Creates one missing pod of a StatefulSet in a pass, that with the largest ordinal first, also where the podManagementPolicy is Parallel.",
			Lawful: "INPLACE-018 is about the order of updates, with either podManagementPolicy, and no requirement has missing pods created at once, or in an order: each is a pass later than the one before. " +
				"INPLACE-034: a pod that is missing is not updated, and the next update waits for it, as in the reference. INPLACE-031 counts no pod that somebody else has deleted. " +
				"Where pods are in order there is one at most.",
			Planner: doing(createOne)},
	}
}

// createOne creates the last of the pods that are missing. Their claims are all there before.
func createOne(actions *plan.Actions, _ plan.State, _ time.Time) {
	if len(actions.CreatePods) < 2 {
		return
	}
	actions.CreatePods = []*corev1.Pod{slices.MaxFunc(actions.CreatePods, func(a, b *corev1.Pod) int { return ordinalOf(a) - ordinalOf(b) })}
	// The pod that comes wakes the controller, unless it was refused.
	if actions.RequeueAfter == 0 || actions.RequeueAfter > time.Second {
		actions.RequeueAfter = time.Second
	}
}
