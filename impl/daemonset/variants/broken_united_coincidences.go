package variants

import (
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	daemons "github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
	"github.com/rollcall-conformance/rollcall/impl/united/api"
	"github.com/rollcall-conformance/rollcall/impl/united/plan"
)

// brokenUnitedCoincidences are right as long as one thing happens at a time: it takes two to show them.
func brokenUnitedCoincidences() []Variant {
	return []Variant{
		{Name: "united-ends-moves-where-they-were-to-end", Says: "Gives a node that is between two members to the subset that was to have it when the move began, and moves it on from there.",
			Breaks: []string{"UNITED-008"}, United: endWhereItWasTo},
		{Name: "united-paces-what-it-gives-back-apart", Says: "Has as many nodes on their way back to the target at once as the target allows, beside those on their way to subsets.",
			Breaks: []string{"UNITED-027"}, United: paceApart},
	}
}

// paceApart plans the moves to subsets as if no node were on its way to the target, and the other way round.
func paceApart(next plan.Planner) plan.Planner {
	return func(state plan.State, now time.Time) plan.Actions {
		actions := next(state, now)
		home := homes(state).Home
		toSubset := func(node *corev1.Node) bool {
			return state.United.DeletionTimestamp == nil && len(selecting(state.United, node)) > 0
		}
		actions.LabelNodes = nil
		for _, direction := range []bool{true, false} {
			part := state
			part.Nodes = slices.DeleteFunc(slices.Clone(state.Nodes), func(node *corev1.Node) bool {
				return toSubset(node) != direction && node.Labels[home] == ""
			})
			for _, labels := range next(part, now).LabelNodes {
				if toSubset(labels.Node) == direction {
					actions.LabelNodes = append(actions.LabelNodes, labels)
				}
			}
		}
		return actions
	}
}

// traveller is a node of a family.
type traveller struct{ united, node types.UID }

// arrival is when a node came to a subset that it does not belong to any more.
type arrival struct {
	subset string
	at     time.Time
}

// arrivalLasts is how long a node waits at most for a pod of the subset that it came to.
const arrivalLasts = 10 * time.Second

// endWhereItWasTo remembers of nodes to which subset they set out.
func endWhereItWasTo(next plan.Planner) plan.Planner {
	var mu sync.Mutex
	aims, arrivals := map[traveller]string{}, map[traveller]arrival{}
	return func(state plan.State, now time.Time) plan.Actions {
		mu.Lock()
		defer mu.Unlock()
		actions := next(state, now)
		if state.United.DeletionTimestamp != nil {
			return actions
		}
		home := homes(state).Home
		var all []plan.NodeLabels
		for _, labels := range actions.LabelNodes {
			key, is := traveller{state.United.UID, labels.Node.UID}, labels.Node.Labels[home]
			to, changes := labels.Labels[home]
			came := arrivals[key]
			switch left := came.at.Add(arrivalLasts).Sub(now); {
			case is == "" && to != nil:
				// It is to be done again if the node is not as it was seen.
				if aim := aims[key]; aim != *to && specified(state, aim) && subsetNamed(state, aim) != nil {
					arrivals[key] = arrival{subset: aim, at: now}
					labels.Labels = map[string]*string{home: &aim}
				}
			case is != "" && is == came.subset && left > 0 && !servesThere(state, is, labels.Node.Name):
				if actions.Again == 0 || left < actions.Again {
					actions.Again = left
				}
				continue
			case is != "" && changes && to == nil:
				delete(arrivals, key)
				aims[key] = firstSubset(state, labels.Node)
			}
			all = append(all, labels)
		}
		actions.LabelNodes = all
		return actions
	}
}

// firstSubset is the first that selects the node; empty if none does.
func firstSubset(state plan.State, node *corev1.Node) string {
	if all := selecting(state.United, node); len(all) > 0 {
		return state.United.Spec.Subsets[all[0]].Name
	}
	return ""
}

// specified reports whether the UnitedDaemonSet has the subset.
func specified(state plan.State, name string) bool {
	return slices.ContainsFunc(state.United.Spec.Subsets, func(subset api.Subset) bool { return subset.Name == name })
}

// servesThere reports whether the subset has a pod on the node, whatever its state.
func servesThere(state plan.State, subset, node string) bool {
	ds := subsetNamed(state, subset)
	return ds != nil && slices.ContainsFunc(state.Pods, func(pod *corev1.Pod) bool {
		return metav1.IsControlledBy(pod, ds) && daemons.TargetNode(pod) == node
	})
}
