// Package unready has the specs of old pods that are lost while a rollout with maxSurge is under way: their nodes get updated pods at once, whatever the
// limit. The rollouts here stand still: the limit is used up by an updated pod that never becomes ready.
package unready

import (
	"context"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// Specs registers the family.
func Specs() {
	removed()
	failed()
	failedBeside()
	failedAgain()
	readiness()
	recovered()
	young()
	late()
	besideHandedOver()
	updatedOnly()
	others()
}

// lost are the nodes whose old pods are lost.
const lost = "the nodes whose old pods are lost"

// loseOn begins a rollout on n nodes, or one more than some, with maxSurge 1 that stands still, and returns old pods of some of the nodes that it has not come to. Checks know these
// nodes as lost.
func loseOn(ctx context.Context, c *spec.Case, n, some int, edits ...Edit) (updated *appsv1.DaemonSet, old []*corev1.Pod) {
	c.TakeNodes(ctx, NodeCount{Least: some + 1, Likes: n})
	updated = rollouts.Stall(ctx, c, c.Deploy(ctx, append(edits, MaxSurge("1"))...), "v2", 1)
	nodes := rollouts.Untouched(ctx, c, updated, some)
	c.Bind(lost, nodes...)
	for _, node := range nodes {
		old = append(old, c.LivePodOn(ctx, updated, node))
	}
	return updated, old
}

// updatedPod is the creation of an updated pod on the node.
func updatedPod(node string) Event { return PodCreated(OfVersion("v2")).On(node) }

// graceful is the grace period of the pod's template.
func graceful(pod *corev1.Pod) time.Duration {
	return time.Duration(*pod.Spec.TerminationGracePeriodSeconds) * time.Second
}
