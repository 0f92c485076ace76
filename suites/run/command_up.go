package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"k8s.io/client-go/kubernetes"

	"github.com/rollcall-conformance/rollcall/framework/cluster/embedded"
	"github.com/rollcall-conformance/rollcall/framework/cluster/existing"
	"github.com/rollcall-conformance/rollcall/framework/cluster/kind"
	"github.com/rollcall-conformance/rollcall/framework/implementation"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
)

// defaultWarmName is the name of a control plane that was given none.
const defaultWarmName = "default"

const upHelp = `rollcall up [flags]

Starts a control plane and keeps it until Ctrl-C, for runs with -on, which then take seconds to begin:

  rollcall up -implementation=./mine.yaml                              in one terminal
  rollcall run -on default -implementation=./mine.yaml -focus=SURGE-007     in another, again and again

Each run builds and launches the implementation anew, and first removes what the run before left. One run uses it at a time; -name makes more of them.
The implementation file only says which controllers of kube-controller-manager to leave out. Nothing survives: Ctrl-C takes everything down, and what
SIGKILL leaves (a folder in the cache, no process; on kind the cluster) goes at the next ` + "`rollcall up`" + `.
`

// keepUp is `rollcall up`.
func keepUp(ctx context.Context, args []string, out io.Writer) (code int, err error) {
	o, name, err := parseUp(args, out)
	if err != nil {
		return exitUsage, err
	}
	catalogue, err := requirements.Load()
	if err != nil {
		return exitHarness, err
	}
	tested, err := implementation.Load(o.implementation, catalogue)
	if err != nil {
		return exitUsage, usageError{err}
	}
	provider, err := o.choose(ctx, out)
	if err != nil {
		return exitUsage, err
	}
	if err := provider.prepare(ctx); err != nil {
		return exitHarness, err
	}
	dir, remove, err := makeTemporary(upFolder, func(root string) (string, error) {
		dir := filepath.Join(root, name)
		return dir, os.Mkdir(dir, 0o700)
	})
	if errors.Is(err, errTaken) {
		return exitUsage, usagef("-name %s: it is up already: use it with `rollcall run -on %s`, or choose another name", name, name)
	}
	if err != nil {
		return exitHarness, err
	}
	defer func() { err = errors.Join(err, remove()) }()
	a := artifacts{root: dir, work: filepath.Join(dir, "work"), logs: filepath.Join(dir, logsFolder)}
	if err := errors.Join(os.Mkdir(a.work, 0o700), os.Mkdir(a.logs, 0o755)); err != nil {
		return exitHarness, err
	}
	r := &suiteRun{options: o, out: &console{out: out}, catalogue: catalogue, implementation: tested, artifacts: a}
	if err := r.keep(ctx, provider, name); err != nil {
		return exitHarness, err
	}
	return exitConformant, nil
}

// keep starts the control plane, makes it known, and takes it down when the context ends.
func (r *suiteRun) keep(ctx context.Context, provider provider, name string) (err error) {
	began := time.Now()
	where, err := provider.start(ctx, r)
	if where != nil && where.Cluster != nil {
		defer func() { err = errors.Join(err, r.stop(where.Stop)) }()
	}
	if err != nil {
		return err
	}
	w := warm{
		Name: name, PID: os.Getpid(), Started: time.Now(), Provider: where.Provider(), KubernetesVersion: where.KubernetesVersion(), Kubeconfig: where.kubeconfig,
		RealNodes: where.realNodes, BinDir: where.binDir, Images: where.images, Kind: where.kind, AuditFolder: where.auditFolder(),
		Replaces: r.implementation.Replaces, Logs: r.artifacts.logs, dir: r.artifacts.root,
	}
	if err := w.write(); err != nil {
		return err
	}
	r.say("%s, Kubernetes %s, with %s switched off, ready in %.1f s; Ctrl-C takes it down\n    rollcall run -on %s -implementation=%s -focus=…",
		where.Provider(), where.KubernetesVersion(), listOr(w.Replaces, "no controller"), time.Since(began).Seconds(), name, r.options.implementation)
	return watchOver(ctx, where)
}

const (
	// lookInterval is how often a control plane that is kept is looked at, failedLooks how often in a row it may not answer.
	lookInterval = 2 * time.Second
	failedLooks  = 5
)

// watchOver returns when the context ends, or with an error when the control plane is not what it was.
func watchOver(ctx context.Context, where *place) error {
	client, err := kubernetes.NewForConfig(where.Config())
	if err != nil {
		return err
	}
	tick := time.NewTicker(lookInterval)
	defer tick.Stop()
	failed := 0
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		if control, ok := where.Cluster.(*embedded.Cluster); ok {
			if ended := control.Ended(); ended != "" {
				return fmt.Errorf("a process of the control plane has ended: %s", ended)
			}
		}
		look, cancel := context.WithTimeout(ctx, lookInterval)
		_, err := client.Discovery().RESTClient().Get().AbsPath("/readyz").DoRaw(look)
		cancel()
		if failed++; err == nil {
			failed = 0
		}
		if failed >= failedLooks {
			return fmt.Errorf("the API server does not answer any more: %w", err)
		}
	}
}

// parseUp reads the flags: those of `rollcall run` that say which control plane.
func parseUp(args []string, out io.Writer) (o options, name string, err error) {
	flags := newFlags("up", out)
	describe(flags, upHelp)
	flags.StringVar(&name, "name", defaultWarmName, "name for -on")
	takeImplementation(flags, &o.implementation)
	flags.StringVar(&o.provider, "provider", "", fmt.Sprintf("what provides the control plane: %s, %s (default: kind where a Docker engine answers, otherwise embedded)", embedded.ProviderName, kind.ProviderName))
	flags.StringVar(&o.kubernetesVersion, "kubernetes-version", "", "Kubernetes version, such as 1.36.3 (default: the newest one rollcall knows)")
	flags.IntVar(&o.workers, "workers", defaultWorkers, "provider kind: how many nodes with a kubelet scenarios share")
	if err := parseFlagsOnly(flags, args); err != nil {
		return o, name, err
	}
	if err := checkWarmName("-name", name); err != nil {
		return o, name, err
	}
	if o.provider == existing.ProviderName {
		return o, name, usagef("-provider %s: a cluster of your own is up already: `rollcall run -provider=%s` uses it", o.provider, o.provider)
	}
	return o, name, o.checkCluster()
}
