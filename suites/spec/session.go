package spec

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/rollcall-conformance/rollcall/framework/cluster/kwok"
	"github.com/rollcall-conformance/rollcall/framework/daemonimage"
	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/pulse"
	"github.com/rollcall-conformance/rollcall/framework/redact"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/workload"
)

// SessionVariable is the environment variable that names the file with the session.
const SessionVariable = "ROLLCALL_SESSION"

// Session is what the rollcall command tells the processes that run its specs.
type Session struct {
	// Kubeconfig of an administrator.
	Kubeconfig string `json:"kubeconfig"`
	// Recordings is the folder for recordings.
	Recordings string `json:"recordings"`
	// Artifacts is the report's folder, to which the report's paths are relative.
	Artifacts string `json:"artifacts"`
	// ArtifactsAsNamed is the same folder as the user named it.
	ArtifactsAsNamed string `json:"artifactsAsNamed"`
	// NameSuffix: see scenario.Environment.
	NameSuffix string `json:"nameSuffix,omitempty"`
	// Progress is the file for what is to be said while specs run. Default: nothing is said.
	Progress string `json:"progress,omitempty"`
	// RevisionLabel and Features of the implementation.
	RevisionLabel string                 `json:"revisionLabel"`
	Features      []requirements.Feature `json:"features"`
	// PodUpdatePolicy is how DaemonSets ask it for updates in place.
	PodUpdatePolicy history.UpdatePolicy `json:"podUpdatePolicy"`
	// Workload is what it reconciles.
	Workload workload.Workload `json:"workload"`
	// RealNodes, OnlyRealNodes, OnlyAPI and SimulatedNodes: see scenario.Environment.
	RealNodes      []string   `json:"realNodes,omitempty"`
	OnlyRealNodes  bool       `json:"onlyRealNodes,omitempty"`
	OnlyAPI        bool       `json:"onlyAPI,omitempty"`
	SimulatedNodes kwok.Nodes `json:"simulatedNodes"`
	// Images: see scenario.Environment.
	Images daemonimage.Place `json:"images,omitempty"`
	// NeverAlone says why no spec can have the cluster and the implementation to itself; empty if it can.
	NeverAlone string `json:"neverAlone,omitempty"`
	// Audited: the API server keeps an audit log, in AuditFolder if that is on this machine.
	Audited     bool   `json:"audited,omitempty"`
	AuditFolder string `json:"auditFolder,omitempty"`
	// ImplementationUsers are the user names under which the implementation acts.
	ImplementationUsers []string `json:"implementationUsers,omitempty"`
	// Launch starts the implementation once more for specs that are alone.
	Launch Launch `json:"launch"`
	// Supervisor is the address of the run: see LogEndPath and those beside it.
	Supervisor string `json:"supervisor,omitempty"`
	// Seed of the run's random choices.
	Seed int64 `json:"seed"`
	// Patience: see scenario.Environment.
	Patience time.Duration `json:"patience"`
}

// folders are those of this machine that no recording names.
func (s Session) folders() redact.Folders {
	return redact.Here(redact.Folder{Path: s.Artifacts, Name: "ARTIFACTS"}, redact.Folder{Path: s.Launch.Work, Name: "WORK"})
}

// Write writes the session for ReadSession.
func (s Session) Write(path string) error {
	text, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("encode session: %w", err)
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		return fmt.Errorf("write session: %w", err)
	}
	return nil
}

// ReadSession reads the session that SessionVariable names.
func ReadSession() (Session, error) {
	var s Session
	path := os.Getenv(SessionVariable)
	if path == "" {
		return s, fmt.Errorf("%s is not set: specs are run by `rollcall run`", SessionVariable)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return s, fmt.Errorf("read session: %w", err)
	}
	if err := json.Unmarshal(text, &s); err != nil {
		return s, fmt.Errorf("read session %s: %w", path, err)
	}
	return s, nil
}

// features that the implementation claims, as a recording names them.
func (s Session) features() []string {
	features := make([]string, len(s.Features))
	for i, feature := range s.Features {
		features[i] = string(feature)
	}
	return features
}

// header is what every recording of the run says about the implementation and the cluster.
func (s Session) header() history.Header {
	return history.Header{
		Features: s.features(), Workload: s.Workload.String(),
		Place: history.Place{RealNodes: len(s.RealNodes), OnlyRealNodes: s.OnlyRealNodes, OnlyAPI: s.OnlyAPI, NeverAlone: s.NeverAlone},
	}
}

// connectTimeout bounds what a process asks of the cluster before its first spec.
const connectTimeout = 30 * time.Second

// environment connects to the session's cluster.
func (s Session) environment() (scenario.Environment, error) {
	config, err := clientcmd.BuildConfigFromFlags("", s.Kubeconfig)
	if err != nil {
		return scenario.Environment{}, fmt.Errorf("read kubeconfig: %w", err)
	}
	config.QPS, config.Burst = 500, 1000
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return scenario.Environment{}, fmt.Errorf("connect to the cluster: %w", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), connectTimeout)
	defer cancel()
	authors, err := s.authors(ctx, client)
	if err != nil {
		return scenario.Environment{}, err
	}
	// It ends with the process.
	started, err := s.startPulse(ctx, config)
	return scenario.Environment{
		Config: config, Workload: s.Workload, Pulse: started, Authors: authors, RealNodes: s.RealNodes, OnlyRealNodes: s.OnlyRealNodes, OnlyAPI: s.OnlyAPI, SimulatedNodes: s.SimulatedNodes, Images: s.Images,
		Features: s.features(), NeverAlone: s.NeverAlone,
		NoSurge:    !slices.Contains(s.Features, requirements.Surge),
		NameSuffix: s.NameSuffix, Recordings: s.Recordings, RevisionLabel: s.RevisionLabel, PodUpdatePolicy: s.PodUpdatePolicy, Seed: s.Seed, Patience: s.Patience,
	}, err
}

// startPulse starts the pulse of a cluster.
func (s Session) startPulse(ctx context.Context, config *rest.Config) (*pulse.Pulse, error) {
	return pulse.Start(ctx, pulse.Options{
		Config: config, Namespace: "rollcall-pulse" + s.NameSuffix, Labels: map[string]string{scenario.NamespaceLabel: "pulse"},
	})
}

// process is what one process that runs specs reads once: its session, the connection and the catalogue.
type process struct {
	session     Session
	environment scenario.Environment
	catalogue   *requirements.Catalogue
}

var thisProcess = sync.OnceValues(func() (process, error) {
	var p process
	var err error
	if p.session, err = ReadSession(); err != nil {
		return p, err
	}
	if p.environment, err = p.session.environment(); err != nil {
		return p, err
	}
	p.catalogue, err = requirements.Load()
	return p, err
})
