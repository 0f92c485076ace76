package embedded_test

import (
	"context"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/rollcall-conformance/rollcall/framework/cluster/embedded"
)

// makeNamespace makes a namespace in which pods can be created.
func makeNamespace(t testing.TB, client kubernetes.Interface, name string) {
	t.Helper()
	g := NewWithT(t)
	_, err := client.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	g.Eventually(func() error {
		_, err := client.CoreV1().ServiceAccounts(name).Get(t.Context(), "default", metav1.GetOptions{})
		return err
	}).WithTimeout(patience).Should(Succeed())
}

func podTemplate(name string) corev1.PodTemplateSpec {
	return corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": name}},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "registry.example/" + name}}},
	}
}

func daemonSet(namespace, name string) *appsv1.DaemonSet {
	return &appsv1.DaemonSet{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec: appsv1.DaemonSetSpec{
			Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": name}}, Template: podTemplate(name),
		},
	}
}

func TestTheVersionIsThatOfThePrograms(t *testing.T) {
	g := NewWithT(t)
	version, err := client.Discovery().ServerVersion()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(version.GitVersion).To(Equal(shared.KubernetesVersion()))
	g.Expect(shared.Provider()).To(Equal("embedded"))
}

func TestAUserMayDoWhatARoleAllowsAndNothingElse(t *testing.T) {
	g := NewWithT(t)
	makeNamespace(t, client, "rbac")
	path, err := shared.KubeconfigFor(t.Context(), "jane")
	g.Expect(err).NotTo(HaveOccurred())
	config, err := clientcmd.BuildConfigFromFlags("", path)
	g.Expect(err).NotTo(HaveOccurred())
	jane := kubernetes.NewForConfigOrDie(config)
	listPods := func() error {
		_, err := jane.CoreV1().Pods("rbac").List(t.Context(), metav1.ListOptions{})
		return err
	}
	g.Expect(listPods()).To(Satisfy(apierrors.IsForbidden))

	meta := metav1.ObjectMeta{Name: "reader", Namespace: "rbac"}
	_, err = client.RbacV1().Roles("rbac").Create(t.Context(), &rbacv1.Role{
		ObjectMeta: meta, Rules: []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"list"}}},
	}, metav1.CreateOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	_, err = client.RbacV1().RoleBindings("rbac").Create(t.Context(), &rbacv1.RoleBinding{
		ObjectMeta: meta, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "reader"},
		Subjects: []rbacv1.Subject{{Kind: rbacv1.UserKind, APIGroup: rbacv1.GroupName, Name: "jane"}},
	}, metav1.CreateOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	g.Eventually(listPods).WithTimeout(patience).Should(Succeed())
	_, err = jane.CoreV1().Secrets("rbac").List(t.Context(), metav1.ListOptions{})
	g.Expect(err).To(Satisfy(apierrors.IsForbidden))
}

func TestUsersMadeAtOnceHaveCertificatesOfTheirOwn(t *testing.T) {
	g := NewWithT(t)
	const users = 8
	paths := make(chan string, users)
	for range users {
		go func() {
			path, err := shared.KubeconfigFor(context.Background(), "system:serviceaccount:a:b", "system:authenticated")
			if err != nil {
				path = err.Error()
			}
			paths <- path
		}()
	}
	seen := map[string]bool{}
	for range users {
		path := <-paths
		config, err := clientcmd.BuildConfigFromFlags("", path)
		g.Expect(err).NotTo(HaveOccurred())
		seen[string(config.CertData)] = true
	}
	g.Expect(seen).To(HaveLen(users))
}

func TestAServiceAccountsTokenAuthenticatesIt(t *testing.T) {
	g := NewWithT(t)
	makeNamespace(t, client, "tokens")
	token, err := client.CoreV1().ServiceAccounts("tokens").CreateToken(t.Context(), "default", &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	config := rest.AnonymousClientConfig(shared.Config())
	config.BearerToken = token.Status.Token
	review, err := kubernetes.NewForConfigOrDie(config).AuthenticationV1().SelfSubjectReviews().
		Create(t.Context(), &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(review.Status.UserInfo.Username).To(Equal("system:serviceaccount:tokens:default"))
}

func TestAPodIsAdmittedWithItsServiceAccountsToken(t *testing.T) {
	g := NewWithT(t)
	makeNamespace(t, client, "admission")
	pod, err := client.CoreV1().Pods("admission").Create(t.Context(), &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "p"}, Spec: podTemplate("p").Spec,
	}, metav1.CreateOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(pod.Spec.ServiceAccountName).To(Equal("default"))
	g.Expect(pod.Spec.Volumes).To(ContainElement(Satisfy(func(volume corev1.Volume) bool {
		return strings.HasPrefix(volume.Name, "kube-api-access-") && volume.Projected != nil
	})))
	g.Expect(pod.Spec.Tolerations).To(ContainElement(HaveField("Key", corev1.TaintNodeNotReady)), "defaulted like anywhere")
}

func TestADisabledControllerIsOffAndTheOthersAreOn(t *testing.T) {
	g := NewWithT(t)
	cluster, _, err := start(t, func(options *embedded.Options) { options.DisabledControllers = []string{"daemonset-controller"} })
	g.Expect(err).NotTo(HaveOccurred())
	without := kubernetes.NewForConfigOrDie(cluster.Config())

	for name, client := range map[string]kubernetes.Interface{"without the controller": without, "with it": client} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			makeNamespace(t, client, "daemons")
			_, err := client.AppsV1().DaemonSets("daemons").Create(t.Context(), daemonSet("daemons", "d"), metav1.CreateOptions{})
			g.Expect(err).NotTo(HaveOccurred())
			// Another controller's work, begun later, tells when the DaemonSet's could have been done.
			replicaSet := &appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{Name: "r"}, Spec: appsv1.ReplicaSetSpec{
				Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "r"}}, Template: podTemplate("r"),
			}}
			_, err = client.AppsV1().ReplicaSets("daemons").Create(t.Context(), replicaSet, metav1.CreateOptions{})
			g.Expect(err).NotTo(HaveOccurred())
			g.Eventually(func() ([]corev1.Pod, error) {
				pods, err := client.CoreV1().Pods("daemons").List(t.Context(), metav1.ListOptions{LabelSelector: "app=r"})
				return pods.Items, err
			}).WithTimeout(patience).Should(HaveLen(1))

			observed := func() (int64, error) {
				got, err := client.AppsV1().DaemonSets("daemons").Get(t.Context(), "d", metav1.GetOptions{})
				return got.Status.ObservedGeneration, err
			}
			if client == without {
				g.Expect(observed()).To(BeZero())
				return
			}
			g.Eventually(observed).WithTimeout(patience).Should(Equal(int64(1)))
		})
	}
}
