//go:build !windows

package embedded

import (
	"context"
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/util/retry"
	nodeutil "k8s.io/component-helpers/node/util"
	"sigs.k8s.io/e2e-framework/support"

	"github.com/rollcall-conformance/rollcall/framework/cluster"
)

// AddNode simulates one more node and waits until pods can be scheduled to it. Pods on it become Ready without running anything; annotations
// steer them (package stages). The node needs a name; a role becomes the label kubectl shows. There are no arguments.
func (p *Provider) AddNode(ctx context.Context, node *support.Node, args ...string) error {
	if err := p.nodeOperation(support.AddNode, node, args); err != nil {
		return err
	}
	object := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: node.Name, Labels: map[string]string{
		NodeLabel:              NodeLabelValue,
		corev1.LabelHostname:   node.Name,
		corev1.LabelOSStable:   "linux",
		corev1.LabelArchStable: "amd64",
	}}}
	if node.Role != "" {
		object.Labels[cluster.RolePrefix+node.Role] = ""
	}
	if _, err := p.client.CoreV1().Nodes().Create(ctx, object, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("add node %s: %w", node.Name, err)
	}
	return p.awaitNode(ctx, node.Name, "to be schedulable", schedulable)
}

// RemoveNode removes a node for good; Kubernetes deletes its pods in its own time. There are no arguments.
func (p *Provider) RemoveNode(ctx context.Context, node *support.Node, args ...string) error {
	if err := p.nodeOperation(support.RemoveNode, node, args); err != nil {
		return err
	}
	if err := p.client.CoreV1().Nodes().Delete(ctx, node.Name, metav1.DeleteOptions{}); err != nil {
		return fmt.Errorf("remove node %s: %w", node.Name, err)
	}
	return nil
}

// StopNode makes the node's Ready condition Unknown, as Kubernetes does when it no longer hears from a node, and waits until it is tainted as
// unreachable. There are no arguments.
func (p *Provider) StopNode(ctx context.Context, node *support.Node, args ...string) error {
	if err := p.nodeOperation(support.StopNode, node, args); err != nil {
		return err
	}
	if err := p.setReady(ctx, node.Name, corev1.ConditionUnknown, "NodeStatusUnknown"); err != nil {
		return fmt.Errorf("stop node %s: %w", node.Name, err)
	}
	return p.awaitNode(ctx, node.Name, "to be tainted as unreachable", func(node *corev1.Node) bool {
		return tainted(node, corev1.TaintNodeUnreachable)
	})
}

// StartNode makes a stopped node Ready again and waits until pods can be scheduled to it. There are no arguments.
func (p *Provider) StartNode(ctx context.Context, node *support.Node, args ...string) error {
	if err := p.nodeOperation(support.StartNode, node, args); err != nil {
		return err
	}
	if err := p.setReady(ctx, node.Name, corev1.ConditionTrue, "KubeletReady"); err != nil {
		return fmt.Errorf("start node %s: %w", node.Name, err)
	}
	return p.awaitNode(ctx, node.Name, "to be schedulable", schedulable)
}

// ListNode returns the simulated nodes by name, with their state, NodeReady or NodeNotReady. There are no arguments.
func (p *Provider) ListNode(ctx context.Context, args ...string) ([]support.Node, error) {
	if err := p.running(); err != nil {
		return nil, err
	}
	if len(args) > 0 {
		return nil, fmt.Errorf("list nodes: it takes no arguments, got %q", args)
	}
	list, err := p.client.CoreV1().Nodes().List(ctx, metav1.ListOptions{LabelSelector: labels.Set{NodeLabel: NodeLabelValue}.String()})
	if err != nil {
		return nil, fmt.Errorf("list nodes: %w", err)
	}
	nodes := make([]support.Node, 0, len(list.Items))
	for _, object := range list.Items {
		nodes = append(nodes, cluster.E2ENode(&object, p.name))
	}
	return nodes, nil
}

// nodeOperation checks what all operations on a node have in common.
func (p *Provider) nodeOperation(operation support.NodeOperation, node *support.Node, args []string) error {
	if err := p.running(); err != nil {
		return err
	}
	return cluster.CheckNodeOperation(operation, node, args)
}

func (p *Provider) setReady(ctx context.Context, name string, status corev1.ConditionStatus, reason string) error {
	nodes := p.client.CoreV1().Nodes()
	return retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		node, err := nodes.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		_, condition := nodeutil.GetNodeCondition(&node.Status, corev1.NodeReady)
		if condition == nil {
			return errors.New("it has no Ready condition: nobody simulates it")
		}
		if condition.Status == status {
			return nil
		}
		condition.Status, condition.Reason, condition.LastTransitionTime = status, reason, metav1.Now()
		_, err = nodes.UpdateStatus(ctx, node, metav1.UpdateOptions{})
		return err
	})
}

func (p *Provider) awaitNode(ctx context.Context, name, what string, holds func(*corev1.Node) bool) error {
	var last *corev1.Node
	err := wait.PollUntilContextTimeout(ctx, pollInterval, startTimeout, true, func(ctx context.Context) (bool, error) {
		node, err := p.client.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return false, errors.New("somebody deleted it")
		}
		if err != nil {
			return false, err
		}
		last = node
		return holds(node), nil
	})
	if err != nil && last != nil {
		return fmt.Errorf("wait for node %s %s: %w; its taints are %v, its conditions %v", name, what, err, last.Spec.Taints, last.Status.Conditions)
	}
	if err != nil {
		return fmt.Errorf("wait for node %s %s: %w", name, what, err)
	}
	return nil
}

// schedulable reports whether a pod without tolerations may go there.
func schedulable(node *corev1.Node) bool {
	return cluster.IsReady(node) && !tainted(node, corev1.TaintNodeNotReady) && !tainted(node, corev1.TaintNodeUnreachable)
}

func tainted(node *corev1.Node, key string) bool {
	return slices.ContainsFunc(node.Spec.Taints, func(taint corev1.Taint) bool { return taint.Key == key })
}
