package variants

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/rollcall-conformance/rollcall/impl/united/plan"
)

// labelEachNode has the planner see and write the values of node labels with something of the node's own at their end, and affinities with all of these.
func labelEachNode(next plan.Planner) plan.Planner {
	return func(state plan.State, now time.Time) plan.Actions {
		keys := plan.KeysOf(state.United.Namespace, state.United.Spec.TargetRef.Name)
		keyed := []string{keys.Home, keys.Incoming}
		nodes := map[string]*corev1.Node{}
		var all []string
		state.Nodes = slices.Clone(state.Nodes)
		for i, node := range state.Nodes {
			nodes[node.Name] = node
			all = append(all, node.Name)
			node = node.DeepCopy()
			for _, key := range keyed {
				if value, labelled := node.Labels[key]; labelled {
					node.Labels[key] = shared(value)
				}
			}
			state.Nodes[i] = node
		}
		everyOwn := func(values []string) []string {
			var every []string
			for _, node := range all {
				every = append(every, own(values[0], node))
			}
			return every
		}
		one := func(values []string) []string { return []string{shared(values[0])} }
		state.DaemonSets = slices.Clone(state.DaemonSets)
		for i, ds := range state.DaemonSets {
			state.DaemonSets[i] = withValues(ds, keyed, one)
		}
		state.Revisions = slices.Clone(state.Revisions)
		for i, revision := range state.Revisions {
			state.Revisions[i] = withValues(revision, keyed, one)
		}
		actions := next(state, now)
		for i, labels := range actions.LabelNodes {
			actions.LabelNodes[i] = plan.NodeLabels{Node: nodes[labels.Node.Name], Labels: map[string]*string{}}
			for key, value := range labels.Labels {
				if value != nil {
					its := own(*value, labels.Node.Name)
					value = &its
				}
				actions.LabelNodes[i].Labels[key] = value
			}
		}
		for i := range actions.Subsets {
			actions.Subsets[i].DaemonSet = withValues(actions.Subsets[i].DaemonSet, keyed, everyOwn)
		}
		if actions.UpdateTarget != nil {
			actions.UpdateTarget = withValues(actions.UpdateTarget, keyed, everyOwn)
		}
		return actions
	}
}

// ownLength is that of what is a node's own in a value.
const ownLength = 9

// own is the value with something of the node's own at its end, if that is not too long.
func own(value, node string) string {
	if len(value)+ownLength > validation.LabelValueMaxLength {
		return value
	}
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(node))
	return fmt.Sprintf("%s.%08x", value, hash.Sum32())
}

// shared is the inverse of own: values that are nobody's own have no dots.
func shared(value string) string {
	if at := len(value) - ownLength; at > 0 && value[at] == '.' {
		return value[:at]
	}
	return value
}

// withValues returns a copy of the object with other values wherever one of the keys is asked for.
func withValues[T any](object *T, keys []string, values func([]string) []string) *T {
	var result T
	var tree any
	encoded, err := json.Marshal(object)
	if err == nil {
		err = json.Unmarshal(encoded, &tree)
	}
	if err == nil {
		encoded, err = json.Marshal(revalued(tree, keys, values))
	}
	if err == nil {
		err = json.Unmarshal(encoded, &result)
	}
	if err != nil {
		// What comes from an API server can be encoded and decoded. An empty object would break promises that the variant is not about.
		panic(fmt.Errorf("put other values into %T: %w", object, err))
	}
	return &result
}

// revalued changes, and returns, a part of what withValues changes.
func revalued(tree any, keys []string, values func([]string) []string) any {
	switch part := tree.(type) {
	case []any:
		for i := range part {
			part[i] = revalued(part[i], keys, values)
		}
	case map[string]any:
		key, _ := part["key"].(string)
		before, _ := part["values"].([]any)
		if slices.Contains(keys, key) && len(before) > 0 {
			var read []string
			for _, value := range before {
				read = append(read, fmt.Sprint(value))
			}
			part["values"] = values(read)
			return part
		}
		for name := range part {
			part[name] = revalued(part[name], keys, values)
		}
	}
	return tree
}
