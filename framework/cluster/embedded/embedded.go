//go:build !windows

package embedded

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/rollcall-conformance/rollcall/framework/cluster"
	"github.com/rollcall-conformance/rollcall/framework/process"
)

// startTimeout bounds etcd's and kube-apiserver's start. They take 3 s on two idle cores.
const startTimeout = 90 * time.Second

// Cluster is a running control plane.
type Cluster struct {
	options Options
	plane   *envtest.ControlPlane
	config  *rest.Config

	mu        sync.Mutex
	processes []*process.Process
	logs      []*os.File
	users     int
	stopped   bool
}

var (
	_ cluster.Cluster = (*Cluster)(nil)
	_ cluster.Storage = (*Cluster)(nil)
)

// Start brings a control plane up and returns when every component is ready. When one is not, the error shows the component's last log
// lines, and nothing is left running.
func Start(ctx context.Context, options Options) (_ *Cluster, err error) {
	if options.Binary == nil || options.Dir == "" {
		return nil, errors.New("start a control plane: Options.Binary and Options.Dir are needed")
	}
	if options.LogDir == "" {
		options.LogDir = filepath.Join(options.Dir, "logs")
	}
	c := &Cluster{options: options}
	defer func() {
		if err != nil {
			err = errors.Join(err, c.Stop(context.WithoutCancel(ctx)))
		}
	}()
	if err := os.MkdirAll(c.logDir(), 0o755); err != nil {
		return nil, fmt.Errorf("make the control plane's folder: %w", err)
	}
	if err := c.startAPIServer(ctx); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	group, groupCtx := errgroup.WithContext(ctx)
	for _, start := range []func(context.Context) error{c.startControllerManager, c.startScheduler, c.startKWOK} {
		group.Go(func() error { return start(groupCtx) })
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return c, nil
}

// Provider implements cluster.Cluster.
func (c *Cluster) Provider() string { return ProviderName }

// KubernetesVersion implements cluster.Cluster.
func (c *Cluster) KubernetesVersion() string { return c.options.KubernetesVersion }

// Config implements cluster.Cluster.
func (c *Cluster) Config() *rest.Config { return c.config }

// KubeconfigFor implements cluster.Cluster: the user is a client certificate's common name, the groups its organizations.
func (c *Cluster) KubeconfigFor(_ context.Context, user string, groups ...string) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stopped {
		return "", fmt.Errorf("add user %s: the control plane has been stopped", user)
	}
	// Under the lock, since envtest numbers the certificates without one of its own.
	authenticated, err := c.plane.AddUser(envtest.User{Name: user, Groups: groups}, c.config)
	if err != nil {
		return "", fmt.Errorf("add user %s: %w", user, err)
	}
	kubeconfig, err := authenticated.KubeConfig()
	if err != nil {
		return "", fmt.Errorf("write the kubeconfig of %s: %w", user, err)
	}
	c.users++
	name := fmt.Sprintf("%s-%d.kubeconfig", strings.NewReplacer(":", "-", "/", "-").Replace(user), c.users)
	path := filepath.Join(c.configDir(), name)
	if err := os.WriteFile(path, kubeconfig, 0o600); err != nil {
		return "", fmt.Errorf("write the kubeconfig of %s: %w", user, err)
	}
	return path, nil
}

// Ended names the component that has ended by itself, and how; empty while all run. Of etcd and kube-apiserver it does not know.
func (c *Cluster) Ended() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range c.processes {
		if status := p.ExitedByItself(); status != "" {
			return fmt.Sprintf("%s ended (%s); its log ends:\n%s", p.Name(), status, c.lastLines(p.Name()))
		}
	}
	return ""
}

// Answers reports what keeps the API server, which etcd is a part of here, from being ready, as it says itself; nil if nothing does.
func (c *Cluster) Answers(ctx context.Context) error {
	client, err := discovery.NewDiscoveryClientForConfig(c.config)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, answersIn)
	defer cancel()
	if err := client.RESTClient().Get().AbsPath("/readyz").Do(ctx).Error(); err != nil {
		return fmt.Errorf("ask the API server whether it is ready: %w", err)
	}
	return nil
}

// answersIn is the longest that a control plane which is well takes to say so, on a busy machine, too.
const answersIn = 10 * time.Second

// ExportLogs implements cluster.Cluster: there is nothing to do, since the components write into LogDir themselves.
func (c *Cluster) ExportLogs(context.Context) error { return nil }

// Stop implements cluster.Cluster. The nodes go first and etcd last, so that no component logs the loss of another.
func (c *Cluster) Stop(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stopped {
		return nil
	}
	c.stopped = true
	var group errgroup.Group
	for _, p := range c.processes {
		group.Go(func() error { return p.Stop(ctx) })
	}
	failures := []error{group.Wait()}
	if c.plane != nil {
		if err := c.plane.Stop(); err != nil {
			failures = append(failures, fmt.Errorf("stop etcd and kube-apiserver: %w", err))
		}
	}
	for _, log := range c.logs {
		failures = append(failures, log.Close())
	}
	for _, dir := range []string{c.dataDir(), c.certDir(), c.binDir(), c.configDir(), c.auditDir()} {
		failures = append(failures, os.RemoveAll(dir))
	}
	return errors.Join(failures...)
}

func (c *Cluster) logDir() string  { return c.options.LogDir }
func (c *Cluster) dataDir() string { return filepath.Join(c.options.Dir, "etcd") }
func (c *Cluster) certDir() string { return filepath.Join(c.options.Dir, "certificates") }
func (c *Cluster) binDir() string  { return filepath.Join(c.options.Dir, "bin") }

// configDir holds the components' configuration files and everybody's kubeconfigs.
func (c *Cluster) configDir() string { return filepath.Join(c.options.Dir, "config") }

// StorageURL implements cluster.Storage.
func (c *Cluster) StorageURL() string { return c.plane.Etcd.URL.String() }
