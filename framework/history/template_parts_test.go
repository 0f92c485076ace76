package history_test

import (
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

func TestWhatAPodLacksOfItsTemplate(t *testing.T) {
	template := &corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": "a"}},
		Spec: corev1.PodSpec{
			Containers:                    []corev1.Container{{Name: "a", Image: "a:v1", Args: []string{"one", "two"}, Env: []corev1.EnvVar{{Name: "A", Value: "1"}}}},
			Volumes:                       []corev1.Volume{{Name: "data", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}},
			TerminationGracePeriodSeconds: ptr.To[int64](7),
			NodeSelector:                  map[string]string{"pool": "a"},
			Affinity: &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{}, PodAntiAffinity: &corev1.PodAntiAffinity{
				RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{{TopologyKey: corev1.LabelHostname}},
			}},
			Tolerations: []corev1.Toleration{{Key: "mine"}, {Key: corev1.TaintNodeNotReady, TolerationSeconds: ptr.To[int64](5)}},
		},
	}
	for name, row := range map[string]struct {
		change func(*corev1.Pod)
		want   string
	}{
		"nothing": {func(*corev1.Pod) {}, ""},
		"nothing but what places it": {func(pod *corev1.Pod) {
			pod.Spec.NodeName, pod.Spec.NodeSelector, pod.Spec.Affinity.NodeAffinity = "n", nil, nil
			pod.Spec.Tolerations = pod.Spec.Tolerations[:1]
		}, ""},
		"nothing, having more": {func(pod *corev1.Pod) {
			pod.Labels["more"] = "x"
			pod.Spec.Containers = append([]corev1.Container{{Name: "injected"}}, pod.Spec.Containers...)
			pod.Spec.Containers[1].Env = append(pod.Spec.Containers[1].Env, corev1.EnvVar{Name: "B"})
			pod.Spec.Containers[1].Image = "mirror.example/a:v1"
			pod.Spec.Volumes = append(pod.Spec.Volumes, corev1.Volume{Name: "token"})
		}, ""},
		"a label":                             {func(pod *corev1.Pod) { pod.Labels = nil }, "metadata.labels.app"},
		"a volume":                            {func(pod *corev1.Pod) { pod.Spec.Volumes[0].Name = "kube-api-access" }, "spec.volumes[0]"},
		"every volume, in an older recording": {func(pod *corev1.Pod) { pod.Spec.Volumes = nil }, ""},
		"an argument":                         {func(pod *corev1.Pod) { pod.Spec.Containers[0].Args = []string{"one"} }, "spec.containers[0].args"},
		"an order":                            {func(pod *corev1.Pod) { pod.Spec.Containers[0].Args = []string{"two", "one"} }, "spec.containers[0].args"},
		"a grace period":                      {func(pod *corev1.Pod) { pod.Spec.TerminationGracePeriodSeconds = nil }, "spec.terminationGracePeriodSeconds"},
		"an anti-affinity":                    {func(pod *corev1.Pod) { pod.Spec.Affinity = nil }, "spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0]"},
		"a toleration":                        {func(pod *corev1.Pod) { pod.Spec.Tolerations = nil }, "spec.tolerations[0]"},
	} {
		t.Run(name, func(t *testing.T) {
			pod := &corev1.Pod{ObjectMeta: *template.DeepCopy().ObjectMeta.DeepCopy(), Spec: *template.Spec.DeepCopy()}
			row.change(pod)
			NewWithT(t).Expect(history.LacksOfTemplate(pod, template)).To(Equal(row.want))
		})
	}
}
