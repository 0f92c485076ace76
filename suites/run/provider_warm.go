package run

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"k8s.io/client-go/kubernetes"

	"github.com/rollcall-conformance/rollcall/framework/cluster"
	"github.com/rollcall-conformance/rollcall/framework/cluster/embedded"
	"github.com/rollcall-conformance/rollcall/framework/cluster/kind"
	"github.com/rollcall-conformance/rollcall/framework/cluster/kwok"
	"github.com/rollcall-conformance/rollcall/framework/implementation"
)

// sweepTimeout bounds taking away what the run before left.
const sweepTimeout = time.Minute

// warmProvider uses a control plane that `rollcall up` keeps.
type warmProvider struct {
	warm *warm
	// release ends the use.
	release func() error
}

func (p *warmProvider) name() string { return p.warm.Provider + " (" + p.warm.Name + ")" }

func (p *warmProvider) check(context.Context) (string, error) {
	return strings.TrimPrefix(p.warm.KubernetesVersion, "v"), nil
}

// prepare takes the control plane for this run.
func (p *warmProvider) prepare(context.Context) (err error) {
	p.release, err = p.warm.take()
	return err
}

// end gives the control plane back.
func (p *warmProvider) end() {
	if p.release == nil {
		return
	}
	if err := p.release(); err != nil {
		fmt.Fprintf(os.Stderr, "rollcall: give %s back: %v\n", p.warm.Name, err)
	}
}

func (p *warmProvider) building() implementation.BuildOptions {
	nodes := p.warm.Provider == kind.ProviderName
	return implementation.BuildOptions{Machines: nodes, Pull: nodes, BinDir: p.warm.BinDir, ImageCache: p.warm.Images}
}

func (p *warmProvider) start(ctx context.Context, r *suiteRun) (*place, error) {
	r.options.settleProcs(p.warm.Provider, runtime.NumCPU())
	where := &place{
		kubeconfig: p.warm.Kubeconfig, realNodes: p.warm.RealNodes, binDir: p.warm.BinDir, images: p.warm.Images, kind: p.warm.Kind, on: p.warm.Name,
	}
	if p.warm.Provider == kind.ProviderName {
		nodes, err := kind.Attach(ctx, p.warm.Kind, p.warm.Kubeconfig)
		if err != nil {
			return nil, p.gone(err)
		}
		where.Cluster, where.machines = keptKind{nodes}, nodes
	} else {
		control, err := embedded.Attach(embedded.AttachOptions{
			Kubeconfig: p.warm.Kubeconfig, KubernetesVersion: p.warm.KubernetesVersion, Dir: r.artifacts.work, AuditFolder: p.warm.AuditFolder,
		})
		if err != nil {
			return nil, p.gone(err)
		}
		where.Cluster = control
	}
	ctx, cancel := context.WithTimeout(ctx, sweepTimeout)
	defer cancel()
	if err := p.sweep(ctx, where.Cluster); err != nil {
		return nil, p.gone(err)
	}
	return where, p.install(ctx, r, where)
}

// gone says what to do if the control plane cannot be used.
func (p *warmProvider) gone(err error) error {
	return fmt.Errorf("the control plane %s cannot be used: %w\n    end its `rollcall up` (process %d) and start it again; its logs are in %s", p.warm.Name, err, p.warm.PID, p.warm.Logs)
}

// sweep removes what the scenarios of runs before left, and returns when it is gone.
func (p *warmProvider) sweep(ctx context.Context, where cluster.Cluster) error {
	client, err := kubernetes.NewForConfig(where.Config())
	if err != nil {
		return err
	}
	left := scenarioTraces()
	left.SimulatedLabel = kwok.NodeLabel
	if err := left.EmptyNamespaces(ctx, client); err != nil {
		return err
	}
	return left.CleanNodes(ctx, client)
}

// install notes what the implementation will install, and removes what those of runs before installed and this one does not.
func (p *warmProvider) install(ctx context.Context, r *suiteRun, where *place) error {
	installs, err := r.implementation.Installs(where.launchOptions(r, implementation.Artifact{}))
	if err != nil {
		return err
	}
	return inventory(filepath.Join(p.warm.dir, installedFile)).change(ctx, where.Config(), installs)
}

// keptKind is a kind cluster that `rollcall up` stops, and whose logs that has.
type keptKind struct{ *kind.Cluster }

// Stop implements cluster.Cluster: it does nothing.
func (keptKind) Stop(context.Context) error { return nil }

// ExportLogs implements cluster.Cluster: it does nothing.
func (keptKind) ExportLogs(context.Context) error { return nil }
