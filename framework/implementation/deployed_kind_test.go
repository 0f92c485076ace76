package implementation_test

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/rollcall-conformance/rollcall/framework/cluster/kind"
	"github.com/rollcall-conformance/rollcall/framework/cluster/kind/kindtest"
	"github.com/rollcall-conformance/rollcall/framework/implementation"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
)

const (
	// idle is for how long nothing is to happen while the implementation cannot act; it acts within a fraction of that when it can.
	idle = 3 * time.Second
	// soon bounds what the implementation is to do once it can.
	soon = 30 * time.Second
	// afterCut is soon after a cut: connections, and the kubelet's patience with a container that ended over and over, take their time.
	afterCut = 90 * time.Second
)

// bench is a cluster and an implementation in it.
type bench struct {
	*WithT
	t          *testing.T
	cluster    *kind.Cluster
	client     kubernetes.Interface
	spec       *implementation.Implementation
	running    *implementation.Running
	options    implementation.LaunchOptions
	daemonSets int
}

// startKind returns a cluster without Kubernetes' own DaemonSet controller.
func startKind(t *testing.T) *kind.Cluster {
	t.Helper()
	kindtest.Need(t)
	g := NewWithT(t)
	options := kindtest.Options(t)
	options.DisabledControllers = []string{"daemonset-controller"}
	cluster, err := kind.Start(t.Context(), options)
	g.Expect(err).NotTo(HaveOccurred())
	t.Cleanup(func() { g.Expect(cluster.Stop(context.Background())).To(Succeed()) })
	return cluster
}

// prepare loads and builds a shipped implementation.
func prepare(t *testing.T, cluster *kind.Cluster, name string) *bench {
	t.Helper()
	b := &bench{WithT: NewWithT(t), t: t, cluster: cluster}
	catalogue, err := requirements.Load()
	b.Expect(err).NotTo(HaveOccurred())
	b.client, err = kubernetes.NewForConfig(cluster.Config())
	b.Expect(err).NotTo(HaveOccurred())
	b.spec, err = implementation.Load(name, catalogue)
	b.Expect(err).NotTo(HaveOccurred())
	artifact, err := b.spec.Build(t.Context(), implementation.BuildOptions{Machines: true, ImageCache: t.TempDir()})
	b.Expect(err).NotTo(HaveOccurred())
	b.options = implementation.LaunchOptions{
		Cluster: cluster, Machines: cluster, Artifact: artifact, LogPath: filepath.Join(t.TempDir(), "logs", "implementation.log"),
	}
	return b
}

func (b *bench) launch() {
	b.t.Helper()
	var err error
	b.running, err = implementation.Launch(b.t.Context(), b.spec, b.options)
	b.Expect(err).NotTo(HaveOccurred())
	b.t.Cleanup(func() { NewWithT(b.t).Expect(b.running.Stop(context.Background())).To(Succeed()) })
}

// pods of the implementation, by UID.
func (b *bench) pods() map[string]corev1.Pod {
	b.t.Helper()
	at := b.spec.Launch.Image.Deployment
	list, err := b.client.CoreV1().Pods(at.Namespace).List(b.t.Context(), metav1.ListOptions{LabelSelector: "app.kubernetes.io/name=" + at.Name})
	b.Expect(err).NotTo(HaveOccurred())
	pods := map[string]corev1.Pod{}
	for _, pod := range list.Items {
		pods[string(pod.UID)] = pod
	}
	return pods
}

// newDaemonSet makes one, and returns a question: how many pods does it have?
func (b *bench) newDaemonSet() func() int {
	b.t.Helper()
	b.daemonSets++
	labels := map[string]string{"test": b.t.Name()[len(b.t.Name())-3:], "n": string(rune('a' + b.daemonSets))}
	made, err := b.client.AppsV1().DaemonSets("default").Create(b.t.Context(), &appsv1.DaemonSet{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "trial-"},
		Spec: appsv1.DaemonSetSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "daemon", Image: "registry.k8s.io/pause:3.10"}}},
			},
		},
	}, metav1.CreateOptions{})
	b.Expect(err).NotTo(HaveOccurred())
	b.t.Cleanup(func() {
		err := b.client.AppsV1().DaemonSets("default").Delete(context.Background(), made.Name, metav1.DeleteOptions{})
		NewWithT(b.t).Expect(err).NotTo(HaveOccurred())
	})
	return func() int {
		list, err := b.client.CoreV1().Pods("default").List(context.Background(), metav1.ListOptions{
			LabelSelector: metav1.FormatLabelSelector(made.Spec.Selector),
		})
		if err != nil {
			b.t.Error(err)
		}
		return len(list.Items)
	}
}

// incapable checks that the implementation does nothing during what incapacitates it, and catches up after what ends that.
func (b *bench) incapable(what string, begin, end func(context.Context) error, patience time.Duration) {
	b.t.Helper()
	started := time.Now()
	b.Expect(begin(b.t.Context())).To(Succeed(), what)
	b.t.Logf("%s took %s", what, time.Since(started))
	pods := b.newDaemonSet()
	b.Consistently(pods, idle, "100ms").Should(BeZero(), what)
	started = time.Now()
	b.Expect(end(b.t.Context())).To(Succeed(), what)
	b.t.Logf("end of %s took %s", what, time.Since(started))
	b.Eventually(pods, patience, "100ms").Should(BeNumerically(">=", len(b.cluster.Workers())), what)
	b.t.Logf("caught up after %s", time.Since(started))
	b.Expect(b.running.AwaitReady(b.t.Context())).To(Succeed(), what)
	b.Expect(b.running.ExitStatus()).To(BeEmpty(), "whatever ended, ended because of this: %s", what)
}

// killBehindItsBack ends a container as a bug would.
func (b *bench) killBehindItsBack() {
	b.t.Helper()
	for _, pod := range b.pods() {
		id := strings.TrimPrefix(pod.Status.ContainerStatuses[0].ContainerID, "containerd://")
		_, err := b.cluster.Run(b.t.Context(), pod.Spec.NodeName, "ctr", "-n", "k8s.io", "tasks", "kill", "-s", "KILL", id)
		b.Expect(err).NotTo(HaveOccurred())
	}
}

// find returns a capability that must be available.
func find[C implementation.Capability](b *bench, running *implementation.Running) C {
	b.t.Helper()
	capability, err := implementation.Find[C](b.t.Context(), running)
	b.Expect(err).NotTo(HaveOccurred())
	return capability
}

// gone checks that nothing of the implementation is left in the cluster.
func (b *bench) gone() {
	b.t.Helper()
	at := b.spec.Launch.Image.Deployment
	b.Expect(b.pods()).To(BeEmpty())
	_, err := b.client.CoreV1().ServiceAccounts(at.Namespace).Get(b.t.Context(), at.Name, metav1.GetOptions{})
	b.Expect(apierrors.IsNotFound(err)).To(BeTrue(), "service account")
	_, err = b.client.RbacV1().ClusterRoleBindings().Get(b.t.Context(), at.Name, metav1.GetOptions{})
	b.Expect(apierrors.IsNotFound(err)).To(BeTrue(), "cluster role binding")
	_, err = b.client.CoreV1().Namespaces().Get(b.t.Context(), at.Namespace, metav1.GetOptions{})
	b.Expect(apierrors.IsNotFound(err)).To(Equal(at.Namespace != metav1.NamespaceSystem), "namespace")
}

func TestWhatIsDoneToAnImplementationByImageActs(t *testing.T) {
	cluster := startKind(t)
	for _, name := range []string{"reference", "kube-controller-manager"} {
		t.Run(name, func(t *testing.T) {
			b := prepare(t, cluster, name)
			_, err := implementation.Attach(t.Context(), b.spec, b.options)
			b.Expect(apierrors.IsNotFound(err)).To(BeTrue(), "there is nothing to attach to yet")
			b.launch()
			b.Expect(b.running.LogTail(3)).To(HaveLen(3))
			b.Eventually(b.newDaemonSet(), soon).Should(BeNumerically(">=", len(cluster.Workers())))

			attached, err := implementation.Attach(t.Context(), b.spec, b.options)
			b.Expect(err).NotTo(HaveOccurred())
			b.incapable("suspension", find[implementation.Suspender](b, attached).Suspend, find[implementation.Suspender](b, attached).Resume, soon)
			b.incapable("kill", find[implementation.Killer](b, attached).Kill, find[implementation.Restarter](b, attached).Restart, soon)
			b.incapable("cut", find[implementation.Network](b, attached).CutOff, find[implementation.Network](b, attached).Reconnect, afterCut)

			before := b.pods()
			b.Expect(find[implementation.PodDeleter](b, attached).DeletePod(t.Context())).To(Succeed())
			b.Expect(b.running.AwaitReady(t.Context())).To(Succeed())
			for uid := range b.pods() {
				b.Expect(before).NotTo(HaveKey(uid))
			}
			b.Expect(find[implementation.Crasher](b, attached).Crash(t.Context())).To(Succeed())
			b.Expect(b.running.AwaitReady(t.Context())).To(Succeed())
			for _, pod := range b.pods() {
				b.Expect(pod.Status.ContainerStatuses[0].RestartCount).To(BeEquivalentTo(1))
				b.Expect(pod.Status.ContainerStatuses[0].LastTerminationState.Terminated.ExitCode).To(BeEquivalentTo(137))
			}
			b.Expect(b.running.ExitStatus()).To(BeEmpty(), "it was asked to crash")
			b.Eventually(b.newDaemonSet(), soon).Should(BeNumerically(">=", len(cluster.Workers())))

			quieter := implementation.Change{Args: []string{"--kube-api-qps=50"}, Env: map[string]string{"ROLLCALL_TEST": "yes"}}
			b.Expect(find[implementation.Reconfigurer](b, attached).RestartWith(b.t.Context(), quieter)).To(Succeed())
			for _, pod := range b.pods() {
				container := pod.Spec.Containers[0]
				b.Expect(append(container.Command, container.Args...)).To(ContainElement("--kube-api-qps=50"))
				b.Expect(container.Env).To(ContainElement(corev1.EnvVar{Name: "ROLLCALL_TEST", Value: "yes"}))
			}
			b.Expect(find[implementation.Restarter](b, attached).Restart(b.t.Context())).To(Succeed())
			for _, pod := range b.pods() {
				container := pod.Spec.Containers[0]
				b.Expect(append(container.Command, container.Args...)).NotTo(ContainElement("--kube-api-qps=50"))
				b.Expect(container.Env).To(BeEmpty())
			}

			b.Expect(b.running.Exited()).NotTo(BeClosed(), "nothing ended that was not asked to")
			b.killBehindItsBack()
			b.Eventually(b.running.Exited(), soon).Should(BeClosed())
			b.Eventually(b.running.ExitStatus, soon).Should(ContainSubstring("with exit code 137"), "nobody asked for this one")
			b.Expect(find[implementation.Killer](b, attached).Kill(t.Context())).To(MatchError(ContainSubstring("it ended by itself before")), "that would cover it up")

			b.Expect(attached.Stop(t.Context())).To(Succeed())
			b.Expect(b.pods()).To(HaveLen(1), "whoever attaches does not stop it")
			b.Expect(b.running.Stop(t.Context())).To(Succeed())
			b.gone()
			b.Expect(b.options.LogPath).To(BeAnExistingFile())
		})
	}

	t.Run("what does not become ready", func(t *testing.T) {
		for why, tt := range map[string]struct{ old, new, says string }{
			"a flag that it does not have": {"--ready-when-leading", "--ready-when-leding", "flag provided but not defined: -ready-when-leding"},
			"an image that nobody has":     {"${IMAGE}", "rollcall.test/nowhere:v1", "container rollcall-reference waits: (ErrImagePull|ImagePullBackOff) .*nowhere:v1"},
			"a node that is not there":     {"node-role.kubernetes.io/control-plane:", "rollcall.test/nowhere:", "not PodScheduled: 0/3 nodes are available"},
			"a manifest that is refused":   {"type: Recreate", "type: Sideways", `applying ../deployments/reference\.yaml: Deployment rollcall-reference: `},
		} {
			t.Run(why, func(t *testing.T) {
				b := prepare(t, cluster, "reference")
				for n, manifest := range b.spec.Launch.Image.Manifests {
					if strings.Contains(manifest.Path, "deployments") {
						b.spec.Launch.Image.Manifests[n].Content = bytes.ReplaceAll(manifest.Content, []byte(tt.old), []byte(tt.new))
					}
				}
				// Time enough for a pod to start, or not to, on a busy machine.
				ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
				defer cancel()
				_, err := implementation.Launch(ctx, b.spec, b.options)
				b.Expect(err).To(MatchError(MatchRegexp(tt.says)))
				b.gone()
			})
		}
	})
}
