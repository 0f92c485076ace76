package embedded_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	. "github.com/onsi/gomega"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/rollcall-conformance/rollcall/framework/audit"
	"github.com/rollcall-conformance/rollcall/framework/cluster/embedded"
)

func TestWhoAttachesActsAsAnybodyAndTheAuditLogSaysSo(t *testing.T) {
	g := NewWithT(t)
	kubeconfig, err := shared.KubeconfigFor(t.Context(), "harness", "system:masters")
	g.Expect(err).NotTo(HaveOccurred())
	attached, err := embedded.Attach(embedded.AttachOptions{
		Kubeconfig: kubeconfig, KubernetesVersion: shared.KubernetesVersion(), Dir: t.TempDir(), AuditFolder: string(shared.AuditLog().(audit.Folder)),
	})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(attached.KubernetesVersion()).To(Equal(shared.KubernetesVersion()))
	position, err := attached.AuditLog().End(t.Context())
	g.Expect(err).NotTo(HaveOccurred())

	as := func(user string, groups ...string) kubernetes.Interface {
		path, err := attached.KubeconfigFor(t.Context(), user, groups...)
		g.Expect(err).NotTo(HaveOccurred())
		config, err := clientcmd.BuildConfigFromFlags("", path)
		g.Expect(err).NotTo(HaveOccurred())
		return kubernetes.NewForConfigOrDie(config)
	}
	_, err = as("nobody").CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
	g.Expect(err).To(Satisfy(apierrors.IsForbidden), "RBAC decides by whom is impersonated")
	tested := as("tested", "system:masters")
	review, err := tested.AuthenticationV1().SelfSubjectReviews().Create(t.Context(), &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(review.Status.UserInfo.Username).To(Equal("tested"))
	_, err = tested.CoreV1().Nodes().Create(t.Context(), &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "attached"}}, metav1.CreateOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	t.Cleanup(func() {
		g.Expect(client.CoreV1().Nodes().Delete(context.WithoutCancel(t.Context()), "attached", metav1.DeleteOptions{})).To(Succeed())
	})
	g.Eventually(func() (users []string) {
		for _, record := range auditRecords(t, position, `"attached"`) {
			if record.Verb == "create" {
				users = append(users, record.User)
			}
		}
		return users
	}).WithTimeout(patience).Should(ConsistOf("tested"))

	g.Expect(attached.SwitchOff(t.Context())).To(MatchError(errors.ErrUnsupported))
	g.Expect(attached.Stop(t.Context())).To(Succeed())
	_, err = client.CoreV1().Nodes().Get(t.Context(), "attached", metav1.GetOptions{})
	g.Expect(err).NotTo(HaveOccurred(), "Stop leaves the control plane as it is")
}

func TestAComponentThatEndsIsNamed(t *testing.T) {
	g := NewWithT(t)
	cluster, options, err := start(t)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(cluster.Ended()).To(BeEmpty())
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	g.Expect(err).NotTo(HaveOccurred())
	killed := 0
	for _, file := range files {
		line, err := os.ReadFile(file)
		if err != nil || !strings.Contains(string(line), "kube-scheduler\x00") || !strings.Contains(string(line), options.Dir) {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(syscall.Kill(pid, syscall.SIGKILL)).To(Succeed())
		killed++
	}
	g.Expect(killed).To(Equal(1))
	g.Eventually(cluster.Ended).WithTimeout(patience).Should(HavePrefix("kube-scheduler ended (signal: killed)"))
}
