package implementation

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clientset "k8s.io/client-go/kubernetes/fake"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
)

// nothing are machines on which every command prints this.
type nothing string

func (n nothing) LoadImages(context.Context, string) error { return errors.New("there is no room") }

func (n nothing) Run(context.Context, string, ...string) (string, error) { return string(n), nil }

// theDeploymentManifest is the manifest of the Deployment mine/controller, whose second container is the implementation.
const theDeploymentManifest = `apiVersion: apps/v1
kind: Deployment
metadata: {name: controller, namespace: mine}
spec:
  selector: {matchLabels: {app: controller}}
  template:
    metadata: {labels: {app: controller}}
    spec:
      containers:
        - {name: proxy, image: example.test/proxy, args: [--level=1]}
        - name: main
          image: ${IMAGE}
          command: [controller, --level=1]
          args: [--port=1]
          env: [{name: GREETING, value: hello}, {name: KEPT, value: kept}]
`

// inCluster is that Deployment with these pods, in a cluster that only remembers.
func inCluster(t *testing.T, machines Machines, pods ...*corev1.Pod) *Running {
	t.Helper()
	return deployedWith(t, machines, interceptor.Funcs{}, pods...).running()
}

func deployedWith(t *testing.T, machines Machines, reactions interceptor.Funcs, pods ...*corev1.Pod) *deployed {
	t.Helper()
	spec := &ImageSpec{
		Deployment: types.NamespacedName{Namespace: "mine", Name: "controller"}, Manifests: []Manifest{{Content: []byte(theDeploymentManifest)}},
	}
	deployment, err := spec.deployment()
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	deployment.Spec.Template.Spec.HostNetwork = len(pods) > 0 && pods[0].Spec.HostNetwork
	builder := fake.NewClientBuilder().WithObjects(deployment).WithInterceptorFuncs(reactions)
	for _, pod := range pods {
		builder = builder.WithObjects(pod)
	}
	return &deployed{
		name: "mine", client: builder.Build(), clientset: clientset.NewClientset(), machines: machines, replicas: 1, spec: spec,
		gates: map[string]string{"DaemonSetUpdateSurge": "--gates=DaemonSetUpdateSurge=${ON}"},
	}
}

// deploymentController has every change of a Deployment carried out at once, by pods that are ready unless they are given badFlag.
func deploymentController() interceptor.Funcs {
	return interceptor.Funcs{Patch: func(ctx context.Context, c client.WithWatch, object client.Object, patch client.Patch, options ...client.PatchOption) error {
		err := c.Patch(ctx, object, patch, options...)
		deployment, ok := object.(*appsv1.Deployment)
		if err != nil || !ok {
			return err
		}
		if err := c.DeleteAllOf(ctx, &corev1.Pod{}, client.InNamespace("mine")); err != nil {
			return err
		}
		replicas := ptr.Deref(deployment.Spec.Replicas, 1)
		deployment.Status = appsv1.DeploymentStatus{Replicas: replicas, UpdatedReplicas: replicas}
		if err := c.Status().Update(ctx, deployment.DeepCopy()); err != nil || replicas == 0 {
			return err
		}
		pod := podWith(corev1.ContainerStatus{})
		if slices.Contains(deployment.Spec.Template.Spec.Containers[1].Args, badFlag) {
			pod = podWith(corev1.ContainerStatus{LastTerminationState: endedAt(time.Now()), RestartCount: 1})
			pod.Status.Conditions = nil
		}
		pod.UID = types.UID(time.Now().String())
		return c.Create(ctx, pod)
	}}
}

// says describes the containers of a Deployment.
func says(t *testing.T, d *deployed) []string {
	t.Helper()
	deployment, err := d.deployment(t.Context())
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	var all []string
	for _, container := range deployment.Spec.Template.Spec.Containers {
		said := append(slices.Clone(container.Command), container.Args...)
		for _, variable := range container.Env {
			said = append(said, variable.Name+"="+variable.Value)
		}
		all = append(all, strings.Join(said, " "))
	}
	return all
}

func TestADeploymentIsRestartedOtherwiseUntilTheNextRestart(t *testing.T) {
	g := NewWithT(t)
	d := deployedWith(t, nothing("1\n"), deploymentController(), podWith(corev1.ContainerStatus{}))
	reconfigurer, restarter := capability[Reconfigurer](t, d.running()), capability[Restarter](t, d.running())
	asTheFileSays := []string{"--level=1", "controller --level=1 --port=1 GREETING=hello KEPT=kept"}
	for _, step := range []struct {
		change Change
		says   string
	}{
		{Change{Gates: map[string]bool{"DaemonSetUpdateSurge": false}}, "controller --level=1 --port=1 --gates=DaemonSetUpdateSurge=false GREETING=hello KEPT=kept"},
		{Change{Args: []string{"--level=2", "--new=3"}, Env: map[string]string{"GREETING": "bye"}}, "controller --level=2 --port=1 --new=3 KEPT=kept GREETING=bye"},
	} {
		g.Expect(reconfigurer.RestartWith(t.Context(), step.change)).To(Succeed())
		g.Expect(says(t, d)).To(Equal([]string{"--level=1", step.says}), "a change does not add to the one before, and is the implementation's alone")
	}
	g.Expect(restarter.StandDown(t.Context())).To(Succeed())
	g.Expect(restarter.Restart(t.Context())).To(Succeed())
	g.Expect(says(t, d)).To(Equal(asTheFileSays))

	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	g.Expect(reconfigurer.RestartWith(ctx, Change{Args: []string{badFlag}})).To(MatchError(SatisfyAll(
		HavePrefix("restarting mine: waiting for mine to be ready"), ContainSubstring("container main ended with exit code 2"),
	)))
	g.Expect(d.pods(t.Context())).To(BeEmpty(), "it is down")
	g.Expect(restarter.Restart(t.Context())).To(Succeed(), "the end that the error spoke of is no other")
	g.Expect(says(t, d)).To(Equal(asTheFileSays))
}

func TestAChangeThatCannotBeMadeToADeploymentDoesNothing(t *testing.T) {
	g := NewWithT(t)
	d := deployedWith(t, nothing("1\n"), deploymentController(), podWith(corev1.ContainerStatus{}))
	reconfigurer := capability[Reconfigurer](t, d.running())
	unheard := reconfigurer.RestartWith(t.Context(), Change{Gates: map[string]bool{"Unheard": true}})
	g.Expect(unheard).To(MatchError("the implementation file does not say how the feature gate Unheard is switched: spec.launch.gates does"))
	d.spec.Manifests[0].Content = []byte(strings.ReplaceAll(theDeploymentManifest, "example.test/proxy", `"${IMAGE}"`))
	twice := reconfigurer.RestartWith(t.Context(), Change{Args: []string{"--new=3"}})
	g.Expect(twice).To(MatchError("it cannot be told which container is the implementation: 2 containers of the Deployment mine/controller have the image ${IMAGE}"))
	for _, err := range []error{unheard, twice} {
		g.Expect(err).To(MatchError(errors.ErrUnsupported))
	}
	pods, err := d.pods(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(pods).To(ConsistOf(HaveField("UID", types.UID("u1"))))
	g.Expect(capability[Restarter](t, d.running()).Restart(t.Context())).To(Succeed(), "which takes no container to be told")
}

func TestTheEndOfAContainerThatNobodyAskedForIsKnownAtOnce(t *testing.T) {
	g := NewWithT(t)
	d := deployedWith(t, nothing(""), interceptor.Funcs{})
	g.Expect(d.Exited()).To(BeNil(), "for whoever attaches")
	pods := d.clientset.CoreV1().Pods("mine")
	pod, err := pods.Create(t.Context(), podWith(corev1.ContainerStatus{}), metav1.CreateOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	stranger := podWith(corev1.ContainerStatus{State: endedAt(time.Now())})
	stranger.Name, stranger.Labels = "stranger", nil
	_, err = pods.Create(t.Context(), stranger, metav1.CreateOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(d.follow(t.Context())).To(Succeed())
	t.Cleanup(d.unfollow)

	pod.Annotations = map[string]string{string(crash): forever().Format(time.RFC3339)}
	pod.Status.ContainerStatuses[0].LastTerminationState = endedAt(time.Now())
	pod, err = pods.Update(t.Context(), pod, metav1.UpdateOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	g.Consistently(d.Exited(), "300ms").ShouldNot(BeClosed(), "it was asked to crash")
	pod.Annotations = nil
	_, err = pods.Update(t.Context(), pod, metav1.UpdateOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	g.Eventually(d.Exited(), "10s").Should(BeClosed())
}

func TestWhatCannotBeDoneToADeploymentSaysWhy(t *testing.T) {
	g := NewWithT(t)
	host := podWith(corev1.ContainerStatus{})
	host.Spec.HostNetwork = true
	err := missing[Network](t, inCluster(t, nothing(""), host))
	g.Expect(err).To(MatchError(errors.ErrUnsupported))
	g.Expect(err).To(MatchError("the pods of mine are in their nodes' network, where their packets look like everybody's"))

	unreachable := inCluster(t, nil, podWith(corev1.ContainerStatus{}))
	for _, err := range []error{missing[Suspender](t, unreachable), missing[Crasher](t, unreachable), missing[Killer](t, unreachable), missing[Network](t, unreachable)} {
		g.Expect(err).To(MatchError(errors.ErrUnsupported))
		g.Expect(err).To(MatchError("nobody reaches the machines behind these nodes"))
	}
	for _, err := range []error{missing[Elector](t, unreachable), missing[WatchBreaker](t, unreachable)} {
		g.Expect(err).To(MatchError(errors.ErrUnsupported))
		g.Expect(err).To(MatchError("mine is launched by image, this takes one that is a local process"))
	}
	capability[Restarter](t, unreachable)
	capability[PodDeleter](t, unreachable)

	without := inCluster(t, nothing("0\n"), podWith(corev1.ContainerStatus{}))
	g.Expect(capability[Suspender](t, without).Suspend(t.Context())).To(MatchError(HavePrefix("suspending mine: SIGSTOP to pod controller-1: it has no processes")))
	g.Expect(capability[Crasher](t, without).Crash(t.Context())).To(MatchError(HavePrefix("crashing mine: SIGKILL to pod controller-1: it has no processes")))

	down := inCluster(t, nothing("1\n"))
	for doing, act := range map[string]func(context.Context) error{
		"crashing": capability[Crasher](t, down).Crash, "suspending": capability[Suspender](t, down).Suspend, "resuming": capability[Suspender](t, down).Resume,
		"cutting off": capability[Network](t, down).CutOff, "reconnecting": capability[Network](t, down).Reconnect, "deleting the pods of": capability[PodDeleter](t, down).DeletePod,
	} {
		err := act(t.Context())
		g.Expect(err).To(MatchError(errDown))
		g.Expect(err).To(MatchError(HavePrefix(doing + " mine: ")))
	}

	ended := inCluster(t, nothing("1\n"), podWith(corev1.ContainerStatus{LastTerminationState: endedAt(time.Now())}))
	g.Expect(ended.ExitStatus()).To(ContainSubstring("with exit code 2 (Error)"))
	for _, act := range []func(context.Context) error{
		capability[Crasher](t, ended).Crash, capability[Suspender](t, ended).Suspend, capability[Network](t, ended).CutOff, capability[PodDeleter](t, ended).DeletePod,
		capability[Killer](t, ended).Kill, capability[Restarter](t, ended).StandDown,
		func(ctx context.Context) error { return capability[Reconfigurer](t, ended).RestartWith(ctx, Change{}) },
	} {
		g.Expect(act(t.Context())).To(MatchError(ContainSubstring("it ended by itself before")))
	}
	g.Expect(ended.ExitStatus()).To(ContainSubstring("with exit code 2 (Error)"), "nothing was done")

	again := deployedWith(t, nothing("1\n"), deploymentController(), podWith(corev1.ContainerStatus{LastTerminationState: endedAt(time.Now())})).running()
	g.Expect(capability[Restarter](t, again).Restart(t.Context())).To(MatchError(HavePrefix("restarting mine: it ended by itself before")))
	g.Expect(again.AwaitReady(t.Context())).To(Succeed(), "it is brought back all the same")
	g.Expect(again.ExitStatus()).To(BeEmpty())
}
