// Package drain has the specs of cordoned and drained nodes, and of pods that somebody else takes down while no rollout is under way.
package drain

import (
	"context"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// Specs registers the family.
func Specs() {
	cordon()
	handOff()
	several()
	drains()
	budget()
	finished()
	taints()
}

// What scenarios choose.
const (
	kept      = "the node that is cordoned"
	joined    = "the node that joins cordoned"
	lingering = "the nodes whose pods linger"
	emptied   = "the nodes that are emptied"
)

// handOffTime is how long pods take to go where they are not held: longer than a controller may be late.
const handOffTime = 3 * time.Second

// deleteGracefully deletes the pod with the grace period of its template.
func deleteGracefully(ctx context.Context, c *spec.Case, pod *corev1.Pod) {
	c.DeletePod(ctx, pod, time.Duration(*pod.Spec.TerminationGracePeriodSeconds)*time.Second)
}

// deployLingering deploys the DaemonSet to two nodes, on which its pods stay terminating until a lever releases them.
func deployLingering(ctx context.Context, c *spec.Case, edits ...Edit) (daemonSet *appsv1.DaemonSet, pods []*corev1.Pod) {
	c.Bind(lingering, c.AddNodes(ctx, 2)...)
	daemonSet = c.Deploy(ctx, append(edits, IgnoreSIGTERM())...)
	return daemonSet, c.LivePods(ctx, daemonSet)
}

// replaced holds when the node of the pod has a live one with these traits that is another.
func replaced(daemonSet *appsv1.DaemonSet, pod *corev1.Pod, traits ...Trait) Condition {
	node := history.NodeOf(pod)
	return state.When("node "+node+" has another live pod than "+pod.Name, func(cluster *history.Cluster) bool {
		return slices.ContainsFunc(cluster.PodsOn(daemonSet.UID, node), func(other *corev1.Pod) bool {
			return other.UID != pod.UID && history.IsLive(other) && !slices.ContainsFunc(traits, func(is Trait) bool { return !is(other) })
		})
	})
}

// after is the creation of a pod on the node once the harness has done this.
func after(act history.Act, node string) Event {
	return After(PodCreated().On(node), Began(act))
}
