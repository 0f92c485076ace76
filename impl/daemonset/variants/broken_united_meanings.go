package variants

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"slices"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/strategicpatch"

	"github.com/rollcall-conformance/rollcall/impl/united/api"
	"github.com/rollcall-conformance/rollcall/impl/united/plan"
)

// brokenUnitedMeanings are of an author who knows the documents and the reference alone: each is right as long as a patch keeps its meaning, and the target
// has a selector as most have.
func brokenUnitedMeanings() []Variant {
	return []Variant{
		{Name: "united-takes-back-what-the-target-has-caught-up",
			Says:   "Gives the nodes of a subset back to the target when the target's template has become what the patch makes of it.",
			Breaks: []string{"UNITED-031"}, United: takeBackCaughtUp},
		{Name: "united-marks-pods-with-the-patch",
			Says:   "Has a digest of the patch in an annotation of a subset's pods, which changes also where the patch means the same as before.",
			Breaks: []string{"UNITED-031"}, United: markWithPatch},
		{Name: "united-knows-selectors-by-match-labels",
			Says:   "Leaves the matchExpressions of the target's selector out, for what a patch must not change and for the selectors of subsets.",
			Breaks: []string{"UNITED-038"}, United: knowMatchLabels},
	}
}

// takeBackCaughtUp moves nodes of subsets whose patches change nothing as if there were no such subset. It begins so with a node that is such a subset's, and
// goes on until the node is somebody else's.
func takeBackCaughtUp(next plan.Planner) plan.Planner {
	var mu sync.Mutex
	taken := sets.New[traveller]()
	return func(state plan.State, now time.Time) plan.Actions {
		mu.Lock()
		defer mu.Unlock()
		actions := next(state, now)
		if state.United.DeletionTimestamp != nil {
			return actions
		}
		shown, caughtUp := withoutCaughtUp(state)
		home := homes(state).Home
		for _, node := range state.Nodes {
			switch member := node.Labels[home]; {
			case caughtUp.Has(member):
				taken.Insert(traveller{state.United.UID, node.UID})
			case member != "":
				taken.Delete(traveller{state.United.UID, node.UID})
			}
		}
		isTaken := func(labels plan.NodeLabels) bool { return taken.Has(traveller{state.United.UID, labels.Node.UID}) }
		actions.LabelNodes = slices.DeleteFunc(slices.Clone(actions.LabelNodes), isTaken)
		if len(actions.LabelNodes) > 0 {
			// The other nodes first: together they would be too many.
			return actions
		}
		for _, labels := range next(shown, now).LabelNodes {
			if isTaken(labels) {
				actions.LabelNodes = append(actions.LabelNodes, labels)
			}
		}
		return actions
	}
}

// withoutCaughtUp leaves subsets out whose patches change nothing, unless another subset selects one of their nodes, and returns their names.
func withoutCaughtUp(state plan.State) (plan.State, sets.Set[string]) {
	var kept []api.Subset
	caughtUp := sets.New[string]()
	for i, subset := range state.United.Spec.Subsets {
		shared := slices.ContainsFunc(state.Nodes, func(node *corev1.Node) bool {
			all := selecting(state.United, node)
			return len(all) > 1 && slices.Contains(all, i)
		})
		if shared || !changesNothing(state, subset) {
			kept = append(kept, subset)
			continue
		}
		caughtUp.Insert(subset.Name)
	}
	state.United = state.United.DeepCopy()
	state.United.Spec.Subsets = kept
	return state, caughtUp
}

// changesNothing reports whether the subset's template is the target's. It is not where there is no target, or the patch cannot be applied.
func changesNothing(state plan.State, subset api.Subset) bool {
	target := targetOf(state)
	switch {
	case target == nil:
		return false
	case subset.Patch.Template == nil:
		return true
	}
	template := plan.Ungate(&target.Spec.Template, homes(state))
	// It can be encoded as it was decoded.
	before, _ := json.Marshal(template)
	after, err := strategicpatch.StrategicMergePatch(before, subset.Patch.Template.Raw, corev1.PodTemplateSpec{})
	if err != nil {
		return false
	}
	var patched corev1.PodTemplateSpec
	return json.Unmarshal(after, &patched) == nil && apiequality.Semantic.DeepEqual(&patched, template)
}

// patchAnnotation tells by which patch a pod was made.
const patchAnnotation = "example.org/patch"

// markWithPatch shows every patch that changes something with an annotation of its own text.
func markWithPatch(next plan.Planner) plan.Planner {
	return func(state plan.State, now time.Time) plan.Actions {
		united := state.United.DeepCopy()
		for i, subset := range state.United.Spec.Subsets {
			if subset.Patch.Template != nil && !changesNothing(state, subset) {
				united.Spec.Subsets[i].Patch.Template = marked(subset.Patch.Template)
			}
		}
		state.United = united
		return next(state, now)
	}
}

// marked returns the patch with the annotation; as it is where it has something else than objects on the way there.
func marked(patch *runtime.RawExtension) *runtime.RawExtension {
	var fields map[string]any
	if json.Unmarshal(patch.Raw, &fields) != nil || fields == nil {
		return patch
	}
	metadata, plain := objectIn(fields, "metadata")
	if !plain {
		return patch
	}
	annotations, plain := objectIn(metadata, "annotations")
	if !plain {
		return patch
	}
	sum := fnv.New64a()
	// It never fails.
	_, _ = sum.Write(patch.Raw)
	annotations[patchAnnotation] = fmt.Sprintf("%x", sum.Sum64())
	// It can be encoded as it was decoded.
	encoded, _ := json.Marshal(fields)
	return &runtime.RawExtension{Raw: encoded}
}

// objectIn returns the object in the field, an empty one that it puts there if there is none, and whether there is nothing else.
func objectIn(fields map[string]any, name string) (object map[string]any, plain bool) {
	value, found := fields[name]
	if !found {
		object = map[string]any{}
		fields[name] = object
		return object, true
	}
	object, plain = value.(map[string]any)
	return object, plain
}

// knowMatchLabels shows the target's selector without its matchExpressions, and writes the selector that the target has.
func knowMatchLabels(next plan.Planner) plan.Planner {
	return func(state plan.State, now time.Time) plan.Actions {
		target := targetOf(state)
		if target == nil || target.Spec.Selector == nil || len(target.Spec.Selector.MatchExpressions) == 0 {
			return next(state, now)
		}
		shown := target.DeepCopy()
		shown.Spec.Selector.MatchExpressions = nil
		state.DaemonSets = slices.Clone(state.DaemonSets)
		state.DaemonSets[slices.IndexFunc(state.DaemonSets, func(ds *appsv1.DaemonSet) bool { return ds == target })] = shown
		actions := next(state, now)
		if update := actions.UpdateTarget; update != nil {
			update.Spec.Selector = target.Spec.Selector.DeepCopy()
		}
		return actions
	}
}
