package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/rollcall-conformance/rollcall/framework/cluster/existing"
	"github.com/rollcall-conformance/rollcall/framework/cluster/kwok"
	"github.com/rollcall-conformance/rollcall/framework/cluster/traces"
	"github.com/rollcall-conformance/rollcall/framework/controlplane"
	"github.com/rollcall-conformance/rollcall/framework/daemonimage"
	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/implementation"
	"github.com/rollcall-conformance/rollcall/framework/scenario"
)

// existingProvider uses nodes that somebody set aside in a cluster of theirs, and leaves the cluster as it was.
type existingProvider struct {
	kubeconfig, context string
	images              daemonimage.Place
	// simulate has KWOK simulate nodes beside those.
	simulate bool
	out      io.Writer
	config   *clientcmdapi.Config
	kwok     controlplane.Binaries
}

func (p *existingProvider) name() string { return existing.ProviderName }

func (p *existingProvider) check(ctx context.Context) (_ string, err error) {
	if p.config, err = existing.ReadConfig(p.kubeconfig, p.context); err != nil {
		return "", usagef("provider existing: %w", err)
	}
	err = existing.Check(ctx, existing.Options{Config: p.config, Traces: scenarioTraces(), Simulate: p.simulate})
	if errors.As(err, new(existing.Unsuitable)) {
		err = usageError{err}
	}
	return "of the cluster in context " + p.config.CurrentContext, err
}

func (p *existingProvider) prepare(ctx context.Context) (err error) {
	if p.simulate {
		p.kwok, err = ensurePrograms(ctx, controlplane.Options{Names: []string{kwok.Name}, Out: p.out})
	}
	return err
}

func (p *existingProvider) building() implementation.BuildOptions {
	return implementation.BuildOptions{Pull: true}
}

func (p *existingProvider) start(ctx context.Context, r *suiteRun) (*place, error) {
	options := existing.Options{
		Config: p.config, Dir: r.artifacts.work, Simulate: p.simulate, Out: p.out,
		Traces: scenarioTraces(),
	}
	if p.simulate {
		options.KWOK, options.KWOKLog = p.kwok.Path(kwok.Name), filepath.Join(r.artifacts.logs, kwok.Name+".log")
	}
	nodes, err := existing.Start(ctx, options)
	if err != nil {
		return nil, err
	}
	where := &place{
		Cluster: nodes, kubeconfig: nodes.Kubeconfig(), realNodes: nodes.Nodes(), onlyRealNodes: !p.simulate, daemonImages: p.images,
		neverAlone: "nothing is done to the control plane and the machines of an existing cluster, nor to others' implementations",
	}
	if p.simulate {
		where.simulatedNodes = existing.SimulatedNodes()
	}
	if err := nodes.ClocksAgree(ctx); err != nil {
		return where, err
	}
	pods := scenario.ImagesPod(p.images)
	if err := nodes.RunOnEveryNode(ctx, pods, scenario.ImagesPodPort, "readyz"); err != nil {
		return where, fmt.Errorf("%w\n    the nodes must have the images %s:v1 to v9 and %s, or pull them: see `rollcall images` and -images", err, p.images.Daemon(), p.images.Probe())
	}
	if slices.Contains(r.implementation.Replaces, daemonSetController) {
		if err := nodes.NobodyRunsDaemonSets(ctx, pods); err != nil {
			return where, err
		}
	}
	installs, err := r.implementation.Installs(where.launchOptions(r, implementation.Artifact{}))
	return where, errors.Join(err, nodes.WillInstall(ctx, installs))
}

// daemonSetController is what kube-controller-manager calls its DaemonSet controller.
const daemonSetController = "daemonset-controller"

// scenarioTraces is how scenarios' traces are told on a cluster that outlives them.
func scenarioTraces() traces.Traces {
	return traces.Traces{
		NamespaceLabel: scenario.NamespaceLabel, NodeLabelPrefix: history.ScenarioPrefix, NodeAnnotations: []string{history.MarkAnnotation},
		Finalizer: scenario.Finalizer,
	}
}
