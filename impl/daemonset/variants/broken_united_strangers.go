package variants

import (
	"encoding/json"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"

	"github.com/rollcall-conformance/rollcall/impl/united/plan"
)

// brokenUnitedStrangers are of an author who knows the documents and the reference alone: each is right as long as others act while it is there and has
// nothing under way.
func brokenUnitedStrangers() []Variant {
	return []Variant{
		{Name: "united-asks-the-finalizer-alone-for-orphans",
			Says:   "Takes the labels of nodes and the target's affinity back, once the garbage collector has orphaned the DaemonSets of subsets and is done.",
			Breaks: []string{"UNITED-041"},
			United: func(next plan.Planner) plan.Planner { return blind(next, overlookOrphans) }},
		{Name: "united-gives-back-what-it-kept-over-an-edit",
			Says:   "Gives the target the strategy back that it kept, also where the user has given the target another one while that was suspended.",
			Breaks: []string{"UNITED-032"}, United: uniting(giveBackWhatWasKept)},
		{Name: "united-forgets-nodes-that-leave-the-target",
			Says:   "Looks at those nodes alone that the target's nodeSelector and affinity allow, and so leaves its labels on a node that they allow no longer.",
			Breaks: []string{"UNITED-020", "UNITED-008"},
			United: func(next plan.Planner) plan.Planner { return blind(next, withoutNodesOfOthers) }},
	}
}

// overlookOrphans hides DaemonSets of subsets that nobody controls any more, unless the UnitedDaemonSet itself says that they are to be orphaned.
func overlookOrphans(state *plan.State) {
	united := state.United
	if united.DeletionTimestamp == nil || slices.Contains(united.Finalizers, metav1.FinalizerOrphanDependents) {
		return
	}
	state.DaemonSets = slices.DeleteFunc(slices.Clone(state.DaemonSets), func(ds *appsv1.DaemonSet) bool {
		subset := ds.Labels[plan.SubsetLabel]
		return subset != "" && ds.Name == plan.DaemonSetName(united.Name, subset) && !metav1.IsControlledBy(ds, united)
	})
}

// giveBackWhatWasKept puts the strategy of the annotation in the place of any other with which the suspension ends.
func giveBackWhatWasKept(actions *plan.Actions, state plan.State) {
	target, update := targetOf(state), actions.UpdateTarget
	if target == nil || update == nil {
		return
	}
	kept, suspended := target.Annotations[plan.StrategyAnnotation]
	if _, goesOn := update.Annotations[plan.StrategyAnnotation]; !suspended || goesOn {
		return
	}
	var strategy appsv1.DaemonSetUpdateStrategy
	if json.Unmarshal([]byte(kept), &strategy) == nil {
		update.Spec.UpdateStrategy = strategy
	}
}

// withoutNodesOfOthers hides the nodes that the target's own nodeSelector and affinity do not allow.
func withoutNodesOfOthers(state *plan.State) {
	target := targetOf(*state)
	if target == nil {
		return
	}
	spec := plan.Ungate(&target.Spec.Template, homes(*state)).Spec
	fits := nodeaffinity.NewRequiredNodeAffinity(spec.NodeSelector, spec.Affinity)
	state.Nodes = slices.DeleteFunc(slices.Clone(state.Nodes), func(node *corev1.Node) bool {
		matches, err := fits.Match(node)
		return err != nil || !matches
	})
}
