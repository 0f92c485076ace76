package embedded

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/rollcall-conformance/rollcall/framework/audit"
	"github.com/rollcall-conformance/rollcall/framework/cluster"
	"github.com/rollcall-conformance/rollcall/framework/cluster/impersonate"
)

// AttachOptions is what is known of a control plane that another process started.
type AttachOptions struct {
	// Kubeconfig is an administrator's kubeconfig file.
	Kubeconfig string
	// KubernetesVersion of the control plane.
	KubernetesVersion string
	// Dir receives kubeconfigs of users.
	Dir string
	// AuditFolder is where the audit log is: that of Cluster.AuditLog.
	AuditFolder string
}

// Attached is a handle on a control plane that another process started and will stop.
type Attached struct {
	options AttachOptions
	config  *rest.Config
}

var (
	_ cluster.Cluster = (*Attached)(nil)
	_ audit.Keeper    = (*Attached)(nil)
)

// Attach gives a handle on a control plane of this machine. Stop leaves the control plane as it is.
func Attach(options AttachOptions) (*Attached, error) {
	config, err := clientcmd.BuildConfigFromFlags("", options.Kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("attach to a control plane: %w", err)
	}
	config.QPS, config.Burst = 1000, 2000
	return &Attached{options: options, config: config}, nil
}

// Provider implements cluster.Cluster.
func (a *Attached) Provider() string { return ProviderName }

// KubernetesVersion implements cluster.Cluster.
func (a *Attached) KubernetesVersion() string { return a.options.KubernetesVersion }

// Config implements cluster.Cluster.
func (a *Attached) Config() *rest.Config { return a.config }

// KubeconfigFor implements cluster.Cluster: an administrator impersonates the user.
func (a *Attached) KubeconfigFor(_ context.Context, user string, groups ...string) (string, error) {
	return impersonate.Kubeconfig(a.options.Kubeconfig, a.options.Dir, user, groups...)
}

// SwitchOff implements cluster.Cluster: only who started kube-controller-manager can start it anew.
func (a *Attached) SwitchOff(context.Context, ...string) error {
	return fmt.Errorf("switch controllers off: the control plane was started by another process: %w", errors.ErrUnsupported)
}

// ExportLogs implements cluster.Cluster: there is nothing to do, since the components write to where who started them said.
func (a *Attached) ExportLogs(context.Context) error { return nil }

// Stop implements cluster.Cluster: it does nothing.
func (a *Attached) Stop(context.Context) error { return nil }

// AuditLog implements audit.Keeper.
func (a *Attached) AuditLog() audit.Log { return audit.Folder(a.options.AuditFolder) }
