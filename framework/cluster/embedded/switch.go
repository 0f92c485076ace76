//go:build !windows

package embedded

import (
	"context"
	"fmt"
	"slices"

	"github.com/rollcall-conformance/rollcall/framework/process"
)

// SwitchOff implements cluster.Cluster: it starts kube-controller-manager anew.
func (c *Cluster) SwitchOff(ctx context.Context, controllers ...string) error {
	c.options.DisabledControllers = controllers
	if err := c.stopComponent(ctx, controllerManager); err != nil {
		return fmt.Errorf("switch controllers off: %w", err)
	}
	return c.startControllerManager(ctx)
}

// stopComponent ends a component for good.
func (c *Cluster) stopComponent(ctx context.Context, name string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := slices.IndexFunc(c.processes, func(p *process.Process) bool { return p.Name() == name })
	if at < 0 {
		return fmt.Errorf("%s does not run", name)
	}
	stopped := c.processes[at]
	c.processes = slices.Delete(c.processes, at, at+1)
	return stopped.Stop(ctx)
}
