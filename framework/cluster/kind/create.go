package kind

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gofrs/flock"
	"sigs.k8s.io/kind/pkg/apis/config/v1alpha4"
	kindcluster "sigs.k8s.io/kind/pkg/cluster"
	"sigs.k8s.io/kind/pkg/exec"

	"github.com/rollcall-conformance/rollcall/framework/process"
)

// ownership is what the one who started a cluster has beyond those who attached to it.
type ownership struct {
	owners   owners
	lock     *flock.Flock
	provider *kindcluster.Provider
	config   *v1alpha4.Cluster
	image    string
	log      *os.File
	stopped  bool
}

// prepare finds all that a cluster needs, and removes what earlier owners left. Nothing is left behind when it fails.
func prepare(ctx context.Context, options Options) (*ownership, error) {
	engine, err := findEngine(ctx)
	if err != nil {
		return nil, err
	}
	owners, err := openOwners()
	if err != nil {
		return nil, err
	}
	if err := removeOrphans(ctx, owners, options); err != nil {
		return nil, err
	}
	image, err := options.findImage(ctx)
	if err != nil {
		return nil, err
	}
	host, err := engine.examine(ctx, image)
	if err != nil {
		return nil, err
	}
	patches := host.patches()
	for _, p := range patches {
		if p.because != "" {
			options.say("%s: the nodes get fixtures/kind/%s", p.because, p.file)
		}
	}
	config, err := configuration(options.Workers, patches)
	if err != nil {
		return nil, err
	}
	own := &ownership{owners: owners, config: config, image: image}
	return own, own.take(options)
}

// take claims the cluster's name and opens the log of its creation.
func (own *ownership) take(options Options) error {
	existing, err := kindcluster.NewProvider().List()
	if err != nil {
		return err
	}
	if slices.Contains(existing, options.Name) {
		return fmt.Errorf("there is a cluster %s already", options.Name)
	}
	if own.lock, err = own.owners.claim(options.Name); err != nil {
		return err
	}
	if own.lock == nil {
		return fmt.Errorf("somebody else is starting a cluster %s", options.Name)
	}
	if err = os.MkdirAll(options.LogDir, 0o755); err == nil {
		own.log, err = os.Create(filepath.Join(options.LogDir, "kind-create.log"))
	}
	if err != nil {
		return errors.Join(err, disown(own.lock))
	}
	own.provider = kindcluster.NewProvider(kindcluster.ProviderWithLogger(newLogger(own.log)))
	return nil
}

// disown gives the name up, so that nobody takes the cluster for an orphan. It does nothing the second time.
func (own *ownership) disown() error {
	lock := own.lock
	if own.lock = nil; lock == nil {
		return nil
	}
	return disown(lock)
}

// create has kind make the nodes and install Kubernetes on them. kind has no contexts: when this one ends, the nodes go away under its hands, and
// it gives up. What could not be taken away then is deleted with the cluster.
func (c *Cluster) create(ctx context.Context) error {
	defer context.AfterFunc(ctx, func() { _ = c.provider.Delete(c.name, c.kubeconfig) })()
	creating, created := context.WithCancel(ctx)
	delivered := make(chan error, 1)
	go func() { delivered <- c.deliverAuditPolicy(creating) }()
	err := c.own.owners.withNetwork(ctx, func() error {
		return c.provider.Create(c.name,
			kindcluster.CreateWithV1Alpha4Config(c.own.config),
			kindcluster.CreateWithNodeImage(c.own.image),
			kindcluster.CreateWithKubeconfigPath(c.kubeconfig),
			kindcluster.CreateWithRetain(true),
		)
	})
	created()
	// Without the policy there is no API server, so it has been delivered if the cluster is there.
	undelivered := <-delivered
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err == nil {
		return undelivered
	}
	return fmt.Errorf("%w%s; what kind did is in %s", err, c.lastWords(ctx, err), c.own.log.Name())
}

// lastWords shows what explains best why the creation failed.
func (c *Cluster) lastWords(ctx context.Context, failure error) string {
	if machines, err := c.provider.ListNodes(c.name); err == nil {
		for _, machine := range machines {
			if log, err := docker(ctx, "logs", machine.String()); err == nil && strings.Contains(log, "Too many open files") {
				return fmt.Sprintf("; %s did not come up: too many open files; raise fs.inotify.max_user_instances on the engine's host (sysctl), or remove other kind clusters", machine)
			}
		}
	}
	if failed := exec.RunErrorForError(failure); failed != nil && len(failed.Output) > 0 {
		return fmt.Sprintf("; its last lines:\n%s\n", process.LastLines(string(failed.Output)))
	}
	return ""
}
