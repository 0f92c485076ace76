package run

import (
	"cmp"
	"context"
	"io"
	"runtime"
	"strings"

	"k8s.io/apiserver/pkg/authentication/user"

	"github.com/rollcall-conformance/rollcall/framework/cluster/embedded"
	"github.com/rollcall-conformance/rollcall/framework/controlplane"
	"github.com/rollcall-conformance/rollcall/framework/implementation"
)

// embeddedProvider runs the control plane as processes of this machine.
type embeddedProvider struct {
	version         string
	ownerReferences bool
	out             io.Writer
	binaries        controlplane.Binaries
}

func (p *embeddedProvider) name() string { return embedded.ProviderName }

func (p *embeddedProvider) check(context.Context) (string, error) { return versionOf(p.version), nil }

// versionOf is the version of the control plane that is asked for.
func versionOf(asked string) string {
	return strings.TrimPrefix(cmp.Or(asked, controlplane.DefaultKubernetesVersion), "v")
}

func (p *embeddedProvider) prepare(ctx context.Context) (err error) {
	p.binaries, err = ensureBinaries(ctx, p.version, p.out)
	return err
}

func (p *embeddedProvider) building() implementation.BuildOptions {
	return implementation.BuildOptions{BinDir: p.binaries.Dir}
}

func (p *embeddedProvider) start(ctx context.Context, r *suiteRun) (*place, error) {
	r.options.settleProcs(p.name(), runtime.NumCPU())
	control, err := embedded.Start(ctx, embedded.Options{
		Binary: p.binaries.Path, KubernetesVersion: p.binaries.KubernetesVersion,
		Dir: r.artifacts.work, LogDir: r.artifacts.logs, DisabledControllers: r.implementation.Replaces, Workload: r.implementation.Workload,
		CheckOwnerReferences: p.ownerReferences,
	})
	if err != nil {
		return nil, err
	}
	where := &place{Cluster: control, binDir: p.binaries.Dir}
	where.kubeconfig, err = control.KubeconfigFor(ctx, "rollcall", user.SystemPrivilegedGroup)
	return where, err
}
