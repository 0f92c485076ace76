//go:build !windows

package embedded

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/e2e-framework/klient"
	"sigs.k8s.io/e2e-framework/support"

	"github.com/rollcall-conformance/rollcall/framework/controlplane"
)

// Provider makes the embedded control plane available to tests written with sigs.k8s.io/e2e-framework, without anything else of rollcall:
//
//	testEnv.Setup(envfuncs.CreateCluster(embedded.NewProvider(), "mine"))
//	testEnv.Finish(envfuncs.DestroyCluster("mine"))
//
// It has no nodes until AddNode simulates some; see there. It loads no images, since simulated nodes run none.
type Provider struct {
	name     string
	version  string
	path     string
	disabled []string

	dir        string
	cluster    *Cluster
	client     kubernetes.Interface
	kubeconfig string
	context    string
}

var _ support.E2EClusterProviderWithLifeCycle = (*Provider)(nil)

// NewProvider returns a provider of one control plane, which Create starts.
func NewProvider() support.E2EClusterProvider { return &Provider{} }

// WithoutControllers leaves the named controllers of kube-controller-manager off, for example "daemonset-controller". It does nothing to
// other providers.
func WithoutControllers(names ...string) support.ClusterOpts {
	return func(provider support.E2EClusterProvider) {
		if p, ok := provider.(*Provider); ok {
			p.disabled = append(p.disabled, names...)
		}
	}
}

// WithName sets the name that errors use. Default: "embedded".
func (p *Provider) WithName(name string) support.E2EClusterProvider {
	p.name = name
	return p
}

// WithVersion sets the Kubernetes version, such as "v1.37.0", whose programs are built on first use; see controlplane.Options. With WithPath it
// merely says what those programs are. Default: controlplane.DefaultKubernetesVersion.
func (p *Provider) WithVersion(version string) support.E2EClusterProvider {
	p.version = version
	return p
}

// WithPath sets a folder whose kube-apiserver, kube-controller-manager, kube-scheduler, etcd and kwok are used as they are. Default: they are
// built on first use and kept in the user's cache.
func (p *Provider) WithPath(path string) support.E2EClusterProvider {
	p.path = path
	return p
}

// WithOpts applies options; see WithoutControllers.
func (p *Provider) WithOpts(opts ...support.ClusterOpts) support.E2EClusterProvider {
	for _, option := range opts {
		option(p)
	}
	return p
}

// SetDefaults implements support.E2EClusterProvider.
func (p *Provider) SetDefaults() support.E2EClusterProvider {
	if p.name == "" {
		p.name = ProviderName
	}
	return p
}

// Create starts the control plane, building its programs if need be, and returns an administrator's kubeconfig file. There are no arguments.
// When it is running already, Create does nothing.
func (p *Provider) Create(ctx context.Context, args ...string) (_ string, err error) {
	p.SetDefaults()
	if len(args) > 0 {
		return "", fmt.Errorf("create cluster %s: it takes no arguments, got %q", p.name, args)
	}
	if p.cluster != nil {
		return p.kubeconfig, nil
	}
	binary, version, err := p.programs(ctx)
	if err != nil {
		return "", fmt.Errorf("create cluster %s: %w", p.name, err)
	}
	if p.dir, err = os.MkdirTemp("", "rollcall-embedded-"); err != nil {
		return "", fmt.Errorf("create cluster %s: %w", p.name, err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("create cluster %s: %w", p.name, err), p.Destroy(context.WithoutCancel(ctx)))
		}
	}()
	if p.cluster, err = Start(ctx, Options{Binary: binary, KubernetesVersion: version, Dir: p.dir, DisabledControllers: p.disabled}); err != nil {
		return "", err
	}
	if p.client, err = kubernetes.NewForConfig(p.cluster.Config()); err != nil {
		return "", err
	}
	if p.kubeconfig, err = p.cluster.KubeconfigFor(ctx, "admin", user.SystemPrivilegedGroup); err != nil {
		return "", err
	}
	written, err := clientcmd.LoadFromFile(p.kubeconfig)
	if err != nil {
		return "", err
	}
	p.context = written.CurrentContext
	return p.kubeconfig, nil
}

func (p *Provider) programs(ctx context.Context) (func(name string) string, string, error) {
	if p.path != "" {
		return func(name string) string { return filepath.Join(p.path, name) }, p.version, nil
	}
	built, err := controlplane.Ensure(ctx, controlplane.Options{Version: p.version, Out: os.Stderr})
	return built.Path, built.KubernetesVersion, err
}

// CreateWithConfig fails: there is no configuration file. WithOpts takes what can be configured.
func (p *Provider) CreateWithConfig(context.Context, string) (string, error) {
	return "", errors.New("the embedded provider has no configuration file: call Create, and configure it through WithOpts")
}

// GetKubeconfig returns the administrator's kubeconfig file; empty before Create.
func (p *Provider) GetKubeconfig() string { return p.kubeconfig }

// GenerateKubeconfig writes a kubeconfig file for a user, given by name and groups, whom RBAC must allow something; without arguments for an
// administrator.
func (p *Provider) GenerateKubeconfig(args ...string) (string, error) {
	if err := p.running(); err != nil {
		return "", err
	}
	if len(args) == 0 {
		args = []string{"admin", user.SystemPrivilegedGroup}
	}
	return p.cluster.KubeconfigFor(context.Background(), args[0], args[1:]...)
}

// GetKubectlContext returns the context that the kubeconfig files have; empty before Create.
func (p *Provider) GetKubectlContext() string { return p.context }

// ExportLogs copies the components' logs into a folder, which is made if it does not exist.
func (p *Provider) ExportLogs(_ context.Context, dest string) error {
	if err := p.running(); err != nil {
		return err
	}
	logs, err := filepath.Glob(filepath.Join(p.cluster.logDir(), "*.log"))
	if err != nil {
		return fmt.Errorf("export the logs of cluster %s: %w", p.name, err)
	}
	if err := os.MkdirAll(dest, 0o755); err != nil {
		return fmt.Errorf("export the logs of cluster %s: %w", p.name, err)
	}
	for _, log := range logs {
		text, err := os.ReadFile(log)
		if err == nil {
			err = os.WriteFile(filepath.Join(dest, filepath.Base(log)), text, 0o644)
		}
		if err != nil {
			return fmt.Errorf("export the logs of cluster %s: %w", p.name, err)
		}
	}
	return nil
}

// Destroy stops the control plane and removes everything, logs included. It does nothing when there is none.
func (p *Provider) Destroy(ctx context.Context) error {
	var failures []error
	if p.cluster != nil {
		failures = append(failures, p.cluster.Stop(ctx))
	}
	if p.dir != "" {
		failures = append(failures, os.RemoveAll(p.dir))
	}
	p.cluster, p.client, p.dir, p.kubeconfig, p.context = nil, nil, "", "", ""
	if err := errors.Join(failures...); err != nil {
		return fmt.Errorf("destroy cluster %s: %w", p.name, err)
	}
	return nil
}

// pollInterval is how often the provider looks whether what it waits for has come.
const pollInterval = 50 * time.Millisecond

// WaitForControlPlane waits until pods can be created: Create returns when every component is ready, which is just before the service account
// of namespace default exists.
func (p *Provider) WaitForControlPlane(ctx context.Context, _ klient.Client) error {
	if err := p.running(); err != nil {
		return err
	}
	err := wait.PollUntilContextTimeout(ctx, pollInterval, startTimeout, true, func(ctx context.Context) (bool, error) {
		_, err := p.client.CoreV1().ServiceAccounts(metav1.NamespaceDefault).Get(ctx, "default", metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return false, nil
		}
		return err == nil, err
	})
	if err != nil {
		return fmt.Errorf("wait for the default service account of cluster %s: %w", p.name, err)
	}
	return nil
}

// KubernetesRestConfig returns an administrator's client configuration; nil before Create.
func (p *Provider) KubernetesRestConfig() *rest.Config {
	if p.cluster == nil {
		return nil
	}
	return rest.CopyConfig(p.cluster.Config())
}

// running fails, saying what to do, when there is no control plane.
func (p *Provider) running() error {
	if p.cluster == nil {
		return fmt.Errorf("cluster %q is not running: call Create first", p.name)
	}
	return nil
}
