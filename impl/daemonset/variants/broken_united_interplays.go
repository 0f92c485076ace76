package variants

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/impl/united/api"
	"github.com/rollcall-conformance/rollcall/impl/united/plan"
)

// brokenUnitedInterplays are right as long as nodes move while nothing else happens.
func brokenUnitedInterplays() []Variant {
	return []Variant{
		{Name: "united-leaves-subsets-without-nodes-as-they-are",
			Says:   "Brings no change of the target or of the patch to the DaemonSet of a subset that has no node and no pod, until it has one.",
			Breaks: []string{"UNITED-033"}, United: withoutSubsetUpdates(func(state plan.State, subset string) bool { return !inhabited(state, subset) })},
		{Name: "united-settles-before-it-changes-a-subset",
			Says:   "Brings no change to the DaemonSets of subsets while a node is to be handed over with maxSurge, also where the change alone can end that.",
			Breaks: []string{"UNITED-033"}, United: withoutSubsetUpdates(func(state plan.State, _ string) bool { return handingOver(state) })},
		{Name: "united-counts-on-pods-that-terminate",
			Says:   "Counts on a pod that is being deleted as long as it is Ready, for the pace of moves and for handing a node over.",
			Breaks: []string{"UNITED-027", "UNITED-030"}, United: movingAs(withoutDeletionTimes)},
		{Name: "united-passes-on-what-a-bad-patch-cannot-have",
			Says:   "Gives a node that several subsets select to the next of them while the first has no DaemonSet for its patch.",
			Breaks: []string{"UNITED-038", "UNITED-009"}, United: passOn},
	}
}

// withoutSubsetUpdates leaves the DaemonSets of subsets alone that there are, where which says so.
func withoutSubsetUpdates(which func(state plan.State, subset string) bool) aroundUnited {
	return uniting(func(actions *plan.Actions, state plan.State) {
		actions.Subsets = slices.DeleteFunc(slices.Clone(actions.Subsets), func(write plan.SubsetWrite) bool {
			return write.DaemonSet.ResourceVersion != "" && which(state, write.Subset)
		})
	})
}

// inhabited reports whether a node is the subset's, or is to be, or has a pod of it.
func inhabited(state plan.State, subset string) bool {
	keys, name := homes(state), plan.DaemonSetName(state.United.Name, subset)
	return slices.ContainsFunc(state.Nodes, func(node *corev1.Node) bool {
		return node.Labels[keys.Home] == subset || node.Labels[keys.Incoming] == subset
	}) || slices.ContainsFunc(state.Pods, func(pod *corev1.Pod) bool { return pod.Labels[plan.DaemonSetLabel] == name })
}

// handingOver reports whether a node has a member that is to take over.
func handingOver(state plan.State) bool {
	keys := homes(state)
	return slices.ContainsFunc(state.Nodes, func(node *corev1.Node) bool { return node.Labels[keys.Incoming] != "" })
}

// withoutDeletionTimes shows pods as if none was being deleted.
func withoutDeletionTimes(state *plan.State) {
	state.Pods = slices.Clone(state.Pods)
	for i, pod := range state.Pods {
		if pod.DeletionTimestamp != nil {
			pod = pod.DeepCopy()
			pod.DeletionTimestamp = nil
			state.Pods[i] = pod
		}
	}
}

// passOn plans moves as if the subsets that have no DaemonSet and cannot have one came last.
func passOn(next plan.Planner) plan.Planner {
	return func(state plan.State, now time.Time) plan.Actions {
		actions := next(state, now)
		lacks := func(subset api.Subset) bool {
			name := plan.DaemonSetName(state.United.Name, subset.Name)
			return !slices.ContainsFunc(actions.Subsets, func(write plan.SubsetWrite) bool { return write.Subset == subset.Name }) && !made(state, name)
		}
		var able, unable []api.Subset
		for _, subset := range state.United.Spec.Subsets {
			if lacks(subset) {
				unable = append(unable, subset)
			} else {
				able = append(able, subset)
			}
		}
		if len(unable) == 0 {
			return actions
		}
		state.United = state.United.DeepCopy()
		state.United.Spec.Subsets = slices.Concat(able, unable)
		actions.LabelNodes = next(state, now).LabelNodes
		return actions
	}
}

// made reports whether the UnitedDaemonSet has the DaemonSet of that name.
func made(state plan.State, name string) bool {
	for _, ds := range state.DaemonSets {
		if ds.Name == name && metav1.IsControlledBy(ds, state.United) {
			return true
		}
	}
	return false
}
