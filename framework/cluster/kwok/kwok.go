// Package kwok runs KWOK beside a cluster, which simulates nodes and the pods on them as fixtures/stages has it.
package kwok

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/rollcall-conformance/rollcall/fixtures/stages"
	"github.com/rollcall-conformance/rollcall/framework/cluster/component"
	"github.com/rollcall-conformance/rollcall/framework/process"
)

// Name is what messages and logs call the program.
const Name = "kwok"

// NodeLabel with NodeLabelValue marks the nodes that KWOK simulates; it leaves all others alone. A node without the label kubernetes.io/os keeps
// kube-proxy and whatever else a cluster runs on every real node away.
const (
	NodeLabel      = "rollcall.dev/node"
	NodeLabelValue = "simulated"
)

const configuration = `apiVersion: config.kwok.x-k8s.io/v1alpha1
kind: KwokConfiguration
options:
  manageNodesWithLabelSelector: %s=%s
  nodeLeaseDurationSeconds: 0
  podPlayStageParallelism: 8
  nodePlayStageParallelism: 4
`

// Options says how to run KWOK.
type Options struct {
	// Nodes are those that it simulates. Default: those with NodeLabel.
	Nodes Nodes
	// Path of the program.
	Path string
	// Kubeconfig of a user who may do everything.
	Kubeconfig string
	// Dir receives the configuration file.
	Dir string
	// LogPath is the file to which it prints.
	LogPath string
	// ReadyTimeout bounds the wait for its being healthy.
	ReadyTimeout time.Duration
}

// configuration is that of KWOK. It renews no Leases: see Leases.
func (o Options) configuration() []byte {
	return fmt.Appendf(nil, configuration, o.Nodes.Label(), NodeLabelValue)
}

// Start runs KWOK and returns once it is healthy. It ends with the process that started it.
func Start(ctx context.Context, options Options) (*process.Process, error) {
	documents, err := stages.Config()
	if err != nil {
		return nil, err
	}
	config := filepath.Join(options.Dir, "kwok.yaml")
	if err := os.WriteFile(config, append(options.configuration(), documents...), 0o600); err != nil {
		return nil, fmt.Errorf("write the configuration of kwok: %w", err)
	}
	return component.Start(ctx, component.Options{
		Name: Name,
		Path: options.Path,
		Args: func(port int) []string {
			return []string{
				"--kubeconfig=" + options.Kubeconfig,
				"--config=" + config,
				"--v=WARN",
				"--server-address=" + component.Address(port),
			}
		},
		Plain:        true,
		LogPath:      options.LogPath,
		ReadyTimeout: options.ReadyTimeout,
	})
}

// Simulation is a KWOK whose nodes renew their Leases.
type Simulation struct {
	kwok   *process.Process
	leases *Leases
}

// Simulate runs KWOK, and has its nodes renew their Leases, beside a cluster that takes nodes that do not for lost.
func Simulate(ctx context.Context, options Options) (*Simulation, error) {
	started, err := Start(ctx, options)
	if err != nil {
		return nil, err
	}
	leases, err := StartLeases(ctx, options.Kubeconfig, options.Nodes)
	if err != nil {
		return nil, errors.Join(err, started.Stop(context.WithoutCancel(ctx)))
	}
	return &Simulation{started, leases}, nil
}

// Stop ends it.
func (s *Simulation) Stop(ctx context.Context) error {
	s.leases.Stop()
	return s.kwok.Stop(ctx)
}

// Kill ends it as a crash of the harness does.
func (s *Simulation) Kill() error {
	s.leases.Stop()
	return s.kwok.Kill()
}
