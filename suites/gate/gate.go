// Package gate has the specs of the feature gate DaemonSetUpdateSurge: surge rolled back and rolled forward.
package gate

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/implementation"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// Specs registers the family.
func Specs() {
	unset()
	off()
	back()
	leaving()
	flipped()
	stored()
}

// Where the gate is switched. The implementation may act by it before its restart is over.
const (
	switchedOff history.Mark = "the gate is switched off"
	switchedOn  history.Mark = "the gate is switched on again"
)

// switchOff restarts the implementation without surge.
func switchOff(ctx context.Context, c *spec.Case) {
	c.Mark(switchedOff)
	c.RestartWith(ctx, implementation.Change{Gates: map[string]bool{implementation.SurgeGate: false}})
}

// switchOn restarts it with surge again, which is how its file has it.
func switchOn(ctx context.Context, c *spec.Case) {
	c.Mark(switchedOn)
	c.Restart(ctx)
}

// limits returns both limits of a DaemonSet in words.
func limits(d *appsv1.DaemonSet) string {
	rolling := d.Spec.UpdateStrategy.RollingUpdate
	if rolling == nil || rolling.MaxSurge == nil || rolling.MaxUnavailable == nil {
		return "incomplete"
	}
	return "maxSurge " + rolling.MaxSurge.String() + ", maxUnavailable " + rolling.MaxUnavailable.String()
}
