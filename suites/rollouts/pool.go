package rollouts

import (
	"context"
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// poolLabel is the label of the nodes that DaemonSets with OnPool select.
const poolLabel, pool = "rollcall.dev/pool", "daemons"

// OnPool makes the DaemonSet want pods on the nodes of the pool only.
func OnPool() Edit {
	return Edit{Says: "node selector " + poolLabel, Apply: func(d *appsv1.DaemonSet) {
		// The map may be shared with the template before.
		selector := map[string]string{poolLabel: pool}
		for key, value := range d.Spec.Template.Spec.NodeSelector {
			selector[key] = value
		}
		d.Spec.Template.Spec.NodeSelector = selector
	}}
}

// InPool makes a new node one of the pool.
func InPool(node *corev1.Node) { metav1.SetMetaDataLabel(&node.ObjectMeta, poolLabel, pool) }

// JoinPool adds the nodes to the pool.
func JoinPool(ctx context.Context, c *spec.Case, nodes ...string) {
	for _, node := range nodes {
		c.EditNode(ctx, history.LabelNode, node, InPool)
	}
}

// LeavePool takes the nodes out of the pool.
func LeavePool(ctx context.Context, c *spec.Case, nodes ...string) {
	for _, node := range nodes {
		c.EditNode(ctx, history.LabelNode, node, OutOfPool)
	}
}

// OutOfPool makes a node one that is not of the pool.
func OutOfPool(node *corev1.Node) { delete(node.Labels, poolLabel) }

// Remove deletes the Node object. Its pods stay for as long as the pod garbage collector takes to notice.
func Remove(ctx context.Context, c *spec.Case, name string) {
	err := c.Do(ctx, history.Stimulus{Act: history.DeleteNode, Kind: history.KindNode, Name: name, Node: name}, func(ctx context.Context) error {
		return c.Client().CoreV1().Nodes().Delete(ctx, name, metav1.DeleteOptions{GracePeriodSeconds: new(int64)})
	})
	if err != nil {
		c.CannotDecide(fmt.Sprintf("harness: %s %s: %v", history.DeleteNode, name, err))
	}
	c.Require(ctx, "the node is gone", state.When("node "+name+" is gone", func(cluster *history.Cluster) bool { return cluster.Nodes[name] == nil }))
}

// Register creates the Node object again that was removed, with no more than it had when it was read.
func Register(ctx context.Context, c *spec.Case, read *corev1.Node) {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: read.Name, Labels: read.Labels}, Spec: corev1.NodeSpec{Taints: read.Spec.Taints}}
	err := c.Do(ctx, history.Stimulus{Act: history.AddNode, Kind: history.KindNode, Name: node.Name, Node: node.Name}, func(ctx context.Context) error {
		_, err := c.Client().CoreV1().Nodes().Create(ctx, node, metav1.CreateOptions{})
		return err
	})
	if err != nil {
		c.CannotDecide(fmt.Sprintf("harness: %s %s: %v", history.AddNode, node.Name, err))
	}
	c.Require(ctx, "the node is Ready again", state.When("node "+node.Name+" is Ready", func(cluster *history.Cluster) bool {
		now := cluster.Nodes[node.Name]
		return now != nil && history.NodeReady(now) && !slices.ContainsFunc(now.Spec.Taints, func(taint corev1.Taint) bool { return taint.Key == corev1.TaintNodeNotReady })
	}))
}
