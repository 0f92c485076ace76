package existing

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/rollcall-conformance/rollcall/framework/cluster"
)

// NodeLabel, with NodeLabelValue, is what the owner of a cluster gives to nodes that a run may use.
const (
	NodeLabel      = "rollcall.dev/nodes"
	NodeLabelValue = "true"
)

// NodeSelector selects the nodes that were set aside.
func NodeSelector() map[string]string { return map[string]string{NodeLabel: NodeLabelValue} }

// labelledNodes returns the nodes set aside, whatever their state. There must be one, unless nodes are simulated.
func (c *Cluster) labelledNodes(ctx context.Context) ([]corev1.Node, error) {
	list, err := c.client.CoreV1().Nodes().List(ctx, metav1.ListOptions{LabelSelector: labels.SelectorFromSet(NodeSelector()).String()})
	if err != nil {
		return nil, fmt.Errorf("look for nodes: %w", err)
	}
	if len(list.Items) == 0 && !c.options.Simulate {
		return nil, unsuitable("no node is set aside: give the label to those that rollcall may use, `kubectl label node NODE %s=%s`", NodeLabel, NodeLabelValue)
	}
	return list.Items, nil
}

// fitNodes returns the names of the nodes set aside, sorted. The error says what is wrong with each that is not fit.
func (c *Cluster) fitNodes(ctx context.Context) ([]string, error) {
	nodes, err := c.labelledNodes(ctx)
	if err != nil {
		return nil, err
	}
	var names []string
	var wrong []error
	for _, node := range nodes {
		names = append(names, node.Name)
		guests, err := c.guests(ctx, node.Name)
		if err != nil {
			return nil, err
		}
		if reasons := unfit(&node, guests); len(reasons) > 0 {
			wrong = append(wrong, fmt.Errorf("node %s cannot be used:\n    %s", node.Name, strings.Join(reasons, "\n    ")))
		}
	}
	if len(wrong) > 0 {
		return nil, Unsuitable{errors.Join(wrong...)}
	}
	slices.Sort(names)
	return names, nil
}

// unfit says what is wrong with a node, given the pods on it that are not part of it, and what to do.
func unfit(node *corev1.Node, guests []corev1.Pod) (reasons []string) {
	if !cluster.IsReady(node) {
		reasons = append(reasons, "it is not Ready")
	}
	if node.Spec.Unschedulable {
		reasons = append(reasons, fmt.Sprintf("it is cordoned: `kubectl uncordon %s`, or take the label %s from it", node.Name, NodeLabel))
	}
	for _, taint := range node.Spec.Taints {
		// A cordoned or unready node has taints that say so once more.
		if taint.Effect == corev1.TaintEffectPreferNoSchedule || strings.HasPrefix(taint.Key, "node.kubernetes.io/") {
			continue
		}
		reasons = append(reasons, fmt.Sprintf("it has the taint %s, which daemons do not tolerate: remove the taint, or the label %s", taint.ToString(), NodeLabel))
	}
	if len(guests) > 0 {
		reasons = append(reasons, fmt.Sprintf(
			"it runs what is not its own: `kubectl drain %s --ignore-daemonsets` and `kubectl uncordon %s`, or label another node; there are", node.Name, node.Name))
		for _, pod := range guests {
			reasons = append(reasons, "    "+describe(&pod))
		}
	}
	return reasons
}

// guests returns the pods on a node that are neither part of it nor ours, nor what a run before left.
func (c *Cluster) guests(ctx context.Context, node string) ([]corev1.Pod, error) {
	ours, err := c.ourNamespaces(ctx)
	if err != nil {
		return nil, err
	}
	list, err := c.client.CoreV1().Pods("").List(ctx, metav1.ListOptions{FieldSelector: "spec.nodeName=" + node})
	if err != nil {
		return nil, fmt.Errorf("look for pods on node %s: %w", node, err)
	}
	return slices.DeleteFunc(list.Items, func(pod corev1.Pod) bool { return ours.Has(pod.Namespace) || partOfNode(&pod) }), nil
}

// ourNamespaces returns the names of the namespaces of runs, this one and those before.
func (c *Cluster) ourNamespaces(ctx context.Context) (sets.Set[string], error) {
	ours := sets.New(namespaceName)
	list, err := c.client.CoreV1().Namespaces().List(ctx, metav1.ListOptions{LabelSelector: c.options.Traces.NamespaceLabel})
	if err != nil {
		return nil, fmt.Errorf("look for namespaces: %w", err)
	}
	for _, namespace := range list.Items {
		ours.Insert(namespace.Name)
	}
	return ours, nil
}

// partOfNode reports whether a pod is there because the node is: a DaemonSet's (network, storage, logs) or a static one. One that has ended is on no node.
func partOfNode(pod *corev1.Pod) bool {
	if pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed {
		return true
	}
	owner := metav1.GetControllerOf(pod)
	return owner != nil && (owner.Kind == "DaemonSet" || owner.Kind == "Node")
}

// describeNodes says which nodes the run uses.
func (c *Cluster) describeNodes() string {
	names := "nodes " + strings.Join(c.nodes, ", ")
	switch {
	case !c.options.Simulate:
		return names
	case len(c.nodes) == 0:
		return "simulated nodes"
	}
	return names + " and simulated ones"
}

func describe(pod *corev1.Pod) string {
	name := "pod " + pod.Namespace + "/" + pod.Name
	if owner := metav1.GetControllerOf(pod); owner != nil {
		return fmt.Sprintf("%s of %s %s", name, owner.Kind, owner.Name)
	}
	return name
}

// checkForeignPods says which pods of others came to the nodes while they were in use. They disturb nothing but measurements of time, and stay.
func (c *Cluster) checkForeignPods(ctx context.Context) error {
	for _, node := range c.nodes {
		guests, err := c.guests(ctx, node)
		if err != nil {
			return err
		}
		for _, pod := range guests {
			c.say("%s came to node %s during the run: what took longer than it should may be its doing", describe(&pod), node)
		}
	}
	return nil
}
