// Package kindtest gives Go tests a kind cluster, where a Docker engine answers.
package kindtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/cluster/kind"
	"github.com/rollcall-conformance/rollcall/framework/controlplane"
)

const (
	// startTimeout bounds building KWOK, which may take a minute the first time, and bringing the cluster up.
	startTimeout = 15 * time.Minute
	stopTimeout  = time.Minute
	// workers is how many nodes a tests' cluster has beside the control plane's.
	workers = 2
)

// Main runs a package's tests beside one cluster with two workers, which use receives before the first test; where no Docker engine answers, it
// receives nil, and tests that need the cluster call Need. It returns the exit code for os.Exit.
func Main(m *testing.M, use func(*kind.Cluster)) int {
	if !EngineAnswers() {
		fmt.Fprintln(os.Stderr, "no Docker engine answers: tests on a kind cluster are skipped")
		return m.Run()
	}
	cluster, remove, err := start()
	if err != nil {
		fmt.Fprintln(os.Stderr, "start the tests' cluster:", err)
		return 1
	}
	use(cluster)
	code := m.Run()
	ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	if err := errors.Join(cluster.Stop(ctx), remove()); err != nil {
		fmt.Fprintln(os.Stderr, "stop the tests' cluster:", err)
		return 1
	}
	return code
}

// EngineAnswers reports whether kind clusters are possible here.
func EngineAnswers() bool { return exec.Command("docker", "info").Run() == nil }

// Need skips a test where there is no cluster because no Docker engine answers.
func Need(t testing.TB, cluster *kind.Cluster) {
	t.Helper()
	if cluster == nil {
		t.Skip("no Docker engine answers")
	}
}

func start() (*kind.Cluster, func() error, error) {
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	options, remove, err := Options(ctx)
	if err != nil {
		return nil, nil, err
	}
	cluster, err := kind.Start(ctx, options)
	if err != nil {
		return nil, nil, errors.Join(err, remove())
	}
	return cluster, remove, nil
}

// Options are for a cluster with two workers and KWOK, in a folder of its own that the returned function removes.
func Options(ctx context.Context) (kind.Options, func() error, error) {
	programs, err := controlplane.Ensure(ctx, controlplane.Options{Out: os.Stderr, Names: []string{"kwok"}})
	if err != nil {
		return kind.Options{}, nil, err
	}
	dir, err := os.MkdirTemp("", "rollcall-kind-test-")
	if err != nil {
		return kind.Options{}, nil, err
	}
	return kind.Options{Dir: dir, Workers: workers, KWOK: programs.Path("kwok"), Out: os.Stderr}, func() error { return os.RemoveAll(dir) }, nil
}
