package run

import (
	"context"
	"io"
	"runtime"

	"github.com/rollcall-conformance/rollcall/framework/cluster/kind"
	"github.com/rollcall-conformance/rollcall/framework/cluster/kwok"
	"github.com/rollcall-conformance/rollcall/framework/controlplane"
	"github.com/rollcall-conformance/rollcall/framework/daemonimage"
	"github.com/rollcall-conformance/rollcall/framework/image"
	"github.com/rollcall-conformance/rollcall/framework/implementation"
)

// kindProvider makes nodes of containers, each with a kubelet, and has KWOK simulate more.
type kindProvider struct {
	version string
	workers int
	keep    bool
	out     io.Writer
	kwok    controlplane.Binaries
	images  string
	// archives are the images that scenarios run.
	archives []string
}

func (p *kindProvider) name() string { return kind.ProviderName }

func (p *kindProvider) check(ctx context.Context) (string, error) {
	return versionOf(p.version), kind.EngineAnswers(ctx)
}

func (p *kindProvider) prepare(ctx context.Context) (err error) {
	if p.kwok, err = ensurePrograms(ctx, controlplane.Options{Names: []string{kwok.Name}, Out: p.out}); err != nil {
		return err
	}
	if p.images, err = imageCache(); err != nil {
		return err
	}
	for _, build := range []func(context.Context, string) (image.Archive, error){daemonimage.Build, daemonimage.BuildProbe} {
		built, err := build(ctx, p.images)
		if err != nil {
			return asUsageError(err)
		}
		p.archives = append(p.archives, built.Path)
	}
	return nil
}

func (p *kindProvider) building() implementation.BuildOptions {
	return implementation.BuildOptions{Machines: true, Pull: true, BinDir: p.kwok.Dir, ImageCache: p.images}
}

func (p *kindProvider) start(ctx context.Context, r *suiteRun) (_ *place, err error) {
	r.options.settleProcs(p.name(), runtime.NumCPU())
	dir := r.artifacts.work
	if p.keep {
		dir = r.artifacts.root // work goes at the end of the run, and with it would the kubeconfig
	}
	nodes, err := kind.Start(ctx, kind.Options{
		Workers: p.workers, KubernetesVersion: p.version, Dir: dir, LogDir: r.artifacts.logs,
		KWOK: p.kwok.Path(kwok.Name), DisabledControllers: r.implementation.Replaces, Workload: r.implementation.Workload, Keep: p.keep, Out: p.out,
	})
	if err != nil {
		return nil, err
	}
	where := &place{
		Cluster: nodes, kubeconfig: nodes.Kubeconfig(), realNodes: nodes.Workers(), machines: nodes, binDir: p.kwok.Dir, images: p.images, kind: nodes.Name(), keep: p.keep,
	}
	for _, archive := range p.archives {
		if err := nodes.LoadImages(ctx, archive); err != nil {
			return where, err
		}
	}
	return where, nil
}
