package existing

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/rollcall-conformance/rollcall/framework/cluster/kwok"
	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/scenario"
)

const patience = 30 * time.Second

// configFor is the kubeconfig of a user of the tests' cluster.
func configFor(t *testing.T, user string, groups ...string) *clientcmdapi.Config {
	t.Helper()
	path, err := somebodys.KubeconfigFor(t.Context(), user, groups...)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	config, err := clientcmd.LoadFromFile(path)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return config
}

// use starts a run on the tests' cluster; out receives what it says.
func use(t *testing.T, out *bytes.Buffer) (*Cluster, error) {
	t.Helper()
	return Start(t.Context(), Options{Config: configFor(t, "owner", "system:masters"), Dir: t.TempDir(), Out: out, Traces: ofScenarios()})
}

func ofScenarios() Traces {
	return Traces{
		NamespaceLabel: scenario.NamespaceLabel, NodeLabelPrefix: history.ScenarioPrefix, NodeAnnotations: []string{history.MarkAnnotation},
		Finalizer: scenario.Finalizer,
	}
}

func TestNobodysNamespacesAreTakenForOurs(t *testing.T) {
	for _, traces := range []Traces{{}, {NamespaceLabel: scenario.NamespaceLabel}, {NodeLabelPrefix: history.ScenarioPrefix}} {
		_, err := Start(t.Context(), Options{Config: configFor(t, "owner", "system:masters"), Dir: t.TempDir(), Traces: traces})
		NewWithT(t).Expect(err).To(MatchError(ContainSubstring("are needed")))
	}
}

func mustUse(t *testing.T) *Cluster {
	t.Helper()
	c, err := use(t, &bytes.Buffer{})
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		NewWithT(t).Expect(c.Stop(ctx)).To(Succeed())
	})
	return c
}

// setAside makes a node with the label, which goes with the test, and returns its name. That is always new: KWOK may ignore the pods of a node that comes
// again.
func setAside(t *testing.T) string {
	t.Helper()
	g := NewWithT(t)
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{
		GenerateName: "node-", Labels: map[string]string{kwok.NodeLabel: kwok.NodeLabelValue, NodeLabel: NodeLabelValue},
	}}
	node, err := admin.CoreV1().Nodes().Create(t.Context(), node, metav1.CreateOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	name := node.Name
	t.Cleanup(func() {
		g.Expect(admin.CoreV1().Nodes().Delete(context.Background(), name, metav1.DeleteOptions{})).To(Succeed())
	})
	g.Eventually(func() ([]string, error) {
		node, err := admin.CoreV1().Nodes().Get(t.Context(), name, metav1.GetOptions{})
		if err != nil {
			return nil, err
		}
		var wrong []string
		for _, taint := range node.Spec.Taints {
			wrong = append(wrong, taint.Key)
		}
		if _, told := node.Annotations[corev1.ObjectTTLAnnotationKey]; !told {
			// The node's TTL controller comes to it yet, and what a run leaves is compared with what was before.
			wrong = append(wrong, corev1.ObjectTTLAnnotationKey)
		}
		return append(wrong, unfit(node, nil)...), nil
	}, patience).Should(BeEmpty())
	return name
}

// everything is all that a run may touch, by name, with the labels and annotations of nodes.
func everything(t *testing.T) string {
	t.Helper()
	g := NewWithT(t)
	var all strings.Builder
	nodes, err := admin.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	for _, node := range nodes.Items {
		fmt.Fprintln(&all, "node", node.Name, node.Labels, node.Annotations, node.Spec.Taints)
	}
	namespaces, err := admin.CoreV1().Namespaces().List(t.Context(), metav1.ListOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	for _, namespace := range namespaces.Items {
		fmt.Fprintln(&all, "namespace", namespace.Name, namespace.Labels)
	}
	roles, err := admin.RbacV1().ClusterRoles().List(t.Context(), metav1.ListOptions{LabelSelector: "kubernetes.io/bootstrapping!=rbac-defaults"})
	g.Expect(err).NotTo(HaveOccurred())
	for _, role := range roles.Items {
		fmt.Fprintln(&all, "role", role.Name)
	}
	return all.String()
}

func clusterRole(name string) *unstructured.Unstructured {
	role := &unstructured.Unstructured{}
	role.SetAPIVersion("rbac.authorization.k8s.io/v1")
	role.SetKind("ClusterRole")
	role.SetName(name)
	return role
}

func createRole(t *testing.T, name string) {
	t.Helper()
	_, err := admin.RbacV1().ClusterRoles().Create(t.Context(), &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
}

func TestAClusterIsRefusedAndNotChanged(t *testing.T) {
	t.Run("without a node", func(t *testing.T) {
		g := NewWithT(t)
		before := everything(t)
		_, err := use(t, &bytes.Buffer{})
		g.Expect(err).To(MatchError(ContainSubstring("no node is set aside: give the label to those that rollcall may use, `kubectl label node NODE rollcall.dev/nodes=true`")))
		g.Expect(everything(t)).To(Equal(before))
	})
	t.Run("by somebody with less than all rights", func(t *testing.T) {
		_, err := Start(t.Context(), Options{Config: configFor(t, "visitor"), Dir: t.TempDir(), Traces: ofScenarios()})
		NewWithT(t).Expect(err).To(MatchError(ContainSubstring("its user is no administrator")))
	})
	t.Run("that does not answer", func(t *testing.T) {
		config := configFor(t, "owner", "system:masters")
		for _, cluster := range config.Clusters {
			cluster.Server = "https://127.0.0.1:1"
		}
		_, err := Start(t.Context(), Options{Config: config, Dir: t.TempDir(), Traces: ofScenarios()})
		NewWithT(t).Expect(err).To(MatchError(ContainSubstring("the cluster at https://127.0.0.1:1 does not answer as it should")))
	})
	t.Run("with somebody on the node", func(t *testing.T) {
		g := NewWithT(t)
		busy := setAside(t)
		pod := &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: metav1.NamespaceDefault},
			Spec:       corev1.PodSpec{NodeName: busy, Containers: []corev1.Container{{Name: "web", Image: "web"}}},
		}
		g.Eventually(func() error {
			_, err := admin.CoreV1().Pods(pod.Namespace).Create(t.Context(), pod, metav1.CreateOptions{})
			return err
		}, patience).Should(Succeed(), "the service account may be late")
		t.Cleanup(func() {
			g.Expect(admin.CoreV1().Pods(pod.Namespace).Delete(context.Background(), pod.Name, *metav1.NewDeleteOptions(0))).To(Succeed())
		})
		before := everything(t)
		var said bytes.Buffer
		_, err := use(t, &said)
		g.Expect(err).To(MatchError(And(ContainSubstring("node "+busy+" cannot be used"), ContainSubstring("pod default/web"), ContainSubstring("kubectl drain "+busy))))
		g.Expect(everything(t)).To(Equal(before))
		g.Expect(said.String()).To(BeEmpty())
	})
	t.Run("with a namespace of that name", func(t *testing.T) {
		g := NewWithT(t)
		setAside(t)
		_, err := admin.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespaceName}}, metav1.CreateOptions{})
		g.Expect(err).NotTo(HaveOccurred())
		_, err = use(t, &bytes.Buffer{})
		g.Expect(err).To(MatchError(ContainSubstring("make namespace rollcall: it is there already and not a run's")))
		g.Expect(admin.CoreV1().Namespaces().Delete(t.Context(), namespaceName, metav1.DeleteOptions{})).To(Succeed(), "it was left alone")
		g.Eventually(func() bool {
			_, err := admin.CoreV1().Namespaces().Get(t.Context(), namespaceName, metav1.GetOptions{})
			return apierrors.IsNotFound(err)
		}, patience).Should(BeTrue())
	})
}

func TestOneRunUsesAClusterAtATimeAndLeavesNothing(t *testing.T) {
	g := NewWithT(t)
	one, another := setAside(t), setAside(t)
	before := everything(t)
	first, err := use(t, &bytes.Buffer{})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(first.Nodes()).To(ConsistOf(one, another))
	g.Expect(first.KubernetesVersion()).To(Equal(somebodys.KubernetesVersion()))
	g.Expect(first.SwitchOff(t.Context())).To(Succeed())
	g.Expect(first.SwitchOff(t.Context(), "daemonset-controller")).NotTo(Succeed())

	var said bytes.Buffer
	_, err = use(t, &said)
	g.Expect(err).To(MatchError(MatchRegexp(`process \d+ on .* is using the cluster: wait until it ends`)))
	leave(t, first)
	g.Expect(first.Stop(t.Context())).To(Succeed())
	g.Expect(first.Stop(t.Context())).To(Succeed(), "the second time")
	g.Expect(everything(t)).To(Equal(before))
}

// leave makes what a run that breaks off leaves behind: a namespace with a pod that takes its time to end, labels and marks on a node, and an
// implementation.
func leave(t *testing.T, c *Cluster) {
	t.Helper()
	g := NewWithT(t)
	g.Expect(c.WillInstall(t.Context(), []*unstructured.Unstructured{clusterRole("implementation-of-test")})).To(Succeed())
	createRole(t, "implementation-of-test")
	env := scenario.Environment{Config: somebodys.Config(), RealNodes: c.Nodes(), OnlyRealNodes: true, Bystanders: true, Recordings: t.TempDir(), Patience: patience}
	s := scenario.Start(t.Context(), t, env, "left-behind", "a run that breaks off")
	s.AddNodes(t.Context(), 1)
	pod := s.MakeStaticPod(t.Context(), c.Nodes()[0], nil)
	g.Expect(*pod.Spec.TerminationGracePeriodSeconds).To(BeNumerically(">", 60))
	_, err := s.Finish(t.Context(), history.Ending{})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(everything(t)).To(And(ContainSubstring("scenario.rollcall.dev/left-behind"), ContainSubstring(history.MarkAnnotation), ContainSubstring("left-behind-bystanders")))
}

func TestWhatACrashedRunLeftGoesWithTheNext(t *testing.T) {
	g := NewWithT(t)
	setAside(t)
	before := everything(t)
	crashed, err := use(t, &bytes.Buffer{})
	g.Expect(err).NotTo(HaveOccurred())
	leave(t, crashed)
	// As the kernel ends a process: nothing is said to anybody.
	crashed.claim.end()

	var said bytes.Buffer
	next, err := use(t, &said)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(said.String()).To(ContainSubstring("has the cluster; waiting up to"))
	g.Expect(everything(t)).NotTo(Or(ContainSubstring("left-behind"), ContainSubstring("implementation-of-test"), ContainSubstring(history.MarkAnnotation)))
	g.Expect(next.Stop(t.Context())).To(Succeed())
	g.Expect(everything(t)).To(Equal(before))
}

func TestWhatIsInTheClusterAlreadyIsNotInstalled(t *testing.T) {
	g := NewWithT(t)
	setAside(t)
	c := mustUse(t)
	createRole(t, "somebodys")
	t.Cleanup(func() {
		g.Expect(admin.RbacV1().ClusterRoles().Delete(context.Background(), "somebodys", metav1.DeleteOptions{})).To(Succeed())
	})
	err := c.WillInstall(t.Context(), []*unstructured.Unstructured{clusterRole("new"), clusterRole("somebodys")})
	g.Expect(err).To(MatchError(And(HavePrefix("ClusterRole somebodys is in the cluster already"), Not(ContainSubstring("ClusterRole new")))))
	g.Expect(c.Stop(t.Context())).To(Succeed())
	g.Expect(everything(t)).To(ContainSubstring("role somebodys"))
}
