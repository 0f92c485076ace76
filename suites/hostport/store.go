package hostport

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/rollcall-conformance/rollcall/framework/implementation"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// store has a DaemonSet stored with both maxSurge and the edit's port of the host. Where that is rejected the feature gate is off while it gets the port: the
// rule does not hold then, and maxSurge stays where it is stored (HOSTPORT-007, GATE-005).
func store(ctx context.Context, c *spec.Case, name string, onPort Edit) *appsv1.DaemonSet {
	stored, err := c.TryCreate(ctx, c.NewDaemonSet(name, MaxSurge("1"), onPort))
	if err == nil {
		return stored
	}
	stored = c.Create(ctx, c.NewDaemonSet(name, MaxSurge("1")))
	c.RestartWith(ctx, implementation.Change{Gates: map[string]bool{implementation.SurgeGate: false}})
	stored = c.Update(ctx, stored, onPort)
	c.Require(ctx, "the port has been rolled out while the gate is off", RolledOut(stored))
	c.Restart(ctx)
	return stored
}
