package rollouts

import (
	"context"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// TooLarge makes pods that no node has room for.
func TooLarge() Edit {
	return Edit{Says: "pods ask for a million CPUs", Apply: func(d *appsv1.DaemonSet) {
		d.Spec.Template.Spec.Containers[0].Resources.Requests = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1M")}
	}}
}

// Fitting takes back what TooLarge asks for.
func Fitting() Edit {
	return Edit{Says: "pods ask for no CPUs", Apply: func(d *appsv1.DaemonSet) { d.Spec.Template.Spec.Containers[0].Resources.Requests = nil }}
}

// Unscheduled is Stall to v2, whose pods wait for the scheduler, since no node has room for one.
func Unscheduled(ctx context.Context, c *spec.Case, daemonSet *appsv1.DaemonSet, nodes int, also ...Condition) *appsv1.DaemonSet {
	updated := c.Update(ctx, daemonSet, Image("v2"), TooLarge())
	Settle(ctx, c, updated, UpdatedOn(nodes, updated), also...)
	NeedsScheduler(ctx, c, updated)
	return updated
}

// NeedsScheduler ends a scenario of updated pods that wait for the scheduler where one of them has its node: of who binds pods itself none waits.
func NeedsScheduler(ctx context.Context, c *spec.Case, daemonSet *appsv1.DaemonSet) {
	bound := false
	c.Look(ctx, func(cluster *history.Cluster) {
		bound = slices.ContainsFunc(cluster.UpdatedPods(daemonSet), func(pod *corev1.Pod) bool { return pod.Spec.NodeName != "" })
	})
	if bound {
		c.NotPossible("the implementation binds pods to nodes itself, so none of them waits for the scheduler")
	}
}
