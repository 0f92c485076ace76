package embedded_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/e2e-framework/klient/k8s"
	"sigs.k8s.io/e2e-framework/klient/wait"
	"sigs.k8s.io/e2e-framework/klient/wait/conditions"
	"sigs.k8s.io/e2e-framework/pkg/env"
	"sigs.k8s.io/e2e-framework/pkg/envconf"
	"sigs.k8s.io/e2e-framework/pkg/envfuncs"
	"sigs.k8s.io/e2e-framework/pkg/features"
	"sigs.k8s.io/e2e-framework/support"

	"github.com/rollcall-conformance/rollcall/framework/cluster"
	"github.com/rollcall-conformance/rollcall/framework/cluster/embedded"
)

// clusterName is what the tests call the provider's cluster.
const clusterName = "mine"

// inEnvironment runs features in an e2e-framework environment with a cluster of its own. The environment's Setup and Finish want a whole test
// binary, so their functions are called here.
func inEnvironment(t *testing.T, opts []support.ClusterOpts, tested ...features.Feature) {
	t.Helper()
	g := NewWithT(t)
	config := envconf.New()
	ctx, err := envfuncs.CreateClusterWithOpts(embedded.NewProvider(), clusterName, opts...)(context.Background(), config)
	g.Expect(err).NotTo(HaveOccurred())
	t.Cleanup(func() {
		_, err := envfuncs.DestroyCluster(clusterName)(ctx, config)
		g.Expect(err).NotTo(HaveOccurred())
	})
	env.NewWithConfig(config).WithContext(ctx).Test(t, tested...)
}

// node is a step that does something to a node.
func node(operation support.NodeOperation, name string) features.Func {
	return func(ctx context.Context, t *testing.T, config *envconf.Config) context.Context {
		t.Helper()
		ctx, err := envfuncs.PerformNodeOperation(clusterName, operation, &support.Node{Name: name, Role: "worker", Cluster: clusterName})(ctx, config)
		NewWithT(t).Expect(err).NotTo(HaveOccurred())
		return ctx
	}
}

func TestADaemonSetRunsOnNodesAddedInAnE2EFrameworkEnvironment(t *testing.T) {
	agent := daemonSet(metav1.NamespaceDefault, "agent")
	runs := func(ctx context.Context, t *testing.T, config *envconf.Config) context.Context {
		t.Helper()
		err := wait.For(conditions.New(config.Client().Resources()).ResourceMatch(agent, func(object k8s.Object) bool {
			status := object.(*appsv1.DaemonSet).Status
			return status.DesiredNumberScheduled == 2 && status.NumberReady == 2
		}), wait.WithTimeout(patience), wait.WithInterval(100*time.Millisecond))
		NewWithT(t).Expect(err).NotTo(HaveOccurred(), "the status is %v", agent.Status)
		return ctx
	}
	states := func(want map[string]string) features.Func {
		return func(ctx context.Context, t *testing.T, _ *envconf.Config) context.Context {
			t.Helper()
			g := NewWithT(t)
			cluster, found := envfuncs.GetClusterFromContext(ctx, clusterName)
			g.Expect(found).To(BeTrue())
			nodes, err := cluster.(support.E2EClusterProviderWithLifeCycle).ListNode(ctx)
			g.Expect(err).NotTo(HaveOccurred())
			got := map[string]string{}
			for _, node := range nodes {
				g.Expect(node.Role).To(Equal("worker"))
				g.Expect(node.Cluster).To(Equal(clusterName))
				got[node.Name] = node.State
			}
			g.Expect(got).To(Equal(want))
			return ctx
		}
	}
	inEnvironment(t, nil, features.New("a DaemonSet").
		Setup(node(support.AddNode, "one")).
		Setup(node(support.AddNode, "two")).
		Setup(func(ctx context.Context, t *testing.T, config *envconf.Config) context.Context {
			NewWithT(t).Expect(config.Client().Resources().Create(ctx, agent)).To(Succeed())
			return ctx
		}).
		Assess("has a Ready pod on each node", runs).
		Assess("and the nodes are Ready", states(map[string]string{"one": cluster.NodeReady, "two": cluster.NodeReady})).
		Assess("a node stops", node(support.StopNode, "two")).
		Assess("and is not Ready", states(map[string]string{"one": cluster.NodeReady, "two": cluster.NodeNotReady})).
		Assess("it starts", node(support.StartNode, "two")).
		Assess("and is Ready", states(map[string]string{"one": cluster.NodeReady, "two": cluster.NodeReady})).
		Assess("a node is removed", node(support.RemoveNode, "two")).
		Assess("and is gone", states(map[string]string{"one": cluster.NodeReady})).
		Feature())
}

func TestTheProviderGivesAccessAndLogsAndLeavesNothing(t *testing.T) {
	g := NewWithT(t)
	ctx := t.Context()
	provider := embedded.NewProvider().SetDefaults().WithName("mine").WithVersion("v1.37.0").
		WithOpts(embedded.WithoutControllers("replicaset-controller"))
	g.Expect(provider.KubernetesRestConfig()).To(BeNil())
	kubeconfig, err := provider.Create(ctx)
	g.Expect(err).NotTo(HaveOccurred())
	t.Cleanup(func() { g.Expect(provider.Destroy(context.Background())).To(Succeed(), "the second time") })
	g.Expect(provider.Create(ctx)).To(Equal(kubeconfig), "the second time")
	g.Expect(provider.GetKubeconfig()).To(Equal(kubeconfig))
	g.Expect(provider.WaitForControlPlane(ctx, nil)).To(Succeed())

	loaded, err := clientcmd.LoadFromFile(kubeconfig)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(loaded.Contexts).To(HaveKey(provider.GetKubectlContext()))
	client := kubernetes.NewForConfigOrDie(provider.KubernetesRestConfig())
	_, err = client.CoreV1().Pods(metav1.NamespaceDefault).Create(ctx, &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "p"}, Spec: podTemplate("p").Spec,
	}, metav1.CreateOptions{})
	g.Expect(err).NotTo(HaveOccurred())

	g.Expect(mayListNodes(t, provider)).To(Succeed(), "an administrator, by default")
	g.Expect(mayListNodes(t, provider, "jane", "devs")).To(Satisfy(apierrors.IsForbidden))
	_, err = client.RbacV1().ClusterRoleBindings().Create(ctx, &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "devs"}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "cluster-admin"},
		Subjects: []rbacv1.Subject{{Kind: rbacv1.GroupKind, APIGroup: rbacv1.GroupName, Name: "devs"}},
	}, metav1.CreateOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	g.Eventually(func() error { return mayListNodes(t, provider, "jane", "devs") }).WithTimeout(patience).Should(Succeed())

	logs := filepath.Join(t.TempDir(), "exported", "logs")
	g.Expect(provider.ExportLogs(ctx, logs)).To(Succeed())
	log, err := os.ReadFile(filepath.Join(logs, "kube-apiserver.log"))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(log).NotTo(BeEmpty())

	dir := filepath.Dir(filepath.Dir(kubeconfig))
	g.Expect(processesOf(t, dir)).To(HaveLen(5))
	g.Expect(provider.Destroy(ctx)).To(Succeed())
	g.Expect(processesOf(t, dir)).To(BeEmpty())
	g.Expect(dir).NotTo(BeADirectory())
	g.Expect(provider.GetKubeconfig()).To(BeEmpty())
}

func mayListNodes(t *testing.T, provider support.E2EClusterProvider, user ...string) error {
	t.Helper()
	g := NewWithT(t)
	path, err := provider.GenerateKubeconfig(user...)
	g.Expect(err).NotTo(HaveOccurred())
	config, err := clientcmd.BuildConfigFromFlags("", path)
	g.Expect(err).NotTo(HaveOccurred())
	_, err = kubernetes.NewForConfigOrDie(config).CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
	return err
}

func TestWhatTheProviderCannotDoItSays(t *testing.T) {
	ctx := t.Context()
	lifeCycle := func() support.E2EClusterProviderWithLifeCycle {
		return embedded.NewProvider().WithName("mine").(support.E2EClusterProviderWithLifeCycle)
	}
	for name, tt := range map[string]struct {
		does func() error
		says string
	}{
		"a configuration file": {
			func() error { _, err := lifeCycle().CreateWithConfig(ctx, "kind.yaml"); return err }, "has no configuration file",
		},
		"arguments": {
			func() error { _, err := lifeCycle().Create(ctx, "--fast"); return err }, `it takes no arguments, got ["--fast"]`,
		},
		"an unknown version": {
			func() error { _, err := lifeCycle().WithVersion("latest").Create(ctx); return err }, `"latest"`,
		},
		"a folder without programs": {
			func() error { _, err := lifeCycle().WithPath("/no/such/folder").Create(ctx); return err }, "/no/such/folder/etcd",
		},
		"logs before it was created": {
			func() error { return lifeCycle().ExportLogs(ctx, t.TempDir()) }, `cluster "mine" is not running: call Create first`,
		},
		"a kubeconfig before it was created": {
			func() error { _, err := lifeCycle().GenerateKubeconfig(); return err }, "call Create first",
		},
		"waiting before it was created": {
			func() error { return lifeCycle().WaitForControlPlane(ctx, nil) }, "call Create first",
		},
		"a node before it was created": {
			func() error { return lifeCycle().AddNode(ctx, &support.Node{Name: "n"}) }, "call Create first",
		},
	} {
		t.Run(name, func(t *testing.T) {
			NewWithT(t).Expect(tt.does()).To(MatchError(ContainSubstring(tt.says)))
		})
	}
}

func TestANodeOperationThatCannotBeSaysWhy(t *testing.T) {
	ctx := t.Context()
	g := NewWithT(t)
	provider := embedded.NewProvider()
	_, err := provider.Create(ctx)
	g.Expect(err).NotTo(HaveOccurred())
	t.Cleanup(func() { g.Expect(provider.Destroy(context.Background())).To(Succeed()) })
	nodes := provider.(support.E2EClusterProviderWithLifeCycle)
	g.Expect(nodes.AddNode(ctx, &support.Node{Name: "there"})).To(Succeed())
	for name, tt := range map[string]struct {
		err  error
		says string
	}{
		"without a name":    {nodes.AddNode(ctx, &support.Node{}), "add node: it needs a name"},
		"without a node":    {nodes.RemoveNode(ctx, nil), "remove node: it needs a name"},
		"with arguments":    {nodes.StopNode(ctx, &support.Node{Name: "there"}, "now"), `it takes no arguments, got ["now"]`},
		"one that is there": {nodes.AddNode(ctx, &support.Node{Name: "there"}), "already exists"},
		"no such node":      {nodes.StartNode(ctx, &support.Node{Name: "nowhere"}), `start node nowhere: nodes "nowhere" not found`},
	} {
		t.Run(name, func(t *testing.T) {
			NewWithT(t).Expect(tt.err).To(MatchError(ContainSubstring(tt.says)))
		})
	}
}
