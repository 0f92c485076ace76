package kind_test

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
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/rollcall-conformance/rollcall/framework/cluster/kind"
	"github.com/rollcall-conformance/rollcall/framework/cluster/kwok"
	"github.com/rollcall-conformance/rollcall/framework/daemonimage"
)

// patience bounds waits for what takes seconds on an idle machine.
const patience = 3 * time.Minute

// scene is a running cluster that a test walks through.
type scene struct {
	*testing.T
	g       *WithT
	cluster *kind.Cluster
	client  kubernetes.Interface
	options kind.Options
}

func (s *scene) usersMayDoWhatRBACAllows() {
	path, err := s.cluster.KubeconfigFor(s.Context(), "jane", "readers")
	s.g.Expect(err).NotTo(HaveOccurred())
	config, err := clientcmd.BuildConfigFromFlags("", path)
	s.g.Expect(err).NotTo(HaveOccurred())
	jane := kubernetes.NewForConfigOrDie(config)
	list := func() error {
		_, err := jane.CoreV1().Nodes().List(s.Context(), metav1.ListOptions{})
		return err
	}
	s.g.Expect(list()).To(Satisfy(apierrors.IsForbidden))
	_, err = s.client.RbacV1().ClusterRoleBindings().Create(s.Context(), &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "readers"}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "system:node"},
		Subjects: []rbacv1.Subject{{Kind: rbacv1.GroupKind, APIGroup: rbacv1.GroupName, Name: "readers"}},
	}, metav1.CreateOptions{})
	s.g.Expect(err).NotTo(HaveOccurred())
	s.g.Eventually(list).WithTimeout(patience).Should(Succeed())
	_, err = jane.RbacV1().ClusterRoles().List(s.Context(), metav1.ListOptions{})
	s.g.Expect(err).To(Satisfy(apierrors.IsForbidden))
}

// pods are the daemon pods on machines, by node, once as many as wanted are Ready.
func (s *scene) pods(wanted int) map[string]corev1.Pod {
	s.Helper()
	found := map[string]corev1.Pod{}
	s.g.Eventually(func(g Gomega) {
		list, err := s.client.CoreV1().Pods(metav1.NamespaceDefault).List(s.Context(), metav1.ListOptions{LabelSelector: "app=daemon"})
		g.Expect(err).NotTo(HaveOccurred())
		clear(found)
		for _, pod := range list.Items {
			for _, condition := range pod.Status.Conditions {
				if condition.Type == corev1.PodReady && condition.Status == corev1.ConditionTrue && pod.DeletionTimestamp == nil {
					found[pod.Spec.NodeName] = pod
				}
			}
		}
		g.Expect(found).To(HaveLen(wanted))
	}).WithTimeout(patience).Should(Succeed())
	return found
}

const simulated = "simulated"

func (s *scene) daemonPodsComeWhenTheirControllerIsOn() {
	image, err := daemonimage.Build(s.Context(), s.TempDir())
	s.g.Expect(err).NotTo(HaveOccurred())
	s.g.Expect(s.cluster.LoadImages(s.Context(), image.Path)).To(Succeed())
	_, err = s.client.CoreV1().Nodes().Create(s.Context(), &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: simulated, Labels: map[string]string{kwok.NodeLabel: kwok.NodeLabelValue}},
	}, metav1.CreateOptions{})
	s.g.Expect(err).NotTo(HaveOccurred())
	labels, grace := map[string]string{"app": "daemon"}, int64(0)
	_, err = s.client.AppsV1().DaemonSets(metav1.NamespaceDefault).Create(s.Context(), &appsv1.DaemonSet{
		ObjectMeta: metav1.ObjectMeta{Name: "daemon"},
		Spec: appsv1.DaemonSetSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec: corev1.PodSpec{
					TerminationGracePeriodSeconds: &grace,
					Containers: []corev1.Container{{
						Name: "daemon", Image: daemonimage.Default.Daemon() + ":v1", ImagePullPolicy: corev1.PullNever,
						ReadinessProbe: &corev1.Probe{PeriodSeconds: 1, TimeoutSeconds: 10, ProbeHandler: corev1.ProbeHandler{
							HTTPGet: &corev1.HTTPGetAction{Path: "/readyz", Port: intstr.FromInt32(8080)},
						}},
					}},
				},
			},
		},
	}, metav1.CreateOptions{})
	s.g.Expect(err).NotTo(HaveOccurred())
	s.g.Consistently(s.anyPods).WithContext(s.Context()).WithTimeout(2 * time.Second).Should(BeEmpty())

	s.g.Expect(s.cluster.SwitchOff(s.Context())).To(Succeed())
	s.g.Expect(s.pods(3)).To(HaveKey(simulated))
	// What a cluster runs on every real node is not made for simulated ones.
	s.g.Consistently(func(g Gomega) {
		proxies, err := s.client.CoreV1().Pods(metav1.NamespaceSystem).List(s.Context(), metav1.ListOptions{LabelSelector: "k8s-app=kube-proxy"})
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(proxies.Items).To(HaveLen(3))
	}).WithTimeout(2 * time.Second).Should(Succeed())
}

func (s *scene) anyPods(ctx context.Context) ([]corev1.Pod, error) {
	list, err := s.client.CoreV1().Pods(metav1.NamespaceDefault).List(ctx, metav1.ListOptions{LabelSelector: "app=daemon"})
	if err != nil {
		return nil, err
	}
	return list.Items, nil
}

// reach asks a daemon pod for its state, from the control plane's node.
func (s *scene) reach(ctx context.Context, pod corev1.Pod) error {
	_, err := s.client.CoreV1().Pods(pod.Namespace).ProxyGet("http", pod.Name, "8080", "/state", nil).DoRaw(ctx)
	return err
}

func (s *scene) podsOnAllNodesCanBeReached() {
	pods := s.pods(3)
	for _, worker := range s.cluster.Workers() {
		s.g.Expect(s.reach(s.Context(), pods[worker])).To(Succeed())
	}
}

func (s *scene) nobodyReplacesPodsWhileTheControllerIsOff() {
	image, err := s.cluster.ControlPlaneImage(s.Context(), "kube-controller-manager")
	s.g.Expect(err).NotTo(HaveOccurred())
	s.g.Expect(image).To(HaveSuffix("/kube-controller-manager:" + s.cluster.KubernetesVersion()))

	s.g.Expect(s.cluster.SwitchOff(s.Context(), daemonController)).To(Succeed())
	began := time.Now()
	s.g.Expect(s.cluster.SwitchOff(s.Context(), daemonController)).To(Succeed(), "the second time")
	s.Logf("nothing to switch off: %s", time.Since(began).Round(time.Millisecond))
	victim := s.pods(3)[s.cluster.Workers()[0]]
	s.g.Expect(s.client.CoreV1().Pods(victim.Namespace).Delete(s.Context(), victim.Name, metav1.DeleteOptions{})).To(Succeed())
	s.g.Eventually(s.anyPods).WithContext(s.Context()).WithTimeout(patience).Should(HaveLen(2))
	s.g.Consistently(s.anyPods).WithContext(s.Context()).WithTimeout(3 * time.Second).Should(HaveLen(2))

	s.g.Expect(s.cluster.SwitchOff(s.Context())).To(Succeed())
	s.pods(3)
}

func (s *scene) aRebootedMachineWorksAsBefore() {
	worker := s.cluster.Workers()[0]
	booted := func() string {
		since, err := s.cluster.Run(s.Context(), worker, "systemctl", "show", "--property=ExecMainStartTimestampMonotonic", "kubelet")
		s.g.Expect(err).NotTo(HaveOccurred())
		return since
	}
	routes := func() string {
		routes, err := s.cluster.Run(s.Context(), worker, "ip", "route", "show", "10.244.0.0/24")
		s.g.Expect(err).NotTo(HaveOccurred())
		return routes
	}
	before, way := booted(), routes()
	s.g.Expect(way).NotTo(BeEmpty())
	began := time.Now()
	s.g.Expect(s.cluster.Reboot(s.Context(), worker)).To(Succeed())
	s.Logf("rebooted in %s", time.Since(began).Round(time.Second))
	s.g.Expect(booted()).NotTo(Equal(before))
	s.g.Expect(routes()).To(Equal(way))
	// Until kubelet has looked at the pod, the API still has what was true of it before.
	s.g.Eventually(func(ctx context.Context) error { return s.reach(ctx, s.pods(3)[worker]) }).
		WithContext(s.Context()).WithTimeout(patience).Should(Succeed())
}

func (s *scene) whoAttachesUsesTheMachinesAndCannotStopThem() {
	attached, err := kind.Attach(s.Context(), s.cluster.Name(), s.cluster.Kubeconfig())
	s.g.Expect(err).NotTo(HaveOccurred())
	s.g.Expect(attached.Workers()).To(Equal(s.cluster.Workers()))
	hostname, err := attached.Run(s.Context(), attached.Workers()[0], "hostname")
	s.g.Expect(err).NotTo(HaveOccurred())
	s.g.Expect(hostname).To(Equal(attached.Workers()[0] + "\n"))
	_, err = attached.Run(s.Context(), attached.Workers()[0], "sh", "-c", "echo no such luck >&2; exit 3")
	s.g.Expect(err).To(MatchError(ContainSubstring("no such luck")))
	s.g.Expect(attached.Reboot(s.Context(), "nowhere")).To(MatchError(ContainSubstring("no machine behind node nowhere")))
	s.g.Expect(attached.Stop(s.Context())).To(MatchError(ContainSubstring("only who started it can")))
	_, err = kind.Attach(s.Context(), "rollcall-nowhere", s.cluster.Kubeconfig())
	s.g.Expect(err).To(MatchError(ContainSubstring("there is no kind cluster rollcall-nowhere")))
}

func (s *scene) stoppingLeavesTheLogsAndNothingElse() {
	s.g.Expect(s.cluster.ExportLogs(s.Context())).To(Succeed())
	log, err := os.ReadFile(filepath.Join(s.options.Dir, "logs", "kind", s.cluster.Workers()[0], "kubelet.log"))
	s.g.Expect(err).NotTo(HaveOccurred())
	s.g.Expect(log).NotTo(BeEmpty())
	machines := docker(s, "ps", "--all", "--quiet", "--filter", clusterLabel+s.cluster.Name())
	s.g.Expect(machines).To(HaveLen(3))
	volumes := docker(s, append([]string{"inspect", "--format", `{{range .Mounts}}{{if eq .Type "volume"}}{{.Name}} {{end}}{{end}}`}, machines...)...)
	s.g.Expect(volumes).To(HaveLen(3))

	began := time.Now()
	s.g.Expect(s.cluster.Stop(s.Context())).To(Succeed())
	s.Logf("stopped in %s", time.Since(began).Round(time.Millisecond))
	s.g.Expect(docker(s, "ps", "--all", "--quiet", "--filter", clusterLabel+s.cluster.Name())).To(BeEmpty())
	s.g.Expect(docker(s, "volume", "ls", "--quiet")).NotTo(ContainElements(volumes))
	left, err := filepath.Glob(filepath.Join(s.options.Dir, "*"))
	s.g.Expect(err).NotTo(HaveOccurred())
	s.g.Expect(left).To(ConsistOf(filepath.Join(s.options.Dir, "logs")))
	s.g.Expect(s.cluster.Stop(s.Context())).To(Succeed(), "the second time")
}
