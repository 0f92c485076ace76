package variants

import (
	"encoding/json"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/impl/united/plan"
)

// lawfulUnitedPaces take more time for what they do about UnitedDaemonSets.
func lawfulUnitedPaces() []Variant {
	const open = "no requirement says how fast, in which order, or by which writes"
	return []Variant{
		{Name: "united-one-node-at-a-time", Says: "Moves one node at a time, whatever the target's limits allow.", Lawful: "UNITED-027: the limits are upper bounds.",
			United: movingAs(oneByOne)},
		{Name: "united-begins-with-subsets", Says: "Gives the target its affinity once the DaemonSets of all subsets have been observed.", Lawful: open,
			United: uniting(subsetsFirst)},
	}
}

// oneByOne shows the target with a limit of one, of the kind that it has.
func oneByOne(state *plan.State) {
	limited := withStrategy("0", "1")
	for _, ds := range state.DaemonSets {
		if rolling := effective(ds).RollingUpdate; ds.Name == state.United.Spec.TargetRef.Name && rolling != nil && scaled(rolling.MaxSurge, 100, true) > 0 {
			limited = withStrategy("1", "0")
		}
	}
	limited(state)
}

// effective is the strategy of a target, be it suspended or not.
func effective(ds *appsv1.DaemonSet) appsv1.DaemonSetUpdateStrategy {
	strategy := ds.Spec.UpdateStrategy
	if kept, suspended := ds.Annotations[plan.StrategyAnnotation]; suspended {
		var was appsv1.DaemonSetUpdateStrategy
		if json.Unmarshal([]byte(kept), &was) == nil {
			strategy = was
		}
	}
	return strategy
}

// subsetsFirst puts off what gives the target another template while a subset's DaemonSet is to be created, or has not been observed.
func subsetsFirst(actions *plan.Actions, state plan.State) {
	target := actions.UpdateTarget
	if target == nil || state.United.DeletionTimestamp != nil {
		return
	}
	changes := slices.ContainsFunc(state.DaemonSets, func(ds *appsv1.DaemonSet) bool {
		return ds.UID == target.UID && !apiequality.Semantic.DeepEqual(ds.Spec.Template, target.Spec.Template)
	})
	begins := slices.ContainsFunc(actions.Subsets, func(write plan.SubsetWrite) bool { return write.DaemonSet.ResourceVersion == "" })
	unseen := slices.ContainsFunc(state.DaemonSets, func(ds *appsv1.DaemonSet) bool {
		return metav1.IsControlledBy(ds, state.United) && ds.Status.ObservedGeneration < ds.Generation
	})
	if changes && (begins || unseen) {
		actions.UpdateTarget = nil
		if again := 200 * time.Millisecond; actions.Again == 0 || again < actions.Again {
			actions.Again = again
		}
	}
}
