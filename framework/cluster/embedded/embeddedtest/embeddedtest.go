// Package embeddedtest gives Go tests an embedded control plane.
package embeddedtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/cluster/embedded"
	"github.com/rollcall-conformance/rollcall/framework/controlplane"
)

// startTimeout bounds building the binaries, which may take minutes the first time, and starting them.
const startTimeout = 20 * time.Minute

// Main runs a package's tests beside one control plane, which use receives before the first test. It returns the exit code for os.Exit.
func Main(m *testing.M, use func(*embedded.Cluster)) int {
	cluster, remove, err := start()
	if err != nil {
		fmt.Fprintln(os.Stderr, "start the tests' control plane:", err)
		return 1
	}
	use(cluster)
	code := m.Run()
	stopping, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := errors.Join(cluster.Stop(stopping), remove()); err != nil {
		fmt.Fprintln(os.Stderr, "stop the tests' control plane:", err)
		return 1
	}
	return code
}

func start() (*embedded.Cluster, func() error, error) {
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	binaries, err := controlplane.Ensure(ctx, controlplane.Options{Out: os.Stderr})
	if err != nil {
		return nil, nil, err
	}
	dir, err := os.MkdirTemp("", "rollcall-test-")
	if err != nil {
		return nil, nil, err
	}
	remove := func() error { return os.RemoveAll(dir) }
	cluster, err := embedded.Start(ctx, embedded.Options{Binary: binaries.Path, KubernetesVersion: binaries.KubernetesVersion, Dir: dir})
	if err != nil {
		return nil, nil, errors.Join(err, remove())
	}
	return cluster, remove, nil
}
