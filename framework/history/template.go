package history

import (
	"cmp"
	"maps"
	"reflect"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/types"
)

// LeverPrefix begins the annotations by which levers steer pods on simulated nodes. They change during a pod's life without
// making it another revision, so pods are compared with templates without them.
const LeverPrefix = "lever.rollcall.dev/"

// ScenarioPrefix begins the labels by which nodes belong to scenarios, one label for each: scenarios may share a node.
const ScenarioPrefix = "scenario.rollcall.dev/"

// DaemonContainer is the name of the first container of scenarios' templates. Admission may put others before it in pods.
const DaemonContainer = "daemon"

// Daemon returns the container of that name or, if there is none, the first; nil if there are none.
func Daemon(spec *corev1.PodSpec) *corev1.Container {
	if len(spec.Containers) == 0 {
		return nil
	}
	return &spec.Containers[max(0, slices.IndexFunc(spec.Containers, func(container corev1.Container) bool { return container.Name == DaemonContainer }))]
}

// HasTag reports whether the image of the daemon's container has the tag.
func HasTag(spec *corev1.PodSpec, tag string) bool {
	container := Daemon(spec)
	if container == nil {
		return false
	}
	_, is, _ := imageParts(container.Image)
	return is == tag
}

// MatchesTemplate reports whether the pod was made from the template, judged by what the API server would have kept of it (labels,
// annotations, images, commands, arguments, environment, resources, ports) and not by any label that the implementation sets: a controller
// that mislabels its pods is not believed. What admission adds to pods makes them match no more: see Cluster.Matches.
func MatchesTemplate(pod *corev1.Pod, template *corev1.PodTemplateSpec) bool {
	return hasLabels(pod, template) &&
		contains(pod.Annotations, template.Annotations) &&
		pod.Spec.HostNetwork == template.Spec.HostNetwork &&
		sameContainers(pod.Spec.InitContainers, template.Spec.InitContainers, pod.Spec.HostNetwork) &&
		sameContainers(pod.Spec.Containers, template.Spec.Containers, pod.Spec.HostNetwork)
}

// SameTemplate reports whether two templates make the same revision of pods: a DaemonSet's template with any difference makes another.
func SameTemplate(a, b *corev1.PodTemplateSpec) bool {
	// Most differ in an image, which is seen at once.
	sameImage := func(a, b corev1.Container) bool { return a.Image == b.Image }
	if !slices.EqualFunc(a.Spec.Containers, b.Spec.Containers, sameImage) {
		return false
	}
	// Nearly all that mean the same are written the same, which is found in a tenth of the time.
	return reflect.DeepEqual(a, b) || equality.Semantic.DeepEqual(a, b)
}

// OnlyImagesDiffer reports whether a pod of template a becomes one of template b when its containers, but for init containers, get other images.
func OnlyImagesDiffer(a, b *corev1.PodTemplateSpec) bool {
	if len(a.Spec.Containers) != len(b.Spec.Containers) {
		return false
	}
	changed := a.DeepCopy()
	for i := range changed.Spec.Containers {
		changed.Spec.Containers[i].Image = b.Spec.Containers[i].Image
	}
	return !SameTemplate(a, b) && SameTemplate(changed, b)
}

// Template returns the DaemonSet's template with that number, see RevisionOf; nil if there is none.
func (c *Cluster) Template(daemonSet types.UID, revision int) *corev1.PodTemplateSpec {
	known := c.templates[daemonSet]
	if known == nil || revision < 0 || revision >= len(known.seen) {
		return nil
	}
	return known.seen[revision]
}

// LabelledTemplate returns the number of the DaemonSet's template that the revision label's value stands for; NoRevision if that is not known.
func (c *Cluster) LabelledTemplate(daemonSet types.UID, label string) int {
	if known := c.templates[daemonSet]; known != nil {
		if revision, found := known.byLabel[label]; found {
			return revision
		}
	}
	return NoRevision
}

// hasLabels reports whether the pod has the template's labels, but for those that a controller writes over: a template may have been copied from a pod.
func hasLabels(pod *corev1.Pod, template *corev1.PodTemplateSpec) bool {
	wanted := template.Labels
	for _, key := range []string{appsv1.ControllerRevisionHashLabelKey, TemplateGenerationLabel} {
		if _, has := wanted[key]; has {
			wanted = maps.Clone(wanted)
			delete(wanted, key)
		}
	}
	return contains(pod.Labels, wanted)
}

func contains(all, some map[string]string) bool {
	for key, value := range some {
		if strings.HasPrefix(key, LeverPrefix) {
			continue
		}
		if got, ok := all[key]; !ok || got != value {
			return false
		}
	}
	return true
}

func sameContainers(a, b []corev1.Container, hostNetwork bool) bool {
	return slices.EqualFunc(a, b, func(a, b corev1.Container) bool {
		return a.Name == b.Name && a.Image == b.Image &&
			slices.Equal(a.Command, b.Command) && slices.Equal(a.Args, b.Args) &&
			equality.Semantic.DeepEqual(a.Env, b.Env) &&
			equality.Semantic.DeepEqual(a.Resources, b.Resources) &&
			slices.EqualFunc(a.Ports, b.Ports, func(a, b corev1.ContainerPort) bool {
				return withDefaults(a, hostNetwork) == withDefaults(b, hostNetwork)
			})
	})
}

// withDefaults returns the port as a pod has it. The template of a workload that is no DaemonSet need not have the defaults of pods.
func withDefaults(port corev1.ContainerPort, hostNetwork bool) corev1.ContainerPort {
	port.Protocol = cmp.Or(port.Protocol, corev1.ProtocolTCP)
	if hostNetwork {
		port.HostPort = cmp.Or(port.HostPort, port.ContainerPort)
	}
	return port
}

// UpdatedPods returns the pods of the DaemonSet that match its template, whatever their phase, ordered by node and age.
func (c *Cluster) UpdatedPods(daemonSet *appsv1.DaemonSet) []*corev1.Pod {
	var updated []*corev1.Pod
	for _, node := range c.NodesOf(daemonSet.UID) {
		for _, pod := range c.PodsOn(daemonSet.UID, node) {
			if c.Matches(pod, &daemonSet.Spec.Template) {
				updated = append(updated, pod)
			}
		}
	}
	return updated
}
