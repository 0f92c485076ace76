package rollouts

import (
	"context"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// ClosedTaint is the key of the taint that makes a node ineligible; it has no value.
const ClosedTaint = "rollcall.dev/closed"

// Taint makes a node ineligible without driving its pods away.
func Taint(node *corev1.Node) {
	node.Spec.Taints = append(node.Spec.Taints, corev1.Taint{Key: ClosedTaint, Effect: corev1.TaintEffectNoSchedule})
}

// Untaint makes a node eligible again.
func Untaint(node *corev1.Node) {
	node.Spec.Taints = slices.DeleteFunc(node.Spec.Taints, func(taint corev1.Taint) bool { return taint.Key == ClosedTaint })
}

// Tolerate makes pods tolerate the taint.
func Tolerate() Edit {
	return Edit{Says: "tolerates " + ClosedTaint, Apply: func(d *appsv1.DaemonSet) {
		spec := &d.Spec.Template.Spec
		spec.Tolerations = append(slices.DeleteFunc(slices.Clone(spec.Tolerations), ofClosed), corev1.Toleration{Key: ClosedTaint, Operator: corev1.TolerationOpExists})
	}}
}

// TolerateNoLonger makes pods not tolerate the taint.
func TolerateNoLonger() Edit {
	return Edit{Says: "does not tolerate " + ClosedTaint, Apply: func(d *appsv1.DaemonSet) {
		spec := &d.Spec.Template.Spec
		spec.Tolerations = slices.DeleteFunc(slices.Clone(spec.Tolerations), ofClosed)
	}}
}

func ofClosed(toleration corev1.Toleration) bool { return toleration.Key == ClosedTaint }

// TaintNodes makes the nodes ineligible, one after the other.
func TaintNodes(ctx context.Context, c *spec.Case, nodes ...string) {
	for _, node := range nodes {
		c.EditNode(ctx, history.TaintNode, node, Taint)
	}
}

// UntaintNodes makes the nodes eligible again.
func UntaintNodes(ctx context.Context, c *spec.Case, nodes ...string) {
	for _, node := range nodes {
		c.EditNode(ctx, history.UntaintNode, node, Untaint)
	}
}
