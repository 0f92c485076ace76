package suites_test

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// admitted makes of a recording what it would have been with a service mesh and a mirror registry in the cluster, which change every pod that a controller creates.
// A pod stays as it is when it loses its controller.
func admitted(h *history.History) {
	controlled := map[types.UID]bool{}
	for i := range h.Entries {
		pod, isPod := h.Entries[i].Object.(*corev1.Pod)
		if !isPod || metav1.GetControllerOf(pod) == nil && !controlled[pod.UID] {
			continue
		}
		controlled[pod.UID] = true
		pod = pod.DeepCopy()
		for _, containers := range [][]corev1.Container{pod.Spec.InitContainers, pod.Spec.Containers} {
			for c := range containers {
				image := containers[c].Image
				containers[c].Image = "mirror.example:5000/cache/" + image[strings.LastIndexByte(image, '/')+1:]
				containers[c].Env = append(containers[c].Env, corev1.EnvVar{Name: "MESH_NODE", Value: "here"})
			}
		}
		pod.Spec.InitContainers = slices.Insert(pod.Spec.InitContainers, 0, corev1.Container{Name: "mesh-redirect", Image: "mesh.example/redirect:1.20"})
		pod.Spec.Containers = slices.Insert(pod.Spec.Containers, 0, corev1.Container{Name: "mesh-proxy", Image: "mesh.example/proxy:1.20"})
		metav1.SetMetaDataLabel(&pod.ObjectMeta, "mesh.example/revision", "default")
		pod.Spec.Tolerations = append(pod.Spec.Tolerations, corev1.Toleration{Key: "mesh.example/gone", Operator: corev1.TolerationOpExists})
		h.Entries[i].Object = pod
	}
}

// onlyIn are the lines of one judgement that the other has not.
func onlyIn(one, other []string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(one), func(line string) bool { return slices.Contains(other, line) }), "; ")
}
