//go:build !windows

package embedded

import (
	"context"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"k8s.io/apiserver/pkg/authentication/user"

	"github.com/rollcall-conformance/rollcall/framework/audit"
	"github.com/rollcall-conformance/rollcall/framework/cluster/component"
	"github.com/rollcall-conformance/rollcall/framework/cluster/kwok"
	"github.com/rollcall-conformance/rollcall/framework/process"
)

const controllerManager = "kube-controller-manager"

// never is after how long a node counts as lost that is not heard of: a simulated node renews no Lease, which would cost a write every ten seconds for each, and is
// lost only where StopNode says so.
const never = 365 * 24 * time.Hour

func (c *Cluster) startControllerManager(ctx context.Context) error {
	controllers := []string{"*"}
	for _, controller := range c.options.DisabledControllers {
		controllers = append(controllers, "-"+controller)
	}
	return c.startComponent(ctx, controllerManager, func(kubeconfig string, port int) []string {
		return []string{
			"--kubeconfig=" + kubeconfig,
			"--authentication-kubeconfig=" + kubeconfig,
			"--authorization-kubeconfig=" + kubeconfig,
			"--controllers=" + strings.Join(controllers, ","),
			"--leader-elect=false",
			"--bind-address=127.0.0.1",
			"--secure-port=" + strconv.Itoa(port),
			"--service-account-private-key-file=" + filepath.Join(c.certDir(), "sa-signer.key"),
			// Each controller under a name of its own, as on clusters made by kubeadm: the audit log tells them apart.
			"--use-service-account-credentials=true",
			"--kube-api-qps=500",
			"--kube-api-burst=1000",
			"--node-monitor-grace-period=" + never.String(),
		}
	})
}

func (c *Cluster) startScheduler(ctx context.Context) error {
	return c.startComponent(ctx, "kube-scheduler", func(kubeconfig string, port int) []string {
		return []string{
			"--kubeconfig=" + kubeconfig,
			"--authentication-kubeconfig=" + kubeconfig,
			"--authorization-kubeconfig=" + kubeconfig,
			"--bind-address=127.0.0.1",
			"--secure-port=" + strconv.Itoa(port),
			"--leader-elect=false",
			"--kube-api-qps=500",
			"--kube-api-burst=1000",
		}
	})
}

// NodeLabel with NodeLabelValue marks the nodes that KWOK simulates.
const (
	NodeLabel      = kwok.NodeLabel
	NodeLabelValue = kwok.NodeLabelValue
)

func (c *Cluster) startKWOK(ctx context.Context) error {
	kubeconfig, err := c.KubeconfigFor(ctx, audit.KWOKUser, user.SystemPrivilegedGroup)
	if err != nil {
		return err
	}
	started, err := kwok.Start(ctx, kwok.Options{
		Path: c.options.Binary(kwok.Name), Kubeconfig: kubeconfig, Dir: c.configDir(), LogPath: c.logPath(kwok.Name), ReadyTimeout: startTimeout,
	})
	return c.keep(started, err)
}

// startComponent runs one component as a user.SystemPrivilegedGroup, on a free port that serves its /healthz, and waits until that says ok.
func (c *Cluster) startComponent(ctx context.Context, name string, args func(kubeconfig string, port int) []string) error {
	kubeconfig, err := c.KubeconfigFor(ctx, "system:"+name, user.SystemPrivilegedGroup)
	if err != nil {
		return err
	}
	started, err := component.Start(ctx, component.Options{
		Name:         name,
		Path:         c.options.Binary(name),
		Args:         func(port int) []string { return args(kubeconfig, port) },
		LogPath:      c.logPath(name),
		ReadyTimeout: startTimeout,
	})
	return c.keep(started, err)
}

// keep has Stop end the process, if it was started.
func (c *Cluster) keep(started *process.Process, err error) error {
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.processes = append(c.processes, started)
	return nil
}

func (c *Cluster) logPath(name string) string { return filepath.Join(c.logDir(), name+".log") }
