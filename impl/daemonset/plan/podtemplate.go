package plan

import (
	"maps"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	extensionsv1beta1 "k8s.io/api/extensions/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// GenerationLabel is the label with the DaemonSet's template generation at the time the pod was created (API-021).
const GenerationLabel = extensionsv1beta1.DaemonSetTemplateGenerationKey

// HashLabel is the label that ties a pod, and a ControllerRevision, to a revision (API-020).
const HashLabel = appsv1.DefaultDaemonSetUniqueLabelKey

// ControllerKind is what the owner references of the pods and revisions of ds say: apps/v1 DaemonSet, unless ds says that it is of another API.
func ControllerKind(ds *appsv1.DaemonSet) schema.GroupVersionKind {
	if kind := ds.GroupVersionKind(); !kind.Empty() {
		return kind
	}
	return appsv1.SchemeGroupVersion.WithKind("DaemonSet")
}

// NewPod returns the pod that ds runs on node: its template, labelled with the revision and the template generation
// (HISTORY-009), pinned to the node for the scheduler (SURGE-026), with the tolerations of daemon pods (TARGET-007).
func NewPod(ds *appsv1.DaemonSet, hash, node string) *corev1.Pod {
	template := ds.Spec.Template.DeepCopy()
	labels := maps.Clone(template.Labels)
	if labels == nil {
		labels = map[string]string{}
	}
	labels[HashLabel] = hash
	if generation := templateGeneration(ds); generation != "" {
		labels[GenerationLabel] = generation
	}
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			GenerateName:    ds.Name + "-",
			Namespace:       ds.Namespace,
			Labels:          labels,
			Annotations:     template.Annotations,
			Finalizers:      template.Finalizers,
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(ds, ControllerKind(ds))},
		},
		Spec: template.Spec,
	}
	pod.Spec.Tolerations = withDaemonTolerations(pod.Spec.Tolerations, pod.Spec.HostNetwork)
	pinTo(&pod.Spec, node)
	return pod
}

// pinTo makes the scheduler place the pod on node and nowhere else. What the template requires of nodes is replaced:
// the node was found eligible, and may stop matching before the pod is scheduled.
func pinTo(spec *corev1.PodSpec, node string) {
	if spec.Affinity == nil {
		spec.Affinity = &corev1.Affinity{}
	}
	if spec.Affinity.NodeAffinity == nil {
		spec.Affinity.NodeAffinity = &corev1.NodeAffinity{}
	}
	spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution = &corev1.NodeSelector{
		NodeSelectorTerms: []corev1.NodeSelectorTerm{{
			MatchFields: []corev1.NodeSelectorRequirement{{
				Key:      metav1.ObjectNameField,
				Operator: corev1.NodeSelectorOpIn,
				Values:   []string{node},
			}},
		}},
	}
}

// TargetNode returns the node that pod runs on or, while it is not scheduled, the one it is pinned to. It is empty
// for an unscheduled pod that is pinned to no single node.
func TargetNode(pod *corev1.Pod) string {
	if pod.Spec.NodeName != "" {
		return pod.Spec.NodeName
	}
	affinity := pod.Spec.Affinity
	if affinity == nil || affinity.NodeAffinity == nil || affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution == nil {
		return ""
	}
	for _, term := range affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms {
		for _, field := range term.MatchFields {
			if field.Key == metav1.ObjectNameField && field.Operator == corev1.NodeSelectorOpIn && len(field.Values) == 1 {
				return field.Values[0]
			}
		}
	}
	return ""
}

// templateGeneration is the API server's count of template changes, in the only place where apps/v1 shows it, or "".
func templateGeneration(ds *appsv1.DaemonSet) string {
	return ds.Annotations[appsv1.DeprecatedTemplateGeneration]
}
