package variants

import (
	"math"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// brokenArithmetic count what they should not: nodes that a fraction is too large by, maxSurge without the gate, and others' pods and histories.
func brokenArithmetic() []Variant {
	return []Variant{
		{Name: "percentage-by-floating-point", Says: "Takes the percentages of both limits as fractions, so that 28% of 25 rounds up to 8.",
			Breaks: []string{"ROLLING-003", "ROLLING-002", "SURGE-003", "SURGE-002"}, Planner: seeingSpec(scaleByFractions)},
		{Name: "gate-off-still-surges-for-drains",
			Says:   "While the feature gate is off, makes the replacement of a deleted pod beside it as with maxSurge.",
			Breaks: []string{"DRAIN-003", "GATE-002"}, Planner: refillBesideLeaving},
		{Name: "released-pod-counts-as-the-successor",
			Says:   "Deletes the old pod of a node that has an available pod with the label of the revision, whoever controls that.",
			Breaks: []string{"SURGE-006", "SURGE-016"}, Planner: doing(handOverToReleased)},
		{Name: "history-is-its-own-by-its-first-owner", Says: "Takes the first owner of a history for its controller.",
			Breaks: []string{"ROLLBACK-001", "HISTORY-010"}, Planner: seeing(believeFirstOwners)},
	}
}

// scaleByFractions multiplies in binary fractions, of which some are more than what they stand for.
func scaleByFractions(spec *appsv1.DaemonSetSpec, state plan.State, _ time.Time) {
	rolling, of := spec.UpdateStrategy.RollingUpdate, eligibleNodes(state)
	if rolling == nil || of == 0 {
		return
	}
	for _, value := range []*intstr.IntOrString{rolling.MaxSurge, rolling.MaxUnavailable} {
		if value == nil {
			continue
		}
		if percent, is := percentOf(value); is {
			*value = intstr.FromInt(int(math.Ceil(percent / 100 * float64(of))))
		}
	}
}

// refillBesideLeaving asks for maxSurge alone where it fills a node, and for the gate where it rolls out.
func refillBesideLeaving(next plan.Planner) plan.Planner {
	return func(state plan.State, now time.Time) plan.Actions {
		actions := next(state, now)
		old := func(n *node) bool { return len(n.olds) > 0 }
		if actions.Err != nil || state.DaemonSet.DeletionTimestamp != nil || actsNot(&actions, state) {
			return actions
		}
		if !state.SurgeDisabled || slices.ContainsFunc(nodes(state), old) {
			return actions
		}
		state.SurgeDisabled = false
		for _, creation := range next(state, now).CreatePods {
			same := func(c plan.PodCreation) bool { return c.Node == creation.Node }
			if creation.Reason == plan.ReasonMissing && !slices.ContainsFunc(actions.CreatePods, same) {
				actions.CreatePods = append(actions.CreatePods, creation)
			}
		}
		return actions
	}
}

// handOverToReleased finds successors by their label.
func handOverToReleased(actions *plan.Actions, state plan.State, now time.Time) {
	if actsNot(actions, state) || !maySurge(state) {
		return
	}
	successors := map[string]bool{}
	for _, pod := range state.Pods {
		free, current := metav1.GetControllerOfNoCopy(pod) == nil, pod.Labels[plan.HashLabel] == hashOfCurrent(state)
		if free && current && plan.IsAvailable(pod, state.DaemonSet.Spec.MinReadySeconds, now) {
			successors[plan.TargetNode(pod)] = true
		}
	}
	for _, n := range nodes(state) {
		for _, pod := range n.olds {
			if successors[n.name] {
				remove(actions, pod, plan.ReasonReplaced)
			}
		}
	}
}

// believeFirstOwners sees no other owner than the first of several, and takes it for the controller.
func believeFirstOwners(state *plan.State, _ time.Time) {
	state.Revisions = slices.Clone(state.Revisions)
	for i, revision := range state.Revisions {
		if owners := revision.OwnerReferences; len(owners) > 1 && owners[0].UID != state.DaemonSet.UID {
			believed := revision.DeepCopy()
			believed.OwnerReferences = believed.OwnerReferences[:1]
			believed.OwnerReferences[0].Controller = ptr.To(true)
			state.Revisions[i] = believed
		}
	}
}
