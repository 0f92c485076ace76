// Package rolling has the specs of rolling updates without surge: old pods go first, no more of them at a time than maxUnavailable allows.
package rolling

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"

	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// Specs registers the family.
func Specs() {
	rollout()
	budget()
	joiners()
	unhealthy()
	meantime()
	undeletable()
	triggers()
	strategy()
	scale()
}

// stall is rollouts.Stall, in which every node gets a pod again.
func stall(ctx context.Context, c *spec.Case, daemonSet *appsv1.DaemonSet, image string, nodes int) *appsv1.DaemonSet {
	return rollouts.Stall(ctx, c, daemonSet, image, nodes, PodsPerNode(daemonSet, 1))
}

// availableDeleted is the deletion of a pod of v1 that was available until then.
func availableDeleted() Event {
	return PodDeleted(OfVersion("v1")).Where("available", Moment.WasAvailable)
}
