package rollouts

import (
	"context"
	"maps"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
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

// OffPool undoes OnPool.
func OffPool() Edit {
	return Edit{Says: "no node selector " + poolLabel, Apply: func(d *appsv1.DaemonSet) {
		d.Spec.Template.Spec.NodeSelector = maps.Clone(d.Spec.Template.Spec.NodeSelector)
		delete(d.Spec.Template.Spec.NodeSelector, poolLabel)
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
