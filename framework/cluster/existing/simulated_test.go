package existing

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/cluster/kwok"
	"github.com/rollcall-conformance/rollcall/framework/controlplane"
	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/scenario"
)

// simulating are the options of a run that simulates nodes.
func simulating(t *testing.T) Options {
	t.Helper()
	programs, err := controlplane.Ensure(t.Context(), controlplane.Options{Names: []string{kwok.Name}, Out: os.Stderr})
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	dir := t.TempDir()
	return Options{
		Config: configFor(t, "owner", "system:masters"), Dir: dir, Traces: ofScenarios(),
		Simulate: true, KWOK: programs.Path(kwok.Name), KWOKLog: filepath.Join(dir, "kwok.log"),
	}
}

// play has a DaemonSet on two simulated nodes, one of whose pods cannot go, and breaks off.
func play(t *testing.T, name string) []string {
	t.Helper()
	g := NewWithT(t)
	env := scenario.Environment{Config: somebodys.Config(), SimulatedNodes: SimulatedNodes(), Recordings: t.TempDir(), Patience: patience}
	s := scenario.Start(t.Context(), t, env, name, "a run on simulated nodes")
	nodes := s.AddNodes(t.Context(), 2)
	g.Expect(s.NodeKind()).To(Equal(scenario.Simulated))
	daemonSet := s.Deploy(t.Context())
	s.AddFinalizer(t.Context(), s.LivePodOn(t.Context(), daemonSet, nodes[0]))
	_, err := s.Finish(t.Context(), history.Ending{})
	g.Expect(err).NotTo(HaveOccurred())
	return nodes
}

func TestNodesAreSimulatedBesideAClusterAndGo(t *testing.T) {
	g := NewWithT(t)
	before := everything(t)
	var said bytes.Buffer
	options := simulating(t)
	options.Out = &said
	c, err := Start(t.Context(), options)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(c.Nodes()).To(BeEmpty(), "none has to be set aside")
	g.Expect(said.String()).To(ContainSubstring(": simulated nodes"))
	for _, name := range play(t, "simulated") {
		node, err := admin.CoreV1().Nodes().Get(t.Context(), name, metav1.GetOptions{})
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(node.Spec.Taints).To(ConsistOf(HaveField("Key", kwok.ForeignLabel)), "nobody else's pods come")
		g.Expect(node.Labels).NotTo(HaveKey(kwok.NodeLabel), "another KWOK leaves it alone")
	}
	g.Expect(c.Stop(t.Context())).To(Succeed())
	g.Expect(everything(t)).To(Equal(before))
}

func TestSimulatedNodesThatACrashedRunLeftGoWithTheNext(t *testing.T) {
	g := NewWithT(t)
	aside := setAside(t)
	crashed, err := Start(t.Context(), simulating(t))
	g.Expect(err).NotTo(HaveOccurred())
	nodes := play(t, "simulated-and-left")
	crashed.claim.end()
	g.Expect(crashed.kwok.Kill()).To(Succeed())
	g.Expect(everything(t)).To(ContainSubstring(nodes[0]))

	// Even one that simulates none.
	next := mustUse(t)
	g.Expect(next.Nodes()).To(ConsistOf(aside))
	g.Expect(everything(t)).NotTo(Or(ContainSubstring(nodes[0]), ContainSubstring("simulated-and-left")))
	g.Expect(next.Stop(t.Context())).To(Succeed())
	g.Expect(everything(t)).NotTo(ContainSubstring("namespace rollcall"))
}

func TestNodesAreNotSimulatedWhereSomebodyElseMight(t *testing.T) {
	unsuitable := func(t *testing.T, simulate bool, says string) {
		t.Helper()
		g := NewWithT(t)
		err := Check(t.Context(), Options{Config: configFor(t, "owner", "system:masters"), Simulate: simulate})
		g.Expect(err).To(MatchError(ContainSubstring(says)))
		g.Expect(err).To(Satisfy(func(err error) bool { return errors.As(err, new(Unsuitable)) }), "somebody can do something about it")
		g.Expect(everything(t)).NotTo(ContainSubstring("namespace rollcall"), "nothing was made")
	}
	t.Run("a node has the label", func(t *testing.T) {
		g := NewWithT(t)
		node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{GenerateName: "strange-", Labels: map[string]string{kwok.ForeignLabel: "x", NodeLabel: NodeLabelValue}}}
		node, err := admin.CoreV1().Nodes().Create(t.Context(), node, metav1.CreateOptions{})
		g.Expect(err).NotTo(HaveOccurred())
		t.Cleanup(func() {
			g.Expect(admin.CoreV1().Nodes().Delete(context.Background(), node.Name, metav1.DeleteOptions{})).To(Succeed())
		})
		says := "node " + node.Name + " has the label rollcall.dev/simulated-node"
		unsuitable(t, true, says)
		unsuitable(t, false, says)
	})
	t.Run("a node of another KWOK", func(t *testing.T) {
		g := NewWithT(t)
		node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{GenerateName: "fake-", Annotations: map[string]string{kwokAnnotation: "fake"}}}
		node, err := admin.CoreV1().Nodes().Create(t.Context(), node, metav1.CreateOptions{})
		g.Expect(err).NotTo(HaveOccurred())
		t.Cleanup(func() {
			g.Expect(admin.CoreV1().Nodes().Delete(context.Background(), node.Name, metav1.DeleteOptions{})).To(Succeed())
		})
		unsuitable(t, true, "KWOK is in the cluster already, and might simulate the same nodes (node "+node.Name)
	})
	t.Run("KWOK itself", func(t *testing.T) {
		g := NewWithT(t)
		app := map[string]string{"app": "kwok-controller"}
		deployment := &appsv1.Deployment{
			ObjectMeta: metav1.ObjectMeta{Name: "kwok-controller", Namespace: metav1.NamespaceSystem, Labels: app},
			Spec: appsv1.DeploymentSpec{
				Replicas: new(int32), Selector: &metav1.LabelSelector{MatchLabels: app},
				Template: corev1.PodTemplateSpec{
					ObjectMeta: metav1.ObjectMeta{Labels: app}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "kwok", Image: "kwok"}}},
				},
			},
		}
		_, err := admin.AppsV1().Deployments(deployment.Namespace).Create(t.Context(), deployment, metav1.CreateOptions{})
		g.Expect(err).NotTo(HaveOccurred())
		t.Cleanup(func() {
			g.Expect(admin.AppsV1().Deployments(deployment.Namespace).Delete(context.Background(), deployment.Name, metav1.DeleteOptions{})).To(Succeed())
		})
		unsuitable(t, true, "Deployment kube-system/kwok-controller is KWOK's")
	})
}
