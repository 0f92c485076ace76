package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/client-go/kubernetes"

	"github.com/rollcall-conformance/rollcall/framework/cluster/embedded"
	"github.com/rollcall-conformance/rollcall/framework/controlplane"
	"github.com/rollcall-conformance/rollcall/framework/implementation"
	"github.com/rollcall-conformance/rollcall/framework/process"
	"github.com/rollcall-conformance/rollcall/hack/internal/trial"
)

const (
	// nodes is how many there are: the tests of eviction want more than one, and fewer than seven.
	nodes = 3
	// stopTimeout bounds taking everything down.
	stopTimeout = time.Minute
	// grace is how much longer than its timeout a run of the tests may take to end by itself.
	grace = 2 * time.Minute
	// junitFile is what Kubernetes' tests call their report.
	junitFile = "junit_01.xml"
)

// request is one run of Kubernetes' tests that is wanted.
type request struct {
	name string
	// file is the implementation file, or the name of a shipped one.
	file    string
	subject subject
	// focus are regular expressions for the tests; stop ends the run with the first that fails.
	focus []string
	stop  bool
}

// run has Kubernetes' tests run against the implementation on a control plane of its own.
func (r *runner) run(ctx context.Context, wanted request) (_ run, err error) {
	folder := filepath.Join(r.options.Artifacts, strings.ReplaceAll(wanted.subject.name, " ", "-"), wanted.name)
	if err := errors.Join(os.RemoveAll(folder), os.MkdirAll(folder, 0o755)); err != nil {
		return run{}, err
	}
	tested, err := implementation.Load(wanted.file, r.catalogue)
	if err != nil {
		return run{}, err
	}
	work, err := os.MkdirTemp("", "rollcall-compare-")
	if err != nil {
		return run{}, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	built, err := tested.Build(ctx, implementation.BuildOptions{Dir: work, BinDir: r.programs.Dir, Out: os.Stderr})
	if err != nil {
		return run{}, err
	}
	began := time.Now()
	cluster, err := embedded.Start(ctx, embedded.Options{
		Binary: r.programs.Path, KubernetesVersion: r.programs.KubernetesVersion, Dir: work, LogDir: filepath.Join(folder, "logs"),
		DisabledControllers: tested.Replaces,
	})
	if err != nil {
		return run{}, err
	}
	defer func() { err = errors.Join(err, stop(ctx, cluster.Stop)) }()
	client, err := kubernetes.NewForConfig(cluster.Config())
	if err != nil {
		return run{}, err
	}
	if err := trial.AddNodes(ctx, client, nodes); err != nil {
		return run{}, err
	}
	running, err := implementation.Launch(ctx, tested, implementation.LaunchOptions{
		Cluster: cluster, Artifact: built, BinDir: r.programs.Dir,
		RunDir: filepath.Join(work, "implementation"), LogPath: filepath.Join(folder, "logs", wanted.name+".log"),
	})
	if err != nil {
		return run{}, err
	}
	defer func() { err = errors.Join(err, stop(ctx, running.Stop)) }()
	kubeconfig, err := cluster.KubeconfigFor(ctx, "e2e", user.SystemPrivilegedGroup)
	if err != nil {
		return run{}, err
	}
	if err := r.runTests(ctx, wanted, kubeconfig, folder); err != nil {
		return run{}, err
	}
	took := time.Since(began)
	tests, err := readTests(filepath.Join(folder, junitFile))
	return run{Name: wanted.name, Subject: wanted.subject.name, Seconds: took.Seconds(), Tests: tests}, err
}

// runTests returns when the tests have ended, whatever they found.
func (r *runner) runTests(ctx context.Context, wanted request, kubeconfig, folder string) error {
	tests, err := process.Start(ctx, process.Options{
		Path: r.programs.Path(controlplane.KubernetesTests), Dir: folder, LogPath: filepath.Join(folder, "e2e.log"), Args: r.arguments(wanted, kubeconfig, folder),
	})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, r.settings.timeout+grace, errors.New("the tests of Kubernetes do not end"))
	defer cancel()
	select {
	case <-tests.Exited():
	case <-ctx.Done():
		return errors.Join(context.Cause(ctx), tests.Kill())
	}
	if _, err := os.Stat(filepath.Join(folder, junitFile)); err != nil {
		return fmt.Errorf("the tests of Kubernetes ended (%s) without a report; their log ends:\n%s", tests.ExitStatus(), strings.Join(tests.LogTail(20), "\n"))
	}
	return nil
}

// arguments of the program with the tests.
func (r *runner) arguments(wanted request, kubeconfig, folder string) []string {
	args := []string{
		"-kubeconfig=" + kubeconfig, "-kubectl-path=" + r.programs.Path("kubectl"), "-provider=skeleton",
		"-report-dir=" + folder, "-e2e-output-dir=" + folder, "-dump-logs-on-failure=false", "-disable-log-dump", fmt.Sprintf("-num-nodes=%d", nodes),
		"-ginkgo.no-color", fmt.Sprintf("-ginkgo.seed=%d", r.settings.seed), fmt.Sprintf("-ginkgo.timeout=%s", r.settings.timeout),
	}
	if wanted.stop {
		args = append(args, "-ginkgo.fail-fast")
	}
	for _, focus := range wanted.focus {
		args = append(args, "-ginkgo.focus="+focus)
	}
	return args
}

// exactly are regular expressions for the tests of these names and no others.
func exactly(names []string) []string {
	var all []string
	for _, name := range slices.Sorted(slices.Values(names)) {
		all = append(all, regexp.QuoteMeta(name)+"$")
	}
	return all
}

// stop ends what runs, even where the context has ended.
func stop(ctx context.Context, end func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
	defer cancel()
	return end(ctx)
}
