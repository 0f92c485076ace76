package rollouts

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	. "github.com/rollcall-conformance/rollcall/framework/scenario"
)

// TolerateDown keeps nodes eligible that are down. What they are tainted with has two effects, of which pods of a DaemonSet tolerate one by themselves.
func TolerateDown() Edit {
	return Tolerating(corev1.Toleration{Key: corev1.TaintNodeUnreachable, Operator: corev1.TolerationOpExists})
}

// Full makes a node that is added one without room for any pod: the scheduler binds none to it.
func Full(node *corev1.Node) {
	node.Status.Allocatable = corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse("1"), corev1.ResourceMemory: resource.MustParse("1Gi"), corev1.ResourcePods: resource.MustParse("0"),
	}
	node.Status.Capacity = node.Status.Allocatable
}
