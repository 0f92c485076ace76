package kind

import (
	"context"

	"github.com/rollcall-conformance/rollcall/framework/cluster/impersonate"
)

// KubeconfigFor implements cluster.Cluster: an administrator impersonates the user.
func (c *Cluster) KubeconfigFor(_ context.Context, user string, groups ...string) (string, error) {
	return impersonate.Kubeconfig(c.kubeconfig, c.dir, user, groups...)
}
