// Package scenario is what a spec does to a cluster: a namespace, nodes of its own, a DaemonSet, and a sequence of stimuli, all of it recorded.
//
// Each method of a scenario does one thing, waits until the cluster shows it, and ends the spec
// through TB when the harness itself fails. It decides nothing; the recording does, once the scenario is over.
package scenario

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/rollcall-conformance/rollcall/framework/cluster"
	"github.com/rollcall-conformance/rollcall/framework/cluster/kwok"
	"github.com/rollcall-conformance/rollcall/framework/daemonimage"
	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/lever"
	"github.com/rollcall-conformance/rollcall/framework/pulse"
	"github.com/rollcall-conformance/rollcall/framework/recorder"
	"github.com/rollcall-conformance/rollcall/framework/workload"
)

// NamespaceLabel marks the namespaces that belong to a scenario; its value is the scenario's name.
const NamespaceLabel = "rollcall.dev/scenario"

// NodeLabel is the label, without a value, of the nodes that belong to the scenario of that name.
func NodeLabel(scenario string) string { return history.ScenarioPrefix + scenario }

// DefaultPatience is how long a scenario waits for what an implementation should do.
const DefaultPatience = 30 * time.Second

// catchUpTimeout bounds the proof that a recording is complete.
const catchUpTimeout = 20 * time.Second

// TB ends a spec: with Fatalf when the harness failed, with Skipf when the scenario is not possible on the cluster. *testing.T and Ginkgo's GinkgoTB
// have it.
type TB interface {
	Helper()
	Fatalf(format string, args ...any)
	Skipf(format string, args ...any)
}

// Environment is what all scenarios of a run share.
type Environment struct {
	// Config of clients of the cluster, with an administrator's rights.
	Config *rest.Config
	// Workload is what the implementation reconciles: what the scenario does to DaemonSets it does to that. Default: DaemonSets.
	Workload workload.Workload
	// Features that the implementation claims, and NeverAlone, which says why no scenario can have the cluster to itself, are for the recording's header.
	Features   []string
	NeverAlone string
	// RealNodes are the nodes with a kubelet that scenarios share. Default: the cluster has none.
	RealNodes []string
	// OnlyRealNodes: nobody simulates further nodes on this cluster.
	OnlyRealNodes bool
	// OnlyAPI, for the recording's header: no scenario reaches etcd past the API server.
	OnlyAPI bool
	// SimulatedNodes are the marks of those that are. Default: those of a cluster of rollcall's own.
	SimulatedNodes kwok.Nodes
	// Machines are what is behind the real nodes. Default: they cannot be reached.
	Machines cluster.Machines
	// StorageURL is that of a cluster.Storage. Default: the scenario does not reach etcd.
	StorageURL string
	// Images is where the images are that real nodes run. Default: daemonimage.Default.
	Images daemonimage.Place
	// Pulse of the cluster. Default: standstills of the API server are not noticed.
	Pulse *pulse.Pulse
	// Authors finds who made the recorded changes. Default: nobody does, and judges infer it.
	Authors Authors
	// Exclusive: nobody else uses the cluster while the scenario does.
	Exclusive bool
	// Kinds are recorded besides DaemonSets, their histories and pods, and Event objects.
	Kinds []history.Kind
	// Bystanders: the scenario has a second namespace, for objects that nothing should happen to.
	Bystanders bool
	// Records are namespaces whose DaemonSets are recorded too, though they are not the scenario's.
	Records []string
	// NodeKind is the kind of nodes that the scenario needs. Default: any, preferably real.
	NodeKind NodeKind
	// NoSurge: the implementation does not claim to obey maxSurge, so a scenario that sets it is not possible.
	NoSurge bool
	// NameSuffix ends the names of namespaces and nodes, so that those of an earlier run on the same cluster, which may still be going, are others.
	// Default: none.
	NameSuffix string
	// Recordings is the folder for recordings.
	Recordings string
	// Earlier, for the recording's header: see history.Header. Default: none.
	Earlier *history.Earlier
	// RevisionLabel of the implementation.
	RevisionLabel string
	// PodUpdatePolicy is how DaemonSets ask the implementation for updates in place. Default: history.DefaultUpdatePolicy.
	PodUpdatePolicy history.UpdatePolicy
	// Seed of the run's random choices.
	Seed int64
	// Patience: how long to wait for what an implementation should do. Default: DefaultPatience.
	Patience time.Duration
}

// Scenario is one recorded scenario.
type Scenario struct {
	tb        TB
	env       Environment
	namespace string
	kind      NodeKind
	nodes     []string
	broken    map[string]func(context.Context) error
	// held are what lets go of the objects that the scenario keeps from being deleted.
	held     []func(context.Context) error
	recorder *recorder.Recorder
	path     string
	// admin is a client whose requests are not recorded, client one whose requests are recorded.
	admin, client kubernetes.Interface
	// admitted: the API server has been seen to create pods in the namespace, as far as that matters: see requireAdmission.
	admitted bool
	// authorsFrom is env.Authors' position at the recording's beginning.
	authorsFrom int64

	// Pods are the levers on the scenario's pods.
	Pods Levers
}

// Start begins the recording and makes the namespace; name becomes the recording's name and, with Environment.NameSuffix, the namespace's. text is what it
// records.
func Start(ctx context.Context, tb TB, env Environment, name, text string) *Scenario {
	tb.Helper()
	if env.Patience == 0 {
		env.Patience = DefaultPatience
	}
	if env.PodUpdatePolicy == (history.UpdatePolicy{}) {
		env.PodUpdatePolicy = history.DefaultUpdatePolicy()
	}
	if env.Images == "" {
		env.Images = daemonimage.Default
	}
	s := &Scenario{tb: tb, env: env, namespace: name + env.NameSuffix, broken: map[string]func(context.Context) error{}, path: filepath.Join(env.Recordings, name+".jsonl")}
	nodes := labels.Set{NodeLabel(s.namespace): ""}
	config, err := env.config()
	s.must(err, "translate requests")
	s.admin, err = kubernetes.NewForConfig(config)
	s.must(err, "make a client")
	sources, err := s.sources(config, nodes)
	s.must(err, "choose what to record")
	if env.Authors != nil {
		s.authorsFrom, err = env.Authors.Begin(ctx)
		s.must(err, "find the authors of changes from now on")
	}
	s.recorder, err = recorder.Start(ctx, recorder.Options{
		Sources: sources,
		Path:    s.path,
		Pulse:   env.Pulse,
		Header: history.Header{
			Scenario: text, Namespaces: s.recordedNamespaces(), NodeSelector: nodes.String(),
			RevisionLabel: env.RevisionLabel, UpdatePolicy: env.updatePolicy(), Seed: env.Seed, Features: env.Features, Workload: env.Workload.String(),
			Place:   history.Place{RealNodes: len(env.RealNodes), OnlyRealNodes: env.OnlyRealNodes, OnlyAPI: env.OnlyAPI, NeverAlone: env.NeverAlone},
			Earlier: env.Earlier,
		},
	})
	s.must(err, "start recording %s", s.path)
	begun := false
	defer func() {
		if !begun {
			// TB has ended the spec already, with the reason; the watches must not go on.
			_ = s.recorder.Close()
		}
	}()
	s.client, err = s.recordedClient(config)
	s.must(err, "make a client whose requests are recorded")
	s.Pods = Levers{tb: tb, pods: lever.Simulated{Client: s.client, Recorder: s.recorder}}
	for _, namespace := range s.Namespaces() {
		s.makeNamespace(ctx, namespace)
	}
	begun = true
	return s
}

// Namespace of the scenario's own objects.
func (s *Scenario) Namespace() string { return s.namespace }

// RevisionLabel is the label by which the implementation tells revisions apart.
func (s *Scenario) RevisionLabel() string { return s.env.RevisionLabel }

// Seed of the run's random choices.
func (s *Scenario) Seed() int64 { return s.env.Seed }

// Bystanders is the second namespace of a scenario that asked for one: see Environment.Bystanders.
func (s *Scenario) Bystanders() string { return s.namespace + "-bystanders" }

// Namespaces are the scenario's own.
func (s *Scenario) Namespaces() []string {
	if s.env.Bystanders {
		return []string{s.namespace, s.Bystanders()}
	}
	return []string{s.namespace}
}

func (s *Scenario) recordedNamespaces() []string { return append(s.Namespaces(), s.env.Records...) }

// sources are what the scenario records.
func (s *Scenario) sources(config *rest.Config, nodes labels.Set) ([]recorder.Source, error) {
	client, err := recorder.NewClient(config)
	if err != nil {
		return nil, err
	}
	ofNodes, err := recorder.Nodes(client, nodes)
	if err != nil {
		return nil, err
	}
	workloads := []history.Kind{history.KindDaemonSet, history.KindControllerRevision, history.KindPod}
	sources := []recorder.Source{ofNodes}
	for _, namespace := range s.recordedNamespaces() {
		kinds := workloads
		if slices.Contains(s.Namespaces(), namespace) {
			kinds = slices.Concat(workloads, s.env.Kinds, []history.Kind{history.KindEvent})
		}
		added, err := recorder.Namespaced(client, namespace, kinds...)
		if err != nil {
			return nil, err
		}
		sources = append(sources, added...)
	}
	return sources, nil
}

// RecordingPath is where the recording is.
func (s *Scenario) RecordingPath() string { return s.path }

// Do records the stimulus, carries it out and records its outcome. The error is that of the act.
func (s *Scenario) Do(ctx context.Context, stimulus history.Stimulus, act func(context.Context) error) error {
	return s.recorder.Do(ctx, stimulus, act)
}

// Mark records a point that the scenario's checks refer to.
func (s *Scenario) Mark(mark history.Mark) {
	s.tb.Helper()
	s.must(s.recorder.Mark(mark), "record mark %q", mark)
}

// Bind gives what the scenario chose, such as nodes or pods by name, the name by which its checks know it. The recording keeps it, so that the checks
// can be asked again without the scenario.
func (s *Scenario) Bind(name string, values ...string) {
	s.tb.Helper()
	s.must(s.recorder.Bind(name, values...), "record what %q is", name)
}

// Recorded reads the recording so far.
func (s *Scenario) Recorded() *history.History {
	s.tb.Helper()
	h, err := history.OpenUnsealed(s.path)
	s.must(err, "read the recording so far")
	return h
}

// Finish records how the scenario ended, proves the recording complete, closes it, and returns the history. It also returns what it has when the proof
// fails: the history says itself that it is not complete, and the error why. The recording is the caller's to seal.
func (s *Scenario) Finish(ctx context.Context, ending history.Ending) (*history.History, error) {
	bounded, cancel := context.WithTimeout(ctx, catchUpTimeout)
	defer cancel()
	ending.Nodes = string(s.kind)
	incomplete := s.recorder.End(ending)
	if incomplete == nil {
		incomplete = s.recorder.CatchUp(bounded)
	}
	closed := s.recorder.Close()
	h, err := history.OpenUnsealed(s.path)
	if err == nil {
		err = s.attribute(ctx, h)
	}
	return h, errors.Join(incomplete, closed, err)
}

// Clean removes what the scenario made, without waiting until it is gone: names are never used twice.
func (s *Scenario) Clean(ctx context.Context) error {
	// A kubelet ends what runs there first, however long the pod says that may take; nobody else would end a simulated pod.
	grace := map[NodeKind]int64{Real: 1}[s.kind]
	soon := metav1.DeleteOptions{GracePeriodSeconds: &grace}
	var failures []error
	for _, release := range s.held {
		failures = append(failures, release(ctx))
	}
	for _, namespace := range s.Namespaces() {
		failures = append(failures,
			s.admin.AppsV1().DaemonSets(namespace).DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}),
			s.admin.CoreV1().Pods(namespace).DeleteCollection(ctx, soon, metav1.ListOptions{}),
			ignoreNotFound(s.admin.CoreV1().Namespaces().Delete(ctx, namespace, metav1.DeleteOptions{})),
		)
	}
	failures = append(failures, s.cleanNodes(ctx), s.restoreAll(ctx))
	if err := errors.Join(failures...); err != nil {
		return fmt.Errorf("clean up scenario %s: %w", s.namespace, err)
	}
	return nil
}

// must ends the spec when the harness failed.
func (s *Scenario) must(err error, doing string, args ...any) {
	s.tb.Helper()
	if err != nil {
		s.tb.Fatalf("harness: %s: %v", fmt.Sprintf(doing, args...), err)
	}
}

func ignoreNotFound(err error) error {
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}
