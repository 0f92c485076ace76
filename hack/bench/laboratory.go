package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/rollcall-conformance/rollcall/framework/cluster/embedded"
	"github.com/rollcall-conformance/rollcall/framework/controlplane"
	"github.com/rollcall-conformance/rollcall/framework/implementation"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/hack/internal/trial"
)

const (
	// stopTimeout bounds taking everything down.
	stopTimeout = time.Minute
	// lookInterval is how often it is looked whether pods are gone.
	lookInterval = 500 * time.Millisecond
)

// load reads the implementation files.
func load(names []string) ([]*implementation.Implementation, error) {
	catalogue, err := requirements.Load()
	if err != nil {
		return nil, err
	}
	var tested []*implementation.Implementation
	for _, name := range names {
		read, err := implementation.Load(name, catalogue)
		if err != nil {
			return nil, err
		}
		if read.Launch.Process == nil || read.Launch.Process.MetricsURL == "" {
			return nil, fmt.Errorf("%s has no spec.launch.process.metrics.url: what it costs can be read nowhere", name)
		}
		tested = append(tested, read)
	}
	return tested, nil
}

// laboratory is a control plane with nodes.
type laboratory struct {
	settings
	cluster *embedded.Cluster
	client  kubernetes.Interface
	binDir  string
}

// measure lets each implementation have its turns, and returns what was measured, in their order.
func measure(ctx context.Context, s settings, tested []*implementation.Implementation) (_ []result, err error) {
	if err := os.MkdirAll(s.artifacts, 0o755); err != nil {
		return nil, err
	}
	work, err := os.MkdirTemp("", "rollcall-bench-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	binaries, err := controlplane.Ensure(ctx, controlplane.Options{Out: os.Stderr})
	if err != nil {
		return nil, err
	}
	artifacts := make([]implementation.Artifact, len(tested))
	var replaced []string
	for i, each := range tested {
		if artifacts[i], err = each.Build(ctx, implementation.BuildOptions{Dir: work, BinDir: binaries.Dir, Out: os.Stderr}); err != nil {
			return nil, err
		}
		replaced = append(replaced, each.Replaces...)
	}
	l := &laboratory{settings: s, binDir: binaries.Dir}
	slices.Sort(replaced)
	l.cluster, err = embedded.Start(ctx, embedded.Options{
		Binary: binaries.Path, KubernetesVersion: binaries.KubernetesVersion, Dir: work, LogDir: filepath.Join(s.artifacts, "logs"),
		DisabledControllers: slices.Compact(replaced),
	})
	if err != nil {
		return nil, err
	}
	defer func() {
		stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
		defer cancel()
		err = errors.Join(err, l.cluster.Stop(stopping))
	}()
	config := rest.CopyConfig(l.cluster.Config())
	// The harness shall not be what a rollout waits for.
	config.QPS, config.Burst = 500, 1000
	if l.client, err = kubernetes.NewForConfig(config); err != nil {
		return nil, err
	}
	if err := trial.AddNodes(ctx, l.client, s.nodes); err != nil {
		return nil, err
	}
	results := make([]result, len(tested))
	for round := range s.rounds {
		for i, each := range tested {
			fmt.Fprintf(os.Stderr, "bench: round %d of %d: %s\n", round+1, s.rounds, each.Name)
			measured, err := l.turn(ctx, each, artifacts[i], round)
			if err != nil {
				return nil, fmt.Errorf("%s, round %d: %w", each.Name, round+1, err)
			}
			results[i].name, results[i].turns = each.Name, append(results[i].turns, measured)
		}
	}
	return results, nil
}
