package kind

import (
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
)

const manifest = `apiVersion: v1
kind: Pod
metadata:
  labels:
    component: kube-controller-manager
  name: kube-controller-manager
  namespace: kube-system
spec:
  containers:
  - command:
    - kube-controller-manager
    - --cluster-name=dev
    - --controllers=*,bootstrapsigner,tokencleaner
    - --leader-elect=false
    image: registry.example/kube-controller-manager:v1.37.0
    name: kube-controller-manager
    resources:
      requests:
        cpu: 200m
    startupProbe:
      failureThreshold: 24
      httpGet:
        host: 127.0.0.1
        path: /healthz
        port: probe-port
        scheme: HTTPS
      initialDelaySeconds: 10
      periodSeconds: 10
      timeoutSeconds: 15
  hostNetwork: true
status: {}
`

func off(controllers ...string) func(*corev1.Pod) {
	return func(pod *corev1.Pod) { withoutControllers(pod, controllers) }
}

func TestSwitchingOffChangesOneArgument(t *testing.T) {
	g := NewWithT(t)
	edited, _, err := editManifest(manifest, off("daemonset-controller"))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(edited).To(Equal(strings.Replace(manifest, "tokencleaner", "tokencleaner,-daemonset-controller", 1)))
}

func TestWhatIsSwitchedOffReplacesWhatWas(t *testing.T) {
	for name, tt := range map[string]struct {
		earlier, now []string
		flag         string
	}{
		"none":                      {nil, nil, "*,bootstrapsigner,tokencleaner"},
		"all on again":              {[]string{"a", "b"}, nil, "*,bootstrapsigner,tokencleaner"},
		"another":                   {[]string{"a"}, []string{"b"}, "*,bootstrapsigner,tokencleaner,-b"},
		"in whatever order, once":   {nil, []string{"b", "a", "b"}, "*,bootstrapsigner,tokencleaner,-a,-b"},
		"the same in another order": {[]string{"a", "b"}, []string{"b", "a"}, "*,bootstrapsigner,tokencleaner,-a,-b"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			earlier, _, err := editManifest(manifest, off(tt.earlier...))
			g.Expect(err).NotTo(HaveOccurred())
			now, pod, err := editManifest(earlier, off(tt.now...))
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(pod.Spec.Containers[0].Command).To(HaveExactElements("kube-controller-manager", "--cluster-name=dev", "--controllers="+tt.flag, "--leader-elect=false"))
			again, _, err := editManifest(now, off(tt.now...))
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(again).To(BeIdenticalTo(now), "there is nothing left to do")
		})
	}
}

func TestAManifestThatDoesNotSayWhichControllersRunIsAmended(t *testing.T) {
	g := NewWithT(t)
	without := strings.Replace(manifest, "    - --controllers=*,bootstrapsigner,tokencleaner\n", "", 1)
	_, pod, err := editManifest(without, off("a"))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(pod.Spec.Containers[0].Command).To(HaveExactElements("kube-controller-manager", "--cluster-name=dev", "--leader-elect=false", "--controllers=*,-a"))
}

func TestAPromptStartIsLookedForEverySecondForAsLongAsBefore(t *testing.T) {
	g := NewWithT(t)
	edited, pod, err := editManifest(manifest, promptStart)
	g.Expect(err).NotTo(HaveOccurred())
	probe := pod.Spec.Containers[0].StartupProbe
	g.Expect([]int32{probe.InitialDelaySeconds, probe.PeriodSeconds, probe.FailureThreshold}).To(Equal([]int32{0, 1, 250}))
	again, _, err := editManifest(edited, promptStart)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(again).To(BeIdenticalTo(edited))
}

func TestWhatIsNoManifestOfAComponentIsNotEdited(t *testing.T) {
	for name, text := range map[string]string{
		"no YAML":          "{",
		"no containers":    "kind: Pod\n",
		"an unknown field": strings.Replace(manifest, "hostNetwork", "hostNetwrok", 1),
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := editManifest(text, off("a"))
			NewWithT(t).Expect(err).To(HaveOccurred())
		})
	}
}

func TestAStaticPodRunsWhenItsMirrorIsReadyWithTheWantedCommand(t *testing.T) {
	_, wanted, err := editManifest(manifest, off("a"))
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	running := corev1.ContainerStatus{Ready: true, ContainerID: "containerd://abc", State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}}
	for name, tt := range map[string]struct {
		change    func(*corev1.Pod)
		id, lacks string
	}{
		"it runs":                     {func(*corev1.Pod) {}, "abc", ""},
		"with the earlier command":    {off(), "", "the command is"},
		"it has no container yet":     {func(pod *corev1.Pod) { pod.Status.ContainerStatuses = nil }, "", "there is no container"},
		"the container is starting":   {func(pod *corev1.Pod) { pod.Status.ContainerStatuses[0].Ready = false }, "", "not Ready"},
		"the container does not run":  {func(pod *corev1.Pod) { pod.Status.ContainerStatuses[0].State.Running = nil }, "", "not Ready"},
		"the container has no ID yet": {func(pod *corev1.Pod) { pod.Status.ContainerStatuses[0].ContainerID = "" }, "", "there is no container"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			mirror := wanted.DeepCopy()
			mirror.Status.ContainerStatuses = []corev1.ContainerStatus{running}
			tt.change(mirror)
			id, lacks := runningAs(mirror, wanted)
			g.Expect(id).To(Equal(tt.id))
			g.Expect(lacks).To(ContainSubstring(tt.lacks))
		})
	}
}
