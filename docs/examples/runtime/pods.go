package main

import (
	"fmt"
	"hash/fnv"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilrand "k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/klog/v2"
)

// generationLabel says of which generation of the template a pod is.
const generationLabel = "pod-template-generation"

// shortHash is a short name for something.
func shortHash(text string) string {
	hasher := fnv.New32a()
	_, _ = hasher.Write([]byte(text))
	return utilrand.SafeEncodeString(fmt.Sprint(hasher.Sum32()))
}

// podFor returns the set's pod for a node. The scheduler binds it there because of its affinity.
func podFor(set *appsv1.DaemonSet, node, hash string) *corev1.Pod {
	template := set.Spec.Template.DeepCopy()
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace:    set.Namespace,
			GenerateName: set.Name + "-",
			Labels:       template.Labels,
			Annotations:  template.Annotations,
			Finalizers:   template.Finalizers,
		},
		Spec: template.Spec,
	}
	if pod.Labels == nil {
		pod.Labels = map[string]string{}
	}
	pod.Labels[appsv1.ControllerRevisionHashLabelKey] = hash
	if generation := set.Annotations[appsv1.DeprecatedTemplateGeneration]; generation != "" {
		pod.Labels[generationLabel] = generation
	}
	pod.Spec.Tolerations = append(pod.Spec.Tolerations, daemonTolerations(pod)...)

	affinity := pod.Spec.Affinity
	if affinity == nil {
		affinity = &corev1.Affinity{}
	}
	if affinity.NodeAffinity == nil {
		affinity.NodeAffinity = &corev1.NodeAffinity{}
	}
	// Whether the node is the right one is decided here; what the template requires has been checked.
	affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution = &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
		MatchFields: []corev1.NodeSelectorRequirement{{Key: metav1.ObjectNameField, Operator: corev1.NodeSelectorOpIn, Values: []string{node}}},
	}}}
	pod.Spec.Affinity = affinity
	return pod
}

// nodeOf is where a pod runs, or will.
func nodeOf(pod *corev1.Pod) string {
	if pod.Spec.NodeName != "" {
		return pod.Spec.NodeName
	}
	if a := pod.Spec.Affinity; a != nil && a.NodeAffinity != nil && a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution != nil {
		for _, term := range a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms {
			for _, field := range term.MatchFields {
				if field.Key == metav1.ObjectNameField && len(field.Values) == 1 {
					return field.Values[0]
				}
			}
		}
	}
	return ""
}

// belongs reports whether a node should run a daemon, and whether it keeps one that is there.
func belongs(set *appsv1.DaemonSet, node *corev1.Node) (wanted, tolerated bool) {
	pod := &corev1.Pod{Spec: set.Spec.Template.Spec}
	if name := set.Spec.Template.Spec.NodeName; name != "" && name != node.Name {
		return false, false
	}
	if match, err := nodeaffinity.GetRequiredNodeAffinity(pod).Match(node); err != nil || !match {
		return false, false
	}
	tolerations := append(daemonTolerations(pod), set.Spec.Template.Spec.Tolerations...)
	wanted, tolerated = true, true
	for i := range node.Spec.Taints {
		taint := &node.Spec.Taints[i]
		if taint.Effect == corev1.TaintEffectPreferNoSchedule || tolerates(tolerations, taint) {
			continue
		}
		wanted = false
		if taint.Effect == corev1.TaintEffectNoExecute {
			tolerated = false
		}
	}
	return wanted, tolerated
}

func tolerates(tolerations []corev1.Toleration, taint *corev1.Taint) bool {
	return slices.ContainsFunc(tolerations, func(t corev1.Toleration) bool { return t.ToleratesTaint(klog.Background(), taint, false) })
}

// daemonTolerations are those that every daemon has.
func daemonTolerations(pod *corev1.Pod) []corev1.Toleration {
	tolerate := func(key string, effect corev1.TaintEffect) corev1.Toleration {
		return corev1.Toleration{Key: key, Operator: corev1.TolerationOpExists, Effect: effect}
	}
	tolerations := []corev1.Toleration{
		tolerate(corev1.TaintNodeNotReady, corev1.TaintEffectNoExecute),
		tolerate(corev1.TaintNodeUnreachable, corev1.TaintEffectNoExecute),
		tolerate(corev1.TaintNodeDiskPressure, corev1.TaintEffectNoSchedule),
		tolerate(corev1.TaintNodeMemoryPressure, corev1.TaintEffectNoSchedule),
		tolerate(corev1.TaintNodePIDPressure, corev1.TaintEffectNoSchedule),
		tolerate(corev1.TaintNodeUnschedulable, corev1.TaintEffectNoSchedule),
	}
	if pod.Spec.HostNetwork {
		tolerations = append(tolerations, tolerate(corev1.TaintNodeNetworkUnavailable, corev1.TaintEffectNoSchedule))
	}
	return tolerations
}
