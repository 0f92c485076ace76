package kind

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/e2e-framework/klient"
	"sigs.k8s.io/e2e-framework/support"

	"github.com/rollcall-conformance/rollcall/framework/cluster/kwok"
	"github.com/rollcall-conformance/rollcall/framework/controlplane"
)

// Provider makes kind clusters, with all that Start does, available to tests written with sigs.k8s.io/e2e-framework, without anything else of rollcall:
//
//	testEnv.Setup(envfuncs.CreateCluster(kind.NewProvider(), "mine"))
//	testEnv.Finish(envfuncs.DestroyCluster("mine"))
type Provider struct {
	options Options

	cluster *Cluster
	context string
}

var (
	_ support.E2EClusterProviderWithLifeCycle   = (*Provider)(nil)
	_ support.E2EClusterProviderWithImageLoader = (*Provider)(nil)
)

// NewProvider returns a provider of one cluster, which Create starts.
func NewProvider() support.E2EClusterProvider { return &Provider{} }

// WithWorkers sets the number of nodes beside the control plane's. It does nothing to other providers.
func WithWorkers(workers int) support.ClusterOpts {
	return func(provider support.E2EClusterProvider) {
		if p, ok := provider.(*Provider); ok {
			p.options.Workers = workers
		}
	}
}

// WithoutControllers leaves the named controllers of kube-controller-manager off, for example "daemonset-controller". It does nothing to other
// providers.
func WithoutControllers(names ...string) support.ClusterOpts {
	return func(provider support.E2EClusterProvider) {
		if p, ok := provider.(*Provider); ok {
			p.options.DisabledControllers = append(p.options.DisabledControllers, names...)
		}
	}
}

// WithImage sets the image of the nodes. It does nothing to other providers.
func WithImage(image string) support.ClusterOpts {
	return func(provider support.E2EClusterProvider) {
		if p, ok := provider.(*Provider); ok {
			p.options.Image = image
		}
	}
}

// WithName sets the cluster's name, which becomes rollcall-NAME. Default: something random.
func (p *Provider) WithName(name string) support.E2EClusterProvider {
	p.options.Name = prefix + strings.TrimPrefix(name, prefix)
	return p
}

// WithVersion sets the Kubernetes version; see Options.
func (p *Provider) WithVersion(version string) support.E2EClusterProvider {
	p.options.KubernetesVersion = version
	return p
}

// WithPath sets the path of KWOK, which simulates further nodes. Default: it is built on first use and kept in the user's cache.
func (p *Provider) WithPath(path string) support.E2EClusterProvider {
	p.options.KWOK = path
	return p
}

// WithOpts applies options.
func (p *Provider) WithOpts(opts ...support.ClusterOpts) support.E2EClusterProvider {
	for _, option := range opts {
		option(p)
	}
	return p
}

// SetDefaults implements support.E2EClusterProvider: there is nothing to do before Create.
func (p *Provider) SetDefaults() support.E2EClusterProvider { return p }

// Create starts the cluster and returns an administrator's kubeconfig file. There are no arguments. When it is running already, Create does nothing.
func (p *Provider) Create(ctx context.Context, args ...string) (_ string, err error) {
	if len(args) > 0 {
		return "", fmt.Errorf("create a kind cluster: it takes no arguments, got %q", args)
	}
	if p.cluster != nil {
		return p.cluster.Kubeconfig(), nil
	}
	if p.options.KWOK == "" {
		programs, err := controlplane.Ensure(ctx, controlplane.Options{Out: os.Stderr, Names: []string{kwok.Name}})
		if err != nil {
			return "", fmt.Errorf("create a kind cluster: %w", err)
		}
		p.options.KWOK = programs.Path(kwok.Name)
	}
	if p.options.Dir, err = os.MkdirTemp("", "rollcall-kind-"); err != nil {
		return "", fmt.Errorf("create a kind cluster: %w", err)
	}
	p.options.Out = os.Stderr
	defer func() {
		if err != nil {
			err = errors.Join(err, p.Destroy(context.WithoutCancel(ctx)))
		}
	}()
	if p.cluster, err = Start(ctx, p.options); err != nil {
		return "", err
	}
	written, err := clientcmd.LoadFromFile(p.cluster.Kubeconfig())
	if err != nil {
		return "", err
	}
	p.context = written.CurrentContext
	return p.cluster.Kubeconfig(), nil
}

// CreateWithConfig fails: the configuration is fixtures/kind. WithOpts takes what can be changed.
func (p *Provider) CreateWithConfig(context.Context, string) (string, error) {
	return "", errors.New("this provider brings its own configuration: call Create, and configure it through WithOpts")
}

// GetKubeconfig returns the administrator's kubeconfig file; empty before Create.
func (p *Provider) GetKubeconfig() string {
	if p.cluster == nil {
		return ""
	}
	return p.cluster.Kubeconfig()
}

// GenerateKubeconfig writes a kubeconfig file for a user, given by name and groups, whom RBAC must allow something; without arguments it is the
// administrator's.
func (p *Provider) GenerateKubeconfig(args ...string) (string, error) {
	if err := p.running(); err != nil {
		return "", err
	}
	if len(args) == 0 {
		return p.cluster.Kubeconfig(), nil
	}
	return p.cluster.KubeconfigFor(context.Background(), args[0], args[1:]...)
}

// GetKubectlContext returns the context that the kubeconfig files have; empty before Create.
func (p *Provider) GetKubectlContext() string { return p.context }

// ExportLogs brings the machines' logs into a folder, which is made if it does not exist.
func (p *Provider) ExportLogs(_ context.Context, dest string) error {
	if err := p.running(); err != nil {
		return err
	}
	if err := p.cluster.exportLogs(dest); err != nil {
		return fmt.Errorf("export the logs of kind cluster %s: %w", p.cluster.name, err)
	}
	return nil
}

// Destroy removes the cluster and everything of it, logs included. It does nothing when there is none.
func (p *Provider) Destroy(ctx context.Context) error {
	var failures []error
	if p.cluster != nil {
		failures = append(failures, p.cluster.Stop(ctx))
	}
	if p.options.Dir != "" {
		failures = append(failures, os.RemoveAll(p.options.Dir))
	}
	p.cluster, p.context, p.options.Dir = nil, "", ""
	return errors.Join(failures...)
}

// WaitForControlPlane does nothing: Create returns when the cluster is usable.
func (p *Provider) WaitForControlPlane(context.Context, klient.Client) error { return p.running() }

// KubernetesRestConfig returns an administrator's client configuration; nil before Create.
func (p *Provider) KubernetesRestConfig() *rest.Config {
	if p.cluster == nil {
		return nil
	}
	return rest.CopyConfig(p.cluster.Config())
}

// running fails, saying what to do, when there is no cluster.
func (p *Provider) running() error {
	if p.cluster == nil {
		return errors.New("the kind cluster is not running: call Create first")
	}
	return nil
}
