package variants

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
	"github.com/rollcall-conformance/rollcall/impl/inplace"
)

// brokenWakeups are not woken by everything that matters to them.
func brokenWakeups() []Variant {
	return []Variant{
		{Name: "wakes-for-the-node-selector-alone", Says: "Takes no notice of a node's labels that its node selector does not name until something else changes.",
			Breaks: []string{"TARGET-002"}, Planner: remember(wakeForSelector)},
		{Name: "wakes-for-keys-and-effects-of-taints-alone", Says: "Takes no notice of a taint's value until something else changes.",
			Breaks: []string{"SURGE-012"}, Planner: remember(wakeForKeys)},
		{Name: "wakes-for-nodes-that-are-to-run-a-pod", Says: "Takes no notice of a node until something else changes, unless the node is to run a pod now and was not before, or the other way round.",
			Breaks: []string{"TARGET-002"}, Planner: remember(wakeForEligible)},
		{Name: "wakes-for-no-annotation", Says: "Takes no notice of another pod update policy until the spec, the status or a pod changes.",
			Breaks: []string{"INPLACE-002"}, Planner: remember(wakeForNoPolicy)},
		{Name: "detached-pod-wakes-nobody",
			Says:   "Takes no notice, until something else changes, of a pod that has lost its owner and the label that is selected in one write.",
			Breaks: []string{"SURGE-012"}, Planner: remember(wakeForAttached)},
	}
}

// nodesWhenWoken are the labels of nodes, by name, as they were when last something changed that wakes the planner.
type nodesWhenWoken struct {
	wakes  string
	labels map[string]map[string]string
}

func wakeForSelector(m *memory[nodesWhenWoken]) Around {
	return seeing(func(state *plan.State, _ time.Time) {
		seen, wakes := m.of(*state), whatWakes(*state)
		if seen.wakes != wakes {
			*seen = nodesWhenWoken{wakes: wakes, labels: map[string]map[string]string{}}
			for _, node := range state.Nodes {
				seen.labels[node.Name] = node.Labels
			}
			return
		}
		changeNodes(state, func(node *corev1.Node) { node.Labels = maps.Clone(seen.labels[node.Name]) })
	})
}

// taintsWhenWoken are the taints of nodes, by name, as they were when last something changed that wakes the planner.
type taintsWhenWoken struct {
	wakes  string
	taints map[string][]corev1.Taint
}

func wakeForKeys(m *memory[taintsWhenWoken]) Around {
	return seeing(func(state *plan.State, _ time.Time) {
		seen, shown := m.of(*state), *state
		changeNodes(&shown, func(node *corev1.Node) {
			for i := range node.Spec.Taints {
				node.Spec.Taints[i].Value = ""
			}
		})
		wakes := whatWakes(shown)
		if seen.wakes != wakes {
			*seen = taintsWhenWoken{wakes: wakes, taints: map[string][]corev1.Taint{}}
			for _, node := range state.Nodes {
				seen.taints[node.Name] = node.Spec.Taints
			}
			return
		}
		changeNodes(state, func(node *corev1.Node) { node.Spec.Taints = slices.Clone(seen.taints[node.Name]) })
	})
}

// whatWakes are the DaemonSet and its pods in their versions, and what of the nodes concerns their taints and the node selector.
func whatWakes(state plan.State) string {
	words := []string{state.DaemonSet.ResourceVersion}
	for _, pod := range state.Pods {
		words = append(words, fmt.Sprint(pod.UID, pod.ResourceVersion))
	}
	selector := slices.Sorted(maps.Keys(state.DaemonSet.Spec.Template.Spec.NodeSelector))
	for _, node := range state.Nodes {
		word := fmt.Sprint(node.UID, node.Spec.Taints)
		for _, key := range selector {
			word += " " + node.Labels[key]
		}
		words = append(words, word)
	}
	// A cache has no order.
	slices.Sort(words)
	return strings.Join(words, " ")
}

// policyWhenWoken is the pod update policy as it was when last something changed that wakes the planner.
type policyWhenWoken struct{ wakes, policy string }

func wakeForNoPolicy(m *memory[policyWhenWoken]) Around {
	return seeing(func(state *plan.State, _ time.Time) {
		ds := state.DaemonSet
		words := []string{fmt.Sprint(ds.Generation, ds.Status)}
		for _, pod := range state.Pods {
			words = append(words, fmt.Sprint(pod.UID, pod.ResourceVersion))
		}
		// A cache has no order.
		slices.Sort(words)
		seen, wakes := m.of(*state), strings.Join(words, " ")
		if seen.wakes != wakes {
			*seen = policyWhenWoken{wakes: wakes, policy: ds.Annotations[inplace.Policy]}
		}
		if seen.policy != ds.Annotations[inplace.Policy] {
			setPolicy(state, seen.policy)
		}
	})
}

// shownNodes are the nodes as they were when last something changed that wakes the planner.
type shownNodes struct {
	wakes string
	nodes []*corev1.Node
}

func wakeForEligible(m *memory[shownNodes]) Around {
	return seeing(func(state *plan.State, _ time.Time) {
		// Its own status is no change to wake for.
		words := []string{fmt.Sprint(state.DaemonSet.Generation)}
		for _, pod := range state.Pods {
			words = append(words, fmt.Sprint(pod.UID, pod.ResourceVersion))
		}
		// Others' nodes, which come and go, are not to run a pod.
		for _, node := range state.Nodes {
			if eligible, _ := plan.Eligibility(state.DaemonSet, node); eligible {
				words = append(words, string(node.UID))
			}
		}
		// A cache has no order.
		slices.Sort(words)
		seen, wakes := m.of(*state), strings.Join(words, " ")
		if seen.wakes != wakes {
			*seen = shownNodes{wakes: wakes, nodes: state.Nodes}
		}
		state.Nodes = seen.nodes
	})
}

// podsWhenWoken are the pods that the DaemonSet has and selects, as they were when last something changed that wakes the planner.
type podsWhenWoken struct {
	wakes string
	pods  map[types.UID]*corev1.Pod
}

// wakeForAttached asks whose a pod is now, and not whose it was.
func wakeForAttached(m *memory[podsWhenWoken]) Around {
	return seeing(func(state *plan.State, _ time.Time) {
		seen, shown, ds := m.of(*state), *state, state.DaemonSet
		selector, err := metav1.LabelSelectorAsSelector(ds.Spec.Selector)
		if err != nil {
			return
		}
		shown.Pods = slices.Clone(state.Pods)
		for i, pod := range shown.Pods {
			before := seen.pods[pod.UID]
			if before != nil && metav1.GetControllerOfNoCopy(pod) == nil && !selector.Matches(labels.Set(pod.Labels)) {
				shown.Pods[i] = before
			}
		}
		wakes := whatWakes(shown)
		if seen.wakes == wakes {
			state.Pods = shown.Pods
			return
		}
		*seen = podsWhenWoken{wakes: whatWakes(*state), pods: map[types.UID]*corev1.Pod{}}
		for _, pod := range state.Pods {
			if metav1.IsControlledBy(pod, ds) && selector.Matches(labels.Set(pod.Labels)) {
				seen.pods[pod.UID] = pod
			}
		}
	})
}
