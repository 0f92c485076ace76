package variants

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/rollcall-conformance/rollcall/impl/united/plan"
)

// brokenUnitedNames take what has the same name for the same.
func brokenUnitedNames() []Variant {
	return []Variant{
		{Name: "united-labels-nodes-by-the-targets-name", Says: "Labels nodes by a key in which only the target's name is, whatever its namespace.",
			Breaks: []string{"UNITED-027"}, United: shareKeys},
		{Name: "united-names-subsets-in-full", Says: "Names the DaemonSet of a subset after both names in full, and labels it so, however long these are.",
			Breaks: []string{"UNITED-015"},
			United: uniting(func(actions *plan.Actions, state plan.State) {
				for i, write := range actions.Subsets {
					if full := state.United.Name + "-" + write.Subset; len(full) > validation.LabelValueMaxLength {
						ds := write.DaemonSet.DeepCopy()
						ds.Name, ds.Labels[plan.DaemonSetLabel] = full, full
						actions.Subsets[i].DaemonSet = ds
					}
				}
			})},
		{Name: "united-names-subsets-by-both-names", Says: "Names the DaemonSet of a subset after both names, with nothing that tells apart what makes the same.",
			Breaks: []string{"UNITED-008"}, United: joinNames},
		{Name: "united-labels-each-node-by-itself", Says: "Gives the nodes of a subset labels of which no two are the same, and lists them all in the affinity of its DaemonSet.",
			Breaks: []string{"UNITED-011"}, United: labelEachNode},
	}
}

// joinNames has the planner see and write DaemonSets of subsets under the two names, put together.
func joinNames(next plan.Planner) plan.Planner {
	return func(state plan.State, now time.Time) plan.Actions {
		rename := func(ds *appsv1.DaemonSet, joining bool) *appsv1.DaemonSet {
			for _, subset := range state.United.Spec.Subsets {
				own, joined := strconv.Quote(plan.DaemonSetName(state.United.Name, subset.Name)), strconv.Quote(state.United.Name+"-"+subset.Name)
				if joining {
					ds = translated(ds, own, joined)
				} else {
					ds = translated(ds, joined, own)
				}
			}
			return ds
		}
		state.DaemonSets = slices.Clone(state.DaemonSets)
		for i, ds := range state.DaemonSets {
			state.DaemonSets[i] = rename(ds, false)
		}
		actions := next(state, now)
		for i, write := range actions.Subsets {
			actions.Subsets[i].DaemonSet = rename(write.DaemonSet, true)
		}
		for i, ds := range actions.Delete {
			actions.Delete[i] = rename(ds, true)
		}
		return actions
	}
}

// shareKeys has the planner see and write the keys of node labels with another namespace in them than the target's: the same for all.
func shareKeys(next plan.Planner) plan.Planner {
	return func(state plan.State, now time.Time) plan.Actions {
		target := state.United.Spec.TargetRef.Name
		own, shared := plan.KeysOf(state.United.Namespace, target), plan.KeysOf("all", target)
		nodes := map[string]*corev1.Node{}
		state.Nodes = slices.Clone(state.Nodes)
		for i, node := range state.Nodes {
			nodes[node.Name] = node
			node = node.DeepCopy()
			node.Labels = translated(node.Labels, shared.Home, own.Home)
			state.Nodes[i] = node
		}
		state.DaemonSets = slices.Clone(state.DaemonSets)
		for i, ds := range state.DaemonSets {
			state.DaemonSets[i] = translated(ds, shared.Home, own.Home)
		}
		state.Revisions = slices.Clone(state.Revisions)
		for i, revision := range state.Revisions {
			state.Revisions[i] = translated(revision, shared.Home, own.Home)
		}
		actions := next(state, now)
		for i, labels := range actions.LabelNodes {
			actions.LabelNodes[i] = plan.NodeLabels{Node: nodes[labels.Node.Name], Labels: translated(labels.Labels, own.Home, shared.Home)}
		}
		for i := range actions.Subsets {
			actions.Subsets[i].DaemonSet = translated(actions.Subsets[i].DaemonSet, own.Home, shared.Home)
		}
		if actions.UpdateTarget != nil {
			actions.UpdateTarget = translated[*appsv1.DaemonSet](actions.UpdateTarget, own.Home, shared.Home)
		}
		return actions
	}
}

// translated returns a copy of the object with another key wherever the one is. Every key of incoming members has that of the home in it.
func translated[T any](object T, from, to string) T {
	var result T
	encoded, err := json.Marshal(object)
	if err == nil {
		err = json.Unmarshal([]byte(strings.ReplaceAll(string(encoded), from, to)), &result)
	}
	if err != nil {
		// What comes from an API server can be encoded and decoded. An empty object would break promises that the variant is not about.
		panic(fmt.Errorf("put %q in the place of %q in %T: %w", to, from, object, err))
	}
	return result
}
