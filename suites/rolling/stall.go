package rolling

import (
	"context"
	"time"

	appsv1 "k8s.io/api/apps/v1"

	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// stall begins a rollout whose pods never become ready, and waits until the controller has done all that it will.
func stall(ctx context.Context, c *spec.Case, daemonSet *appsv1.DaemonSet, image string) *appsv1.DaemonSet {
	updated := c.Update(ctx, daemonSet, Image(image), NeverReady())
	c.Await(ctx, Processed(updated))
	// A kubelet may be silent for longer while it ends a pod.
	c.Await(ctx, Together(PodsPerNode(updated, 1), Quiet(2*time.Second)))
	return updated
}
