package surge

import (
	"context"
	"time"

	appsv1 "k8s.io/api/apps/v1"

	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// stall begins a rollout to v2 whose pods never become ready, and waits until that many nodes have one and the controller has done all that it will.
func stall(ctx context.Context, c *spec.Case, daemonSet *appsv1.DaemonSet, nodes int) *appsv1.DaemonSet {
	updated := c.Update(ctx, daemonSet, Image("v2"), NeverReady())
	c.Await(ctx, UpdatedOn(nodes, updated))
	c.Await(ctx, Together(Processed(updated), Quiet(2*time.Second)))
	return updated
}
