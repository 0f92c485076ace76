package kind_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	utilrand "k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/client-go/kubernetes"

	"github.com/rollcall-conformance/rollcall/framework/cluster/kind"
	"github.com/rollcall-conformance/rollcall/framework/cluster/kind/kindtest"
)

const (
	daemonController = "daemonset-controller"
	clusterLabel     = "label=io.x-k8s.kind.cluster="
)

// docker runs the Docker client and returns the words that it prints.
func docker(t testing.TB, args ...string) []string {
	t.Helper()
	output, err := exec.Command("docker", args...).Output()
	NewWithT(t).Expect(err).NotTo(HaveOccurred(), "docker %q", args)
	return strings.Fields(string(output))
}

// leftBehind makes what a cluster looks like whose owner is gone, and its lock if it ever had one.
func leftBehind(t *testing.T, image string, locked bool) string {
	t.Helper()
	g := NewWithT(t)
	name := "rollcall-test-" + utilrand.String(6)
	docker(t, "create", "--label", "io.x-k8s.kind.cluster="+name, "--label", "io.x-k8s.kind.role=worker", "--volume", "/var", "--name", name+"-worker", image)
	t.Cleanup(func() { _ = exec.Command("docker", "rm", "--force", "--volumes", name+"-worker").Run() })
	if locked {
		cache, err := os.UserCacheDir()
		g.Expect(err).NotTo(HaveOccurred())
		dir := filepath.Join(cache, "rollcall", "kind")
		g.Expect(os.MkdirAll(dir, 0o755)).To(Succeed())
		g.Expect(os.WriteFile(filepath.Join(dir, name+".lock"), nil, 0o644)).To(Succeed())
	}
	return name
}

func TestAClusterFromStartToStop(t *testing.T) {
	kindtest.Need(t)
	g := NewWithT(t)
	users := filepath.Join(t.TempDir(), "kubeconfig")
	g.Expect(os.WriteFile(users, []byte("# mine\n"), 0o600)).To(Succeed())
	t.Setenv("KUBECONFIG", users)
	options := kindtest.Options(t)
	options.DisabledControllers = []string{daemonController}

	cluster, err := kind.Start(t.Context(), options)
	g.Expect(err).NotTo(HaveOccurred())
	t.Cleanup(func() { g.Expect(cluster.Stop(context.Background())).To(Succeed()) })
	g.Expect(cluster.Provider()).To(Equal("kind"))
	g.Expect(cluster.Workers()).To(Equal([]string{cluster.Name() + "-worker", cluster.Name() + "-worker2"}))
	s := &scene{T: t, g: g, cluster: cluster, client: kubernetes.NewForConfigOrDie(cluster.Config()), options: options}

	s.usersMayDoWhatRBACAllows()
	s.daemonPodsComeWhenTheirControllerIsOn()
	s.podsOnAllNodesCanBeReached()
	s.nobodyReplacesPodsWhileTheControllerIsOff()
	s.aRebootedMachineWorksAsBefore()
	s.whoAttachesUsesTheMachinesAndCannotStopThem()
	s.stoppingLeavesTheLogsAndNothingElse()
	kept, err := os.ReadFile(users)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(string(kept)).To(Equal("# mine\n"), "the user's own kubeconfig")
}

func TestStartRemovesWhatACrashedOwnerLeftAndTellsAMissingImageInOneLine(t *testing.T) {
	kindtest.Need(t)
	g := NewWithT(t)
	images := docker(t, "images", "--quiet")
	if len(images) == 0 {
		t.Skip("the Docker engine has no image to make a container of")
	}
	// Locks of its own: tests of other packages start clusters too, and would remove the orphan.
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	orphan, notOurs := leftBehind(t, images[0], true), leftBehind(t, images[0], false)
	var said strings.Builder
	options := kind.Options{Dir: t.TempDir(), Image: "registry.invalid/node:v0.0.0", KubernetesVersion: "1.36.3", Out: &said}

	began := time.Now()
	_, err := kind.Start(t.Context(), options)
	g.Expect(time.Since(began)).To(BeNumerically("<", 30*time.Second))
	g.Expect(err).To(MatchError(SatisfyAll(
		ContainSubstring("registry.invalid/node:v0.0.0"), ContainSubstring("make node-image KUBERNETES_VERSION=1.36.3"), Not(ContainSubstring("\n")),
	)))
	g.Expect(said.String()).To(ContainSubstring("removing cluster " + orphan + ", whose owner ended without doing so"))
	g.Expect(said.String()).NotTo(ContainSubstring(notOurs))
	g.Expect(docker(t, "ps", "--all", "--quiet", "--filter", clusterLabel+orphan)).To(BeEmpty())
	g.Expect(docker(t, "ps", "--all", "--quiet", "--filter", clusterLabel+notOurs)).NotTo(BeEmpty())
	g.Expect(os.ReadDir(options.Dir)).To(BeEmpty())
}

// TestAnEngineThatOnlyTheCommandAnswersForIsNone: docker info succeeded without an engine before Docker 28.1.
func TestAnEngineThatOnlyTheCommandAnswersForIsNone(t *testing.T) {
	folder := t.TempDir()
	script := "#!/bin/sh\necho '{\"ServerErrors\": [\"Cannot connect to the Docker daemon\"]}'\n"
	if err := os.WriteFile(filepath.Join(folder, "docker"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", folder+string(os.PathListSeparator)+os.Getenv("PATH"))
	NewWithT(t).Expect(kind.EngineAnswers(t.Context())).To(MatchError(SatisfyAll(
		ContainSubstring("Cannot connect to the Docker daemon"), ContainSubstring("start Docker"))))
}

func TestWithoutAnEngineTheErrorSaysWhatToDo(t *testing.T) {
	t.Setenv("DOCKER_HOST", "unix://"+filepath.Join(t.TempDir(), "no.sock"))
	_, err := kind.Start(t.Context(), kind.Options{Dir: t.TempDir()})
	NewWithT(t).Expect(err).To(MatchError(ContainSubstring("start Docker")))
}
