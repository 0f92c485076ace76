package rollouts

import (
	"context"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// Demand makes pods ask for that much CPU, of which a simulated node has 8.
func Demand(cpu string) Edit {
	return Edit{Says: "pods ask for " + cpu + " CPUs", Apply: func(d *appsv1.DaemonSet) {
		d.Spec.Template.Spec.Containers[0].Resources.Requests = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu)}
	}}
}

// TooLarge makes pods that no node has room for.
func TooLarge() Edit { return Demand("1M") }

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

// NeedsScheduler ends a scenario of updated pods that wait for the scheduler, on those nodes or on any, where one of them is bound: of who binds pods itself
// none waits.
func NeedsScheduler(ctx context.Context, c *spec.Case, daemonSet *appsv1.DaemonSet, nodes ...string) {
	needsScheduler(ctx, c, func(cluster *history.Cluster) bool {
		return slices.ContainsFunc(cluster.UpdatedPods(daemonSet), func(pod *corev1.Pod) bool {
			return pod.Spec.NodeName != "" && (len(nodes) == 0 || slices.Contains(nodes, pod.Spec.NodeName))
		})
	})
}

// NeedsPortsKept is NeedsScheduler at the beginning of a scenario whose old pods have the ports of the updated ones: without an old pod beside it, an updated
// one gets its node from the scheduler, too.
func NeedsPortsKept(ctx context.Context, c *spec.Case, daemonSet *appsv1.DaemonSet) {
	c.Await(ctx, state.Any(UpdatedOn(1, daemonSet), Quiet(spec.AtOnce)))
	needsScheduler(ctx, c, func(cluster *history.Cluster) bool {
		return slices.ContainsFunc(cluster.UpdatedPods(daemonSet), func(pod *corev1.Pod) bool {
			return pod.Spec.NodeName != "" && len(cluster.PodsOn(daemonSet.UID, pod.Spec.NodeName)) > 1
		})
	})
}

func needsScheduler(ctx context.Context, c *spec.Case, bound func(*history.Cluster) bool) {
	found := false
	c.Look(ctx, func(cluster *history.Cluster) { found = bound(cluster) })
	if found {
		c.NotPossible("the implementation binds pods to nodes itself, so none of them waits for the scheduler")
	}
}
