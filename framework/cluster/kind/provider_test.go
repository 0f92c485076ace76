package kind_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
	"sigs.k8s.io/e2e-framework/pkg/envconf"
	"sigs.k8s.io/e2e-framework/pkg/envfuncs"
	"sigs.k8s.io/e2e-framework/support"

	utilrand "k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/rollcall-conformance/rollcall/framework/cluster"
	"github.com/rollcall-conformance/rollcall/framework/cluster/kind"
	"github.com/rollcall-conformance/rollcall/framework/cluster/kind/kindtest"
	"github.com/rollcall-conformance/rollcall/framework/daemonimage"
)

func TestAProviderInAnE2EFrameworkEnvironment(t *testing.T) {
	kindtest.Need(t)
	g := NewWithT(t)
	name := "test-" + utilrand.String(6)
	config := envconf.New()
	provider := kind.NewProvider()
	ctx, err := envfuncs.CreateClusterWithOpts(provider, name, kind.WithWorkers(1), kind.WithoutControllers(daemonController))(t.Context(), config)
	g.Expect(err).NotTo(HaveOccurred())
	t.Cleanup(func() {
		_, err := envfuncs.DestroyCluster(name)(context.WithoutCancel(ctx), config)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(docker(t, "ps", "--all", "--quiet", "--filter", clusterLabel+"rollcall-"+name)).To(BeEmpty())
		g.Expect(provider.GetKubeconfig()).To(BeEmpty())
	})
	written, err := clientcmd.LoadFromFile(provider.GetKubeconfig())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(written.Contexts).To(HaveKey(provider.GetKubectlContext()))
	g.Expect(provider.Create(ctx)).To(Equal(provider.GetKubeconfig()), "the second time")

	nodes := provider.(support.E2EClusterProviderWithLifeCycle)
	worker := &support.Node{Name: "rollcall-" + name + "-worker"}
	listed, err := nodes.ListNode(ctx)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(listed).To(ConsistOf(
		SatisfyAll(HaveField("Name", "rollcall-"+name+"-control-plane"), HaveField("Role", "control-plane"), HaveField("State", cluster.NodeReady)),
		SatisfyAll(HaveField("Name", worker.Name), HaveField("State", cluster.NodeReady), HaveField("IP", Not(BeNil()))),
	))
	g.Expect(nodes.StopNode(ctx, worker)).To(Succeed())
	g.Expect(docker(t, "inspect", "--format", "{{.State.Status}}", worker.Name)).To(HaveExactElements("exited"))
	g.Expect(nodes.StartNode(ctx, worker)).To(Succeed())

	archive, err := daemonimage.Build(ctx, t.TempDir())
	g.Expect(err).NotTo(HaveOccurred())
	_, err = envfuncs.LoadImageArchiveToCluster("rollcall-"+name, archive.Path)(ctx, config)
	g.Expect(err).To(HaveOccurred(), "the environment knows the cluster by the name that it gave it")
	_, err = envfuncs.LoadImageArchiveToCluster(name, archive.Path)(ctx, config)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(provider.(support.E2EClusterProviderWithImageLoader).LoadImage(ctx, "registry.invalid/nothing:v0")).
		To(MatchError(ContainSubstring("load image registry.invalid/nothing:v0")))

	logs := filepath.Join(t.TempDir(), "exported")
	g.Expect(provider.ExportLogs(ctx, logs)).To(Succeed())
	log, err := os.ReadFile(filepath.Join(logs, worker.Name, "kubelet.log"))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(log).NotTo(BeEmpty())
}

func TestWhatTheProviderCannotDoItSays(t *testing.T) {
	ctx := t.Context()
	provider := func() support.E2EClusterProviderWithLifeCycle {
		return kind.NewProvider().WithName("mine").(support.E2EClusterProviderWithLifeCycle)
	}
	node := &support.Node{Name: "n"}
	for name, tt := range map[string]struct {
		does func() error
		says string
	}{
		"a configuration file":  {func() error { _, err := provider().CreateWithConfig(ctx, "kind.yaml"); return err }, "brings its own configuration"},
		"arguments":             {func() error { _, err := provider().Create(ctx, "--fast"); return err }, `it takes no arguments, got ["--fast"]`},
		"one node more":         {func() error { return provider().AddNode(ctx, node) }, "use WithWorkers"},
		"one node less":         {func() error { return provider().RemoveNode(ctx, node) }, "use StopNode"},
		"a node before Create":  {func() error { return provider().StopNode(ctx, node) }, "call Create first"},
		"logs before Create":    {func() error { return provider().ExportLogs(ctx, t.TempDir()) }, "call Create first"},
		"a user before Create":  {func() error { _, err := provider().GenerateKubeconfig("jane"); return err }, "call Create first"},
		"waiting before Create": {func() error { return provider().WaitForControlPlane(ctx, nil) }, "call Create first"},
		"an engine that is silent": {func() error {
			t.Setenv("DOCKER_HOST", "unix://"+filepath.Join(t.TempDir(), "no.sock"))
			_, err := provider().WithPath("/no/such/kwok").Create(ctx)
			return err
		}, "no Docker engine answers"},
	} {
		t.Run(name, func(t *testing.T) {
			NewWithT(t).Expect(tt.does()).To(MatchError(ContainSubstring(tt.says)))
		})
	}
}
