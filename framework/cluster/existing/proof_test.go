package existing

import (
	"bytes"
	"context"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/scenario"
)

func TestNodesMustRunPodsThatTheAPIServerReaches(t *testing.T) {
	g := NewWithT(t)
	silent := setAside(t)
	c := mustUse(t)
	// Nothing is behind these nodes: pods are Ready, and do not answer.
	err := c.RunOnEveryNode(t.Context(), scenario.ImagesPod("registry.test/rollcall"), scenario.ImagesPodPort, "readyz")
	g.Expect(err).To(MatchError(And(HavePrefix("try pods on node "+silent), ContainSubstring("reach its pod through the API server"))))
}

func TestADaemonSetControllerThatRunsIsNoticed(t *testing.T) {
	g := NewWithT(t)
	setAside(t)
	c := mustUse(t)
	pods := scenario.ImagesPod("rollcall.dev")
	g.Expect(c.NobodyRunsDaemonSets(t.Context(), pods)).To(MatchError(ContainSubstring("somebody runs this cluster's DaemonSets")))
	g.Expect(somebodys.SwitchOff(t.Context(), "daemonset-controller")).To(Succeed())
	t.Cleanup(func() { g.Expect(somebodys.SwitchOff(context.Background())).To(Succeed()) })
	g.Eventually(func() error { return c.NobodyRunsDaemonSets(t.Context(), pods) }, patience).Should(Succeed())
}

func TestGuestsThatCameMeanwhileAreTold(t *testing.T) {
	g := NewWithT(t)
	visited := setAside(t)
	var said bytes.Buffer
	c, err := use(t, &said)
	g.Expect(err).NotTo(HaveOccurred())
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "guest", Namespace: metav1.NamespaceDefault},
		Spec:       corev1.PodSpec{NodeName: visited, Containers: []corev1.Container{{Name: "web", Image: "web"}}},
	}
	_, err = admin.CoreV1().Pods(pod.Namespace).Create(t.Context(), pod, metav1.CreateOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(c.Stop(t.Context())).To(Succeed())
	g.Expect(said.String()).To(ContainSubstring("pod default/guest came to node " + visited + " during the run"))
	g.Expect(admin.CoreV1().Pods(pod.Namespace).Delete(t.Context(), pod.Name, *metav1.NewDeleteOptions(0))).To(Succeed(), "it was left alone")
}
