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
)

const (
	// prepareTimeout bounds making what all turns need, stopTimeout taking everything down.
	prepareTimeout = 5 * time.Minute
	stopTimeout    = time.Minute
	// lookInterval is how often it is looked whether what was asked for is there.
	lookInterval = 500 * time.Millisecond
	// requestsAtOnce is how many requests the harness makes at the same time.
	requestsAtOnce = 16
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

// runner is a control plane.
type runner struct {
	settings
	cluster *embedded.Cluster
	client  kubernetes.Interface
	binDir  string
}

// measure has every implementation go through every course, in turns, and returns what was measured, in their order.
func measure(ctx context.Context, s settings, tested []*implementation.Implementation) (_ []table, err error) {
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
	r := &runner{settings: s, binDir: binaries.Dir}
	slices.Sort(replaced)
	r.cluster, err = embedded.Start(ctx, embedded.Options{
		Binary: binaries.Path, KubernetesVersion: binaries.KubernetesVersion, Dir: work, LogDir: filepath.Join(s.artifacts, "logs"),
		DisabledControllers: slices.Compact(replaced),
	})
	if err != nil {
		return nil, err
	}
	defer func() {
		stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
		defer cancel()
		err = errors.Join(err, r.cluster.Stop(stopping))
	}()
	config := rest.CopyConfig(r.cluster.Config())
	// The harness shall not be what a rollout waits for.
	config.QPS, config.Burst = 500, 1000
	if r.client, err = kubernetes.NewForConfig(config); err != nil {
		return nil, err
	}
	var measured []table
	for _, c := range s.courses {
		results, err := r.run(ctx, c, tested, artifacts)
		if err != nil {
			return nil, err
		}
		measured = append(measured, table{c, results})
	}
	return measured, nil
}

// run has each implementation go through the course, in turns.
func (r *runner) run(ctx context.Context, c course, tested []*implementation.Implementation, artifacts []implementation.Artifact) ([]result, error) {
	fmt.Fprintf(os.Stderr, "bench: making %s\n", c.title())
	preparing, cancel := context.WithTimeout(ctx, prepareTimeout)
	defer cancel()
	if err := c.prepare(preparing, r.client); err != nil {
		return nil, fmt.Errorf("make %s: %w", c.title(), err)
	}
	results := make([]result, len(tested))
	for round := range r.rounds {
		for i, each := range tested {
			fmt.Fprintf(os.Stderr, "bench: round %d of %d: %s\n", round+1, r.rounds, each.Name)
			measured, err := r.turn(ctx, c, each, artifacts[i], round)
			if err != nil {
				return nil, fmt.Errorf("%s, %s, round %d: %w", c.title(), each.Name, round+1, err)
			}
			results[i].name, results[i].turns = each.Name, append(results[i].turns, measured)
		}
	}
	return results, nil
}
