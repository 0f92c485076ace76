// Package kind provides clusters whose nodes are real: containers of a Docker engine with a kubelet each, made by sigs.k8s.io/kind. KWOK, beside the
// cluster, simulates as many nodes more as scenarios add.
//
// A cluster outlives the process that started it only if asked to: Stop removes it, and Start removes those whose owners crashed.
package kind

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	utilrand "k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	kindcluster "sigs.k8s.io/kind/pkg/cluster"
	"sigs.k8s.io/kind/pkg/cluster/nodes"

	"github.com/rollcall-conformance/rollcall/framework/audit"
	"github.com/rollcall-conformance/rollcall/framework/cluster"
	"github.com/rollcall-conformance/rollcall/framework/cluster/kwok"
	"github.com/rollcall-conformance/rollcall/framework/workload"
)

// ProviderName is what reports call this provider.
const ProviderName = "kind"

// Options says what to start.
type Options struct {
	// Name of the cluster; one that does not begin with "rollcall-" is never removed after a crash of its owner. Default: rollcall- and something random.
	Name string
	// Workers is the number of nodes beside the control plane's. Default: 4.
	Workers int
	// KubernetesVersion of the nodes, all three numbers, with or without the "v". Default: controlplane.DefaultKubernetesVersion.
	KubernetesVersion string
	// Image of the nodes, pulled if the engine lacks it. Default: rollcall.dev/node of the version, as `make node-image` builds it, if the engine has
	// that, and otherwise kind's image of the version.
	Image string
	// Dir receives what the cluster's users need, in a folder that goes at Stop; the folder itself stays.
	Dir string
	// LogDir receives logs; it stays. Default: logs in Dir.
	LogDir string
	// KWOK is the path of the program that simulates nodes. Default: none does.
	KWOK string
	// DisabledControllers are the controllers of kube-controller-manager that the implementation replaces. Default: none.
	DisabledControllers []string
	// Workload is what the implementation reconciles: the audit log holds the writes to it. Default: DaemonSets.
	Workload workload.Workload
	// Keep has the cluster outlive Stop and its owner's end.
	Keep bool
	// Out gets a line about whatever takes long or is unusual. Default: none.
	Out io.Writer
}

// Cluster is a running cluster.
type Cluster struct {
	options    Options
	name       string
	dir        string
	provider   *kindcluster.Provider
	config     *rest.Config
	client     kubernetes.Interface
	kubeconfig string
	version    string

	controlPlane string
	workers      []string
	machines     map[string]nodes.Node

	// own is nil for a cluster that somebody else started.
	own  *ownership
	kwok *kwok.Simulation
}

var (
	_ cluster.Cluster  = (*Cluster)(nil)
	_ cluster.Machines = (*Cluster)(nil)
)

// Start brings a cluster up and returns when every node is Ready, names resolve in it, and the disabled controllers are off. When that does not
// work, logs are in LogDir and nothing else is left.
func Start(ctx context.Context, options Options) (_ *Cluster, err error) {
	if options.Dir == "" {
		return nil, errors.New("start a kind cluster: Options.Dir is needed")
	}
	if options.LogDir == "" {
		options.LogDir = filepath.Join(options.Dir, "logs")
	}
	if options.Name == "" {
		options.Name = prefix + utilrand.String(6)
	}
	if options.Out == nil {
		options.Out = io.Discard
	}
	began := time.Now()
	c := &Cluster{options: options, name: options.Name, dir: filepath.Join(options.Dir, "kind")}
	c.kubeconfig = filepath.Join(c.dir, "kubeconfig")
	if c.own, err = prepare(ctx, options); err != nil {
		return nil, fmt.Errorf("start a kind cluster: %w", err)
	}
	c.provider = c.own.provider
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("start kind cluster %s: %w", c.name, err), c.abandon(ctx))
		}
	}()
	if err := os.MkdirAll(c.dir, 0o755); err != nil {
		return nil, err
	}
	if err := c.create(ctx); err != nil {
		return nil, err
	}
	if err := c.connect(); err != nil {
		return nil, err
	}
	if err := c.bringUpNetwork(ctx); err != nil {
		return nil, err
	}
	if err := c.awaitUsable(ctx); err != nil {
		return nil, err
	}
	if err := c.settleControllerManager(ctx); err != nil {
		return nil, err
	}
	if err := c.startKWOK(ctx); err != nil {
		return nil, err
	}
	if options.Keep {
		if err := c.own.disown(); err != nil {
			return nil, err
		}
	}
	options.say("cluster %s with %d workers, Kubernetes %s, is ready after %s", c.name, len(c.workers), c.version, time.Since(began).Round(time.Second))
	return c, nil
}

// Attach gives a handle on a running cluster that somebody else started and will stop, by its name and an administrator's kubeconfig file, in whose
// folder kubeconfigs of users go.
func Attach(_ context.Context, name, kubeconfig string) (*Cluster, error) {
	c := &Cluster{
		options: Options{Name: name, Out: io.Discard}, name: name,
		dir: filepath.Dir(kubeconfig), kubeconfig: kubeconfig, provider: kindcluster.NewProvider(),
	}
	if err := c.connect(); err != nil {
		return nil, fmt.Errorf("attach to kind cluster %s: %w", name, err)
	}
	return c, nil
}

// Name is kind's name of the cluster.
func (c *Cluster) Name() string { return c.name }

// Kubeconfig is an administrator's kubeconfig file, for Attach.
func (c *Cluster) Kubeconfig() string { return c.kubeconfig }

// Provider implements cluster.Cluster.
func (c *Cluster) Provider() string { return ProviderName }

// KubernetesVersion implements cluster.Cluster.
func (c *Cluster) KubernetesVersion() string { return c.version }

// Config implements cluster.Cluster.
func (c *Cluster) Config() *rest.Config { return c.config }

// startKWOK runs KWOK beside the cluster, if it is wanted.
func (c *Cluster) startKWOK(ctx context.Context) (err error) {
	if c.options.KWOK == "" {
		return nil
	}
	// Under a name of its own, not the harness's: the audit log tells them apart.
	kubeconfig, err := c.KubeconfigFor(ctx, audit.KWOKUser, user.SystemPrivilegedGroup)
	if err != nil {
		return err
	}
	c.kwok, err = kwok.Simulate(ctx, kwok.Options{
		Path: c.options.KWOK, Kubeconfig: kubeconfig, Dir: c.dir, LogPath: filepath.Join(c.options.LogDir, kwok.Name+".log"), ReadyTimeout: readyTimeout,
	})
	return err
}

func (o Options) say(format string, args ...any) {
	_, _ = fmt.Fprintf(o.Out, "kind: "+format+"\n", args...)
}
