package run

import (
	"context"
	"path/filepath"
	"strconv"

	"k8s.io/client-go/kubernetes"

	"github.com/rollcall-conformance/rollcall/framework/audit"
	"github.com/rollcall-conformance/rollcall/framework/cluster"
	"github.com/rollcall-conformance/rollcall/framework/cluster/embedded"
	"github.com/rollcall-conformance/rollcall/framework/cluster/kwok"
	"github.com/rollcall-conformance/rollcall/framework/daemonimage"
	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/implementation"
	"github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// provider brings up the cluster that a run takes place on.
type provider interface {
	// name is what reports call it.
	name() string
	// check looks whether the cluster can be had, and changes and builds nothing. The version is that of its Kubernetes, in words.
	check(ctx context.Context) (version string, err error)
	// prepare finds or builds what start needs, before anything of the run exists.
	prepare(ctx context.Context) error
	// building says what for the implementation is built, before there is a cluster.
	building() implementation.BuildOptions
	// start brings the cluster up for the run, without the controllers that the implementation replaces.
	start(ctx context.Context, r *suiteRun) (*place, error)
}

// place is where a run takes place.
type place struct {
	cluster.Cluster
	// kubeconfig is an administrator's.
	kubeconfig string
	// realNodes are the nodes with a kubelet that scenarios may use.
	realNodes []string
	// machines are behind the real nodes; nil where nobody reaches them.
	machines cluster.Machines
	// daemonImages is where real nodes find what scenarios run; empty for what was brought to them.
	daemonImages daemonimage.Place
	// neverAlone says why no spec can have the cluster and the implementation to itself; empty if it can.
	neverAlone string
	// onlyRealNodes: nobody simulates further ones.
	onlyRealNodes bool
	// simulatedNodes are the marks of those, beside the real ones.
	simulatedNodes kwok.Nodes
	// binDir holds the control plane's programs.
	binDir string
	// images is the cache for images; empty where nobody runs any.
	images string
	// kind is the name of the kind cluster, if it is one.
	kind string
	// on is the name of the control plane, if `rollcall up` keeps it.
	on string
	// keep leaves the cluster, and the implementation in it, as they are at the end.
	keep bool
}

// nodeKinds are the kinds of nodes that scenarios may find, for the report.
func (p *place) nodeKinds() []string {
	var kinds []string
	if len(p.realNodes) > 0 {
		kinds = append(kinds, string(scenario.Real))
	}
	if !p.onlyRealNodes {
		kinds = append(kinds, string(scenario.Simulated))
	}
	return kinds
}

// onlyAPI reports whether no spec reaches etcd past the API server: one that is alone on embedded does, on a control plane of its own.
func (p *place) onlyAPI() bool { return p.kind != "" || p.neverAlone != "" }

// launchOptions are those of the implementation under test.
func (p *place) launchOptions(r *suiteRun, built implementation.Artifact) implementation.LaunchOptions {
	options := implementation.LaunchOptions{
		Cluster: p.Cluster, Artifact: built, Pull: len(p.realNodes) > 0 || p.simulatedNodes.Foreign,
		RunDir: filepath.Join(r.artifacts.work, "implementation"), BinDir: p.binDir,
		LogPath: filepath.Join(r.artifacts.logs, r.implementation.Name+".implementation.log"),
	}
	if p.machines != nil {
		options.Machines = p.machines
	}
	return options
}

// vacate removes what the scenarios made, and returns when it is gone. The implementation is at work: it may hold some of it back until it has seen it go. Nothing is
// removed where the cluster goes at the end with all that is in it, and the implementation is none of that.
func (p *place) vacate(ctx context.Context) error {
	left := scenarioTraces()
	left.SimulatedLabel = p.simulatedNodes.Label()
	remove := left.RemoveNamespaces
	switch {
	case p.on != "":
		remove = left.EmptyNamespaces
	case p.kind == "" && p.neverAlone == "":
		return nil
	}
	client, err := kubernetes.NewForConfig(p.Config())
	if err != nil {
		return err
	}
	return remove(ctx, client)
}

// lender lends control planes like this one to specs that are alone; nil where they share the cluster with all others, or are not run.
func (p *place) lender(r *suiteRun) *lender {
	if p.kind != "" || p.neverAlone != "" {
		return nil
	}
	return newLender(embedded.Options{
		Binary:            func(binary string) string { return filepath.Join(p.binDir, binary) },
		KubernetesVersion: p.KubernetesVersion(), Dir: r.artifacts.work, LogDir: r.artifacts.logs, DisabledControllers: r.implementation.Replaces,
		Workload: r.implementation.Workload, CheckOwnerReferences: r.options.ownerReferences,
	})
}

// session is what the specs' processes need to know.
func (p *place) session(r *suiteRun, file string, built implementation.Artifact) (spec.Session, error) {
	users, err := r.implementation.Users(p.launchOptions(r, built))
	suffix := ""
	if p.on != "" {
		// Not of the seed: the same one may be used again.
		suffix = "-" + strconv.FormatInt(r.began.Unix(), 36)
	}
	return spec.Session{
		NameSuffix: suffix,
		Kubeconfig: p.kubeconfig, Recordings: r.artifacts.recordings, Progress: r.artifacts.progress(), Artifacts: r.artifacts.root, ArtifactsAsNamed: r.options.artifactsAsNamed,
		RevisionLabel: r.implementation.RevisionLabel, PodUpdatePolicy: r.implementation.PodUpdatePolicy, Features: r.implementation.Features, Workload: r.implementation.Workload,
		RealNodes: p.realNodes, OnlyRealNodes: p.onlyRealNodes, OnlyAPI: p.onlyAPI(), SimulatedNodes: p.simulatedNodes, Images: p.daemonImages, NeverAlone: p.neverAlone,
		Audited: p.auditLog() != nil, AuditFolder: p.auditFolder(), ImplementationUsers: users,
		Seed: r.options.seed, Patience: r.options.patience,
		Launch: spec.Launch{
			Implementation: file, Artifact: built, BinDir: p.binDir, Kind: p.kind,
			Work: r.artifacts.work, Logs: r.artifacts.logs,
		},
	}, err
}

// auditLog is the API server's; nil where it keeps none.
func (p *place) auditLog() audit.Log {
	if keeper, ok := p.Cluster.(audit.Keeper); ok {
		return keeper.AuditLog()
	}
	return nil
}

// auditFolder is where the audit log is on this machine; empty where it is not.
func (p *place) auditFolder() string {
	folder, _ := p.auditLog().(audit.Folder)
	return string(folder)
}

// authors is where the recordings' authors come from.
func (p *place) authors() history.Authors {
	if p.auditLog() == nil {
		return history.AuthorsInferred
	}
	return history.AuthorsFromAuditLog
}
