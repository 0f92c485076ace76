package embedded_test

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/rollcall-conformance/rollcall/framework/cluster/embedded"
	"github.com/rollcall-conformance/rollcall/framework/controlplane"
)

// patience bounds waits for what takes a second or two.
const patience = time.Minute

// programs are options to start the cached programs.
func programs(ctx context.Context) (embedded.Options, error) {
	binaries, err := controlplane.Ensure(ctx, controlplane.Options{Out: os.Stderr})
	return embedded.Options{Binary: binaries.Path, KubernetesVersion: binaries.KubernetesVersion}, err
}

// start starts a control plane of the test's own in a folder of its own.
func start(t testing.TB, edits ...func(*embedded.Options)) (*embedded.Cluster, embedded.Options, error) {
	t.Helper()
	options, err := programs(t.Context())
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	options.Dir = t.TempDir()
	for _, edit := range edits {
		edit(&options)
	}
	began := time.Now()
	cluster, err := embedded.Start(t.Context(), options)
	if err != nil {
		return nil, options, err
	}
	t.Logf("ready in %s", time.Since(began).Round(time.Millisecond))
	t.Cleanup(func() { NewWithT(t).Expect(cluster.Stop(context.Background())).To(Succeed()) })
	return cluster, options, nil
}

// processesOf returns the command lines of the processes that have to do with the folder.
func processesOf(t testing.TB, dir string) []string {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	if len(files) == 0 {
		t.Skip("no /proc on this machine")
	}
	var found []string
	for _, file := range files {
		// It may have ended meanwhile; a dead one that nobody has reaped has no command line.
		line, err := os.ReadFile(file)
		if err == nil && strings.Contains(string(line), dir) {
			found = append(found, strings.ReplaceAll(string(line), "\x00", " "))
		}
	}
	return found
}

func TestTwoControlPlanesRunSideBySide(t *testing.T) {
	g := NewWithT(t)
	other, _, err := start(t)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(other.Config().Host).NotTo(Equal(shared.Config().Host))
	otherClient := kubernetes.NewForConfigOrDie(other.Config())
	makeNamespace(t, client, "only-here")
	_, err = otherClient.CoreV1().Namespaces().Get(t.Context(), "only-here", metav1.GetOptions{})
	g.Expect(err).To(MatchError(ContainSubstring("not found")))
}

func TestStoppingLeavesTheLogsAndNothingElse(t *testing.T) {
	g := NewWithT(t)
	cluster, options, err := start(t)
	g.Expect(err).NotTo(HaveOccurred())
	_, err = cluster.KubeconfigFor(t.Context(), "system:serviceaccount:a:b")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(processesOf(t, options.Dir)).To(HaveLen(5), "etcd, kube-apiserver, kube-controller-manager, kube-scheduler, kwok")

	g.Expect(cluster.Stop(t.Context())).To(Succeed())
	g.Expect(processesOf(t, options.Dir)).To(BeEmpty())
	left, err := filepath.Glob(filepath.Join(options.Dir, "*"))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(left).To(ConsistOf(filepath.Join(options.Dir, "logs")))
	logs, err := filepath.Glob(filepath.Join(options.Dir, "logs", "*.log"))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(logs).To(HaveLen(5))

	g.Expect(cluster.Stop(t.Context())).To(Succeed(), "the second time")
	_, err = cluster.KubeconfigFor(t.Context(), "late")
	g.Expect(err).To(MatchError(ContainSubstring("has been stopped")))
}

func TestAComponentThatCannotStartIsNamedWithItsLastWordsAndLeavesNothing(t *testing.T) {
	for _, component := range []string{"etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kwok"} {
		t.Run(component, func(t *testing.T) {
			g := NewWithT(t)
			broken := filepath.Join(t.TempDir(), component)
			g.Expect(os.WriteFile(broken, []byte("#!/bin/sh\necho no such luck\nexit 3\n"), 0o755)).To(Succeed())
			_, options, err := start(t, with(component, broken))
			g.Expect(err).To(MatchError(SatisfyAll(ContainSubstring(component), ContainSubstring("no such luck"))))
			g.Expect(processesOf(t, options.Dir)).To(BeEmpty())
			left, err := filepath.Glob(filepath.Join(options.Dir, "*"))
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(left).To(ConsistOf(filepath.Join(options.Dir, "logs")))
		})
	}
}

func TestAMissingProgramIsNamed(t *testing.T) {
	_, _, err := start(t, with("kube-apiserver", "/no/such/kube-apiserver"))
	NewWithT(t).Expect(err).To(MatchError(ContainSubstring("/no/such/kube-apiserver")))
}

// with uses another program for a component.
func with(component, path string) func(*embedded.Options) {
	return func(options *embedded.Options) {
		others := options.Binary
		options.Binary = func(name string) string {
			if name == component {
				return path
			}
			return others(name)
		}
	}
}

func TestWhatIsNeededToStartIsAskedFor(t *testing.T) {
	_, err := embedded.Start(t.Context(), embedded.Options{})
	NewWithT(t).Expect(err).To(MatchError(ContainSubstring("Options.Binary and Options.Dir are needed")))
}

func TestSomebodysOwnClusterIsNeverUsed(t *testing.T) {
	t.Setenv("USE_EXISTING_CLUSTER", "true")
	cluster, options, err := start(t)
	g := NewWithT(t)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(processesOf(t, options.Dir)).To(HaveLen(5))
	g.Expect(cluster.Stop(t.Context())).To(Succeed())
}

func TestNothingOutlivesAHarnessKilledWithSIGKILL(t *testing.T) {
	g := NewWithT(t)
	dir := t.TempDir()
	harness := exec.Command(os.Args[0], "-test.run=^$")
	temporary := t.TempDir()
	harness.Env = append(os.Environ(), harnessVariable+"="+dir, "TMPDIR="+temporary)
	harness.Stderr = os.Stderr
	// The harness ends by itself when this end of the pipe goes, that is, with the test.
	stdin, err := harness.StdinPipe()
	g.Expect(err).NotTo(HaveOccurred())
	defer stdin.Close()
	stdout, err := harness.StdoutPipe()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(harness.Start()).To(Succeed())
	said := make([]byte, len("ready"))
	_, err = io.ReadFull(stdout, said)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(string(said)).To(Equal("ready"))
	g.Expect(processesOf(t, dir)).To(HaveLen(5))

	g.Expect(harness.Process.Kill()).To(Succeed())
	g.Expect(harness.Wait()).To(MatchError("signal: killed"))
	g.Eventually(func() []string { return processesOf(t, dir) }).WithTimeout(patience).Should(BeEmpty())
	left, err := os.ReadDir(temporary)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(left).To(BeEmpty(), "what nobody is left to remove must lie in the harness' own folder")
}

// BenchmarkStart is held to 8 s an operation on two cores: from nothing but the programs until every component is ready.
func BenchmarkStart(b *testing.B) {
	options, err := programs(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		options.Dir = b.TempDir()
		cluster, err := embedded.Start(b.Context(), options)
		if err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		if err := cluster.Stop(b.Context()); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
}
