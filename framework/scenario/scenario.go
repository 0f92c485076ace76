// Package scenario is what a spec does to a cluster: a namespace, nodes of its own, a DaemonSet, and a sequence of stimuli, all of it recorded.
//
// A scenario is a conversation in the second person: each method does one thing, waits until the cluster shows it, and ends the spec
// through TB when the harness itself fails. It decides nothing; the recording does, once the scenario is over.
package scenario

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/kubernetes"

	"github.com/rollcall-conformance/rollcall/framework/cluster"
	"github.com/rollcall-conformance/rollcall/framework/daemonimage"
	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/lever"
	"github.com/rollcall-conformance/rollcall/framework/recorder"
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
	// Client of the cluster, with an administrator's rights.
	Client kubernetes.Interface
	// RealNodes are the nodes with a kubelet that scenarios share. Default: the cluster has none.
	RealNodes []string
	// OnlyRealNodes: nobody simulates further nodes on this cluster.
	OnlyRealNodes bool
	// Machines are what is behind the real nodes. Default: they cannot be reached.
	Machines cluster.Machines
	// Images is where the images are that real nodes run. Default: daemonimage.Default.
	Images daemonimage.Place
	// Authors finds who made the recorded changes. Default: nobody does, and judges infer it.
	Authors Authors
	// Exclusive: nobody else uses the cluster while the scenario does.
	Exclusive bool
	// Records are namespaces whose DaemonSets are recorded too, though they are not the scenario's.
	Records []string
	// NodeKind is the kind of nodes that the scenario needs. Default: any, preferably real.
	NodeKind NodeKind
	// NoSurge: the implementation does not claim to obey maxSurge, so a scenario that sets it is not possible.
	NoSurge bool
	// Recordings is the folder for recordings.
	Recordings string
	// RevisionLabel of the implementation.
	RevisionLabel string
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
	recorder  *recorder.Recorder
	path      string
	// authorsFrom is env.Authors' position at the recording's beginning.
	authorsFrom int64

	// Pods are the levers on the scenario's pods.
	Pods Levers
}

// Start begins the recording and makes the namespace; name becomes both the namespace's and the recording's name, text is what it records.
func Start(ctx context.Context, tb TB, env Environment, name, text string) *Scenario {
	tb.Helper()
	if env.Patience == 0 {
		env.Patience = DefaultPatience
	}
	if env.Images == "" {
		env.Images = daemonimage.Default
	}
	s := &Scenario{tb: tb, env: env, namespace: name, broken: map[string]func(context.Context) error{}, path: filepath.Join(env.Recordings, name+".jsonl")}
	nodes := labels.Set{NodeLabel(name): ""}
	sources := recorder.Cluster(env.Client, nodes, name, s.Bystanders())
	for _, namespace := range env.Records {
		sources = append(sources, recorder.Workloads(env.Client, namespace)...)
	}
	var err error
	if env.Authors != nil {
		s.authorsFrom, err = env.Authors.Begin(ctx)
		s.must(err, "find the authors of changes from now on")
	}
	s.recorder, err = recorder.Start(ctx, recorder.Options{
		Sources: sources,
		Path:    s.path,
		Header: history.Header{
			Scenario: text, Namespaces: append([]string{name, s.Bystanders()}, env.Records...), NodeSelector: nodes.String(),
			RevisionLabel: env.RevisionLabel, Seed: env.Seed,
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
	s.Pods = Levers{tb: tb, pods: lever.Simulated{Client: env.Client, Recorder: s.recorder}}
	s.makeNamespace(ctx, name)
	begun = true
	return s
}

// Namespace of the scenario's own objects.
func (s *Scenario) Namespace() string { return s.namespace }

// Bystanders is a second namespace that is recorded, for objects that nothing should happen to. It exists once MakeBystanders was called.
func (s *Scenario) Bystanders() string { return s.namespace + "-bystanders" }

// MakeBystanders makes the namespace for bystanders.
func (s *Scenario) MakeBystanders(ctx context.Context) {
	s.tb.Helper()
	s.makeNamespace(ctx, s.Bystanders())
}

// Client is the administrator's client, for what no method covers. Tell the recording first: Note.
func (s *Scenario) Client() kubernetes.Interface { return s.env.Client }

// RecordingPath is where the recording is.
func (s *Scenario) RecordingPath() string { return s.path }

// Note records a stimulus that the caller is about to give itself.
func (s *Scenario) Note(stimulus history.Stimulus) {
	s.tb.Helper()
	s.must(s.recorder.Stimulus(stimulus), "record stimulus %q", stimulus.Lever)
}

// Finish proves the recording complete, closes it, and returns the history. It also returns what it has when the proof fails: the history
// says itself that it is not complete, and the error why.
func (s *Scenario) Finish(ctx context.Context) (*history.History, error) {
	bounded, cancel := context.WithTimeout(ctx, catchUpTimeout)
	defer cancel()
	// What happens by the passage of time alone must show in the history too, so it ends with an entry that says when.
	ended := s.recorder.Stimulus(history.Stimulus{Lever: "end of scenario"})
	incomplete := errors.Join(ended, s.recorder.CatchUp(bounded))
	closed := s.recorder.Close()
	h, err := history.Open(s.path)
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
	for _, namespace := range []string{s.namespace, s.Bystanders()} {
		failures = append(failures,
			s.env.Client.AppsV1().DaemonSets(namespace).DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}),
			s.env.Client.CoreV1().Pods(namespace).DeleteCollection(ctx, soon, metav1.ListOptions{}),
			ignoreNotFound(s.env.Client.CoreV1().Namespaces().Delete(ctx, namespace, metav1.DeleteOptions{})),
		)
	}
	failures = append(failures, s.cleanNodes(ctx), s.mendAll(ctx))
	if err := errors.Join(failures...); err != nil {
		return fmt.Errorf("clean up scenario %s: %w", s.namespace, err)
	}
	return nil
}

func (s *Scenario) makeNamespace(ctx context.Context, name string) {
	s.tb.Helper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{NamespaceLabel: s.namespace}}}
	_, err := s.env.Client.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{})
	s.must(err, "create namespace %s", name)
	s.awaitServiceAccount(ctx, name)
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
