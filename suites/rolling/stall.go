package rolling

import (
	"context"
	"time"

	appsv1 "k8s.io/api/apps/v1"

	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// stall begins a rollout whose pods never become ready, and waits until that many nodes have one and the controller has done all that it will.
func stall(ctx context.Context, c *spec.Case, daemonSet *appsv1.DaemonSet, image string, nodes int) *appsv1.DaemonSet {
	updated := c.Update(ctx, daemonSet, Image(image), NeverReady())
	c.Await(ctx, UpdatedOn(nodes, updated))
	// A kubelet may be silent for longer while it ends a pod.
	c.Await(ctx, Together(Processed(updated), PodsPerNode(updated, 1), Quiet(2*time.Second)))
	return updated
}
