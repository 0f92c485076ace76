package variants

import (
	"slices"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"

	daemons "github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
	"github.com/rollcall-conformance/rollcall/impl/united/api"
	"github.com/rollcall-conformance/rollcall/impl/united/plan"
)

// brokenUnitedCorners do well until a node, a pod or the target has trouble or a change of its own.
func brokenUnitedCorners() []Variant {
	return []Variant{
		{Name: "united-paces-by-its-own-moves", Says: "Does not count a node for the pace of moves whose pod was available once and is not Ready.", Breaks: []string{"UNITED-027"},
			United: paceByOwnMoves},
		{Name: "united-hands-over-when-ready", Says: "Gives a node away where the target surges when the incoming pod is Ready, before minReadySeconds are over.",
			Breaks: []string{"UNITED-030"},
			United: movingAs(func(state *plan.State) {
				if surges(*state) {
					withoutMinReadySeconds(state)
				}
			})},
		{Name: "united-moves-beside-ended-pods", Says: "Gives a node to its new member although a pod of the other that has ended is still there.", Breaks: []string{"UNITED-029"},
			United: movingAs(func(state *plan.State) { state.Pods = slices.DeleteFunc(slices.Clone(state.Pods), daemons.HasEnded) })},
		{Name: "united-completes-moves-when-the-strategy-changes", Says: "Ends all moves that have begun with maxSurge at once when maxUnavailable takes its place.",
			Breaks: []string{"UNITED-027"}, United: uniting(completeMoves)},
		{Name: "united-overlooks-restarts-of-the-target", Says: "Changes no DaemonSet of a subset with a patch where nothing but annotations of the target's template changed.",
			Breaks: []string{"UNITED-033"}, United: uniting(overlookAnnotations)},
		{Name: "united-remembers-nodes-by-name", Says: "Gives a node that is registered again to the member that had the one of its name.", Breaks: []string{"UNITED-040"},
			United: rememberNodes},
		{Name: "united-believes-what-it-finds", Says: "Takes the DaemonSets of subsets that it finds when it begins for what it made of them.", Breaks: []string{"UNITED-041"},
			United: believeWhatIsThere},
		{Name: "united-takes-a-suspended-strategy-for-the-users", Says: "Leaves a target with OnDelete whose rollouts another process has suspended.",
			Breaks: []string{"UNITED-041"}, United: forgetSuspensions},
		{Name: "united-gives-every-target-a-rolling-update", Says: "Has a target rolled out again once it has its affinity, also one that the user has given OnDelete.",
			Breaks: []string{"UNITED-032", "UNITED-020"}, United: uniting(rollOutByHand)},
		{Name: "united-suspends-what-is-suspended", Says: "Keeps OnDelete as the strategy to give back where it suspends a target again that is suspended still.",
			Breaks: []string{"UNITED-020"}, United: uniting(func(actions *plan.Actions, state plan.State) {
				for _, ds := range state.DaemonSets {
					if update := actions.UpdateTarget; update != nil && ds.UID == update.UID && ds.Annotations[plan.StrategyAnnotation] != "" &&
						update.Spec.UpdateStrategy.Type == appsv1.OnDeleteDaemonSetStrategyType {
						update.Annotations[plan.StrategyAnnotation] = `{"type":"OnDelete"}`
					}
				}
			})},
		{Name: "united-waits-for-pods-that-cannot-come", Says: "Goes on waiting, where the target surges, for the incoming pod of a node that has come to repel it.",
			Breaks: []string{"UNITED-006"}, United: movingAs(func(state *plan.State) {
				state.Nodes = slices.Clone(state.Nodes)
				for i, node := range state.Nodes {
					if node.Labels[homes(*state).Incoming] != "" {
						state.Nodes[i] = node.DeepCopy()
						state.Nodes[i].Spec.Taints = nil
					}
				}
			})},
		{Name: "united-leaves-labels-where-nothing-runs", Says: "Leaves its labels on nodes with taints for NoSchedule when it goes.", Breaks: []string{"UNITED-020"},
			United: func(next plan.Planner) plan.Planner {
				return blind(next, func(state *plan.State) {
					if state.United.DeletionTimestamp != nil {
						state.Nodes = slices.DeleteFunc(slices.Clone(state.Nodes), closed)
					}
				})
			}},
	}
}

// surges reports whether the target's strategy has maxSurge; while it is suspended, nothing moves.
func surges(state plan.State) bool {
	for _, ds := range state.DaemonSets {
		if ds.Name != state.United.Spec.TargetRef.Name {
			continue
		}
		rolling := ds.Spec.UpdateStrategy.RollingUpdate
		return rolling != nil && rolling.MaxSurge != nil && rolling.MaxSurge.String() != "0" && rolling.MaxSurge.String() != "0%"
	}
	return false
}

// closed reports whether the node has a taint for NoSchedule.
func closed(node *corev1.Node) bool {
	return slices.ContainsFunc(node.Spec.Taints, func(taint corev1.Taint) bool { return taint.Effect == corev1.TaintEffectNoSchedule })
}

// believeWhatIsThere leaves a DaemonSet alone that the process has not written, as long as neither that nor what it should be has changed since it began.
func believeWhatIsThere(next plan.Planner) plan.Planner {
	var mu sync.Mutex
	found := map[types.UID]plan.Written{}
	return uniting(func(actions *plan.Actions, state plan.State) {
		mu.Lock()
		defer mu.Unlock()
		actions.Subsets = slices.DeleteFunc(slices.Clone(actions.Subsets), func(write plan.SubsetWrite) bool {
			ds := write.DaemonSet
			if _, own := state.Written[ds.UID]; own || ds.ResourceVersion == "" {
				return false
			}
			is := plan.Written{Hash: write.Hash, Generation: ds.Generation}
			if _, known := found[ds.UID]; !known {
				found[ds.UID] = is
			}
			return found[ds.UID] == is
		})
	})(next)
}

// paceByOwnMoves plans moves as if every pod that was ever available still were.
func paceByOwnMoves(next plan.Planner) plan.Planner {
	var mu sync.Mutex
	once := sets.New[types.UID]()
	return func(state plan.State, now time.Time) plan.Actions {
		mu.Lock()
		defer mu.Unlock()
		return movingAs(func(state *plan.State) {
			state.Pods = slices.Clone(state.Pods)
			for i, pod := range state.Pods {
				switch {
				case daemons.IsAvailable(pod, 0, now):
					once.Insert(pod.UID)
				case once.Has(pod.UID) && pod.DeletionTimestamp == nil:
					state.Pods[i] = pod.DeepCopy()
					if condition := readyIn(state.Pods[i]); condition != nil {
						condition.Status = corev1.ConditionTrue
					}
				}
			}
		})(next)(state, now)
	}
}

// readyIn is the pod's Ready condition, whatever it says; nil if there is none.
func readyIn(pod *corev1.Pod) *corev1.PodCondition {
	for i := range pod.Status.Conditions {
		if pod.Status.Conditions[i].Type == corev1.PodReady {
			return &pod.Status.Conditions[i]
		}
	}
	return nil
}

// completeMoves gives nodes to their incoming member where the reference takes that back.
func completeMoves(actions *plan.Actions, state plan.State) {
	if surges(state) {
		return
	}
	keys := homes(state)
	for i, labels := range actions.LabelNodes {
		incoming := labels.Node.Labels[keys.Incoming]
		if to, ends := labels.Labels[keys.Incoming]; ends && to == nil && len(labels.Labels) == 1 && incoming != "" {
			actions.LabelNodes[i].Labels = map[string]*string{keys.Home: &incoming, keys.Incoming: nil}
		}
	}
}

// overlookAnnotations leaves out what would change nothing but annotations of templates that a patch has been applied to.
func overlookAnnotations(actions *plan.Actions, state plan.State) {
	actions.Subsets = slices.DeleteFunc(slices.Clone(actions.Subsets), func(write plan.SubsetWrite) bool {
		patched := slices.ContainsFunc(state.United.Spec.Subsets, func(subset api.Subset) bool { return subset.Name == write.Subset && subset.Patch.Template != nil })
		return patched && slices.ContainsFunc(state.DaemonSets, func(ds *appsv1.DaemonSet) bool {
			if ds.Name != write.DaemonSet.Name || !metav1.IsControlledBy(ds, state.United) {
				return false
			}
			wanted := write.DaemonSet.Spec.DeepCopy()
			wanted.Template.Annotations = ds.Spec.Template.Annotations
			return apiequality.Semantic.DeepEqual(*wanted, ds.Spec)
		})
	})
}

// rememberNodes gives an unlabelled node to the member that had another node of its name, until it has a Ready pod of that.
func rememberNodes(next plan.Planner) plan.Planner {
	var mu sync.Mutex
	var names firsts
	members, returned, given := map[string]string{}, map[types.UID]string{}, sets.New[types.UID]()
	return uniting(func(actions *plan.Actions, state plan.State) {
		mu.Lock()
		defer mu.Unlock()
		home := homes(state).Home
		for _, node := range state.Nodes {
			key := home + "/" + node.Name
			if member := node.Labels[home]; names.first(key, node.UID) == node.UID && member != "" {
				members[key] = member
			} else if names.first(key, node.UID) != node.UID && returned[node.UID] == "" {
				returned[node.UID] = members[key]
			}
		}
		actions.LabelNodes = slices.DeleteFunc(slices.Clone(actions.LabelNodes), func(labels plan.NodeLabels) bool {
			member := returned[labels.Node.UID]
			return member != "" && labels.Node.Labels[home] == member && unready(state, labels.Node.Name)
		})
		for i, labels := range actions.LabelNodes {
			member := returned[labels.Node.UID]
			if labels.Labels[home] != nil && labels.Node.Labels[home] == "" && member != "" && !given.Has(labels.Node.UID) {
				actions.LabelNodes[i].Labels = map[string]*string{home: &member}
				given.Insert(labels.Node.UID)
			}
		}
	})(next)
}

// forgetSuspensions gives a target no strategy back that it has not suspended itself.
func forgetSuspensions(next plan.Planner) plan.Planner {
	var mu sync.Mutex
	suspended := sets.New[types.UID]()
	return uniting(func(actions *plan.Actions, state plan.State) {
		mu.Lock()
		defer mu.Unlock()
		if update := actions.UpdateTarget; update != nil && update.Annotations[plan.StrategyAnnotation] != "" {
			suspended.Insert(update.UID)
		}
		for _, ds := range state.DaemonSets {
			if ds.Annotations[plan.StrategyAnnotation] != "" && ds.Name == state.United.Spec.TargetRef.Name && !suspended.Has(ds.UID) {
				actions.UpdateTarget = ds.DeepCopy()
				delete(actions.UpdateTarget.Annotations, plan.StrategyAnnotation)
			}
		}
	})(next)
}

// rollOutByHand takes OnDelete of a target that is kept to its nodes for a suspension.
func rollOutByHand(actions *plan.Actions, state plan.State) {
	for _, ds := range state.DaemonSets {
		gated := plan.Ungate(&ds.Spec.Template, homes(state)) != &ds.Spec.Template
		byHand := ds.Spec.UpdateStrategy.Type == appsv1.OnDeleteDaemonSetStrategyType && ds.Annotations[plan.StrategyAnnotation] == ""
		if ds.Name == state.United.Spec.TargetRef.Name && gated && byHand && actions.UpdateTarget == nil {
			actions.UpdateTarget = ds.DeepCopy()
			actions.UpdateTarget.Spec.UpdateStrategy = appsv1.DaemonSetUpdateStrategy{Type: appsv1.RollingUpdateDaemonSetStrategyType}
		}
	}
}
