package history

import (
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/klog/v2"
)

// Eligibility says what a DaemonSet wants of a node.
type Eligibility struct {
	// ShouldRun: the node is to have a daemon pod.
	ShouldRun bool
	// ShouldContinue: a daemon pod that is there may stay.
	ShouldContinue bool
}

// defaultTolerations are those that every daemon pod gets (TARGET-007).
func defaultTolerations(hostNetwork bool) []corev1.Toleration {
	exists := func(key string, effect corev1.TaintEffect) corev1.Toleration {
		return corev1.Toleration{Key: key, Operator: corev1.TolerationOpExists, Effect: effect}
	}
	tolerations := []corev1.Toleration{
		exists(corev1.TaintNodeNotReady, corev1.TaintEffectNoExecute),
		exists(corev1.TaintNodeUnreachable, corev1.TaintEffectNoExecute),
		exists(corev1.TaintNodeDiskPressure, corev1.TaintEffectNoSchedule),
		exists(corev1.TaintNodeMemoryPressure, corev1.TaintEffectNoSchedule),
		exists(corev1.TaintNodePIDPressure, corev1.TaintEffectNoSchedule),
		exists(corev1.TaintNodeUnschedulable, corev1.TaintEffectNoSchedule),
	}
	if hostNetwork {
		tolerations = append(tolerations, exists(corev1.TaintNodeNetworkUnavailable, corev1.TaintEffectNoSchedule))
	}
	return tolerations
}

// EligibilityOf judges the node against the DaemonSet's current template: its node selector, required node affinity and
// tolerations (TARGET-001, TARGET-007, DRAIN-008). A nil node is no node to run on.
func EligibilityOf(daemonSet *appsv1.DaemonSet, node *corev1.Node) Eligibility {
	if node == nil {
		return Eligibility{}
	}
	template := &daemonSet.Spec.Template.Spec
	if template.NodeName != "" && template.NodeName != node.Name {
		return Eligibility{}
	}
	pod := &corev1.Pod{Spec: *template}
	if match, err := nodeaffinity.GetRequiredNodeAffinity(pod).Match(node); err != nil || !match {
		return Eligibility{}
	}
	tolerations := append(defaultTolerations(template.HostNetwork), template.Tolerations...)
	eligibility := Eligibility{ShouldRun: true, ShouldContinue: true}
	for _, taint := range node.Spec.Taints {
		if tolerated(taint, tolerations) {
			continue
		}
		switch taint.Effect {
		case corev1.TaintEffectNoExecute:
			return Eligibility{}
		case corev1.TaintEffectNoSchedule:
			eligibility.ShouldRun = false
		}
	}
	return eligibility
}

// Endures reports whether the pod itself, by whatever template it was made, tolerates every NoExecute taint of the node.
func Endures(pod *corev1.Pod, node *corev1.Node) bool {
	return !slices.ContainsFunc(node.Spec.Taints, func(taint corev1.Taint) bool {
		return taint.Effect == corev1.TaintEffectNoExecute && !tolerated(taint, pod.Spec.Tolerations)
	})
}

func tolerated(taint corev1.Taint, tolerations []corev1.Toleration) bool {
	return slices.ContainsFunc(tolerations, func(toleration corev1.Toleration) bool {
		return toleration.ToleratesTaint(klog.Background(), &taint, false)
	})
}
