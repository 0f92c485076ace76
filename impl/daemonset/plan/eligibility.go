package plan

import (
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/klog/v2"
)

// Eligibility reports whether node should get a pod of ds, and whether one that is there already may stay. A taint
// with effect NoSchedule that is not tolerated takes away the first only; NoExecute, and a nodeSelector or required
// node affinity that does not match, take away both (TARGET-001, TARGET-002, DRAIN-008). The tolerations that every daemon
// pod gets count, so cordoned and NotReady nodes are eligible (DRAIN-001, TARGET-007).
func Eligibility(ds *appsv1.DaemonSet, node *corev1.Node) (shouldRun, keepsRunning bool) {
	return newEligibilityRule(ds).of(node)
}

// eligibilityRule is what Eligibility needs of the DaemonSet; parsing the affinity for every node would dominate a
// pass over a large cluster.
type eligibilityRule struct {
	nodeName    string
	affinity    nodeaffinity.RequiredNodeAffinity
	tolerations []corev1.Toleration
}

func newEligibilityRule(ds *appsv1.DaemonSet) eligibilityRule {
	spec := &ds.Spec.Template.Spec
	return eligibilityRule{
		nodeName:    spec.NodeName,
		affinity:    nodeaffinity.NewRequiredNodeAffinity(spec.NodeSelector, spec.Affinity),
		tolerations: withDaemonTolerations(spec.Tolerations, spec.HostNetwork),
	}
}

func (r eligibilityRule) of(node *corev1.Node) (shouldRun, keepsRunning bool) {
	if r.nodeName != "" && r.nodeName != node.Name {
		return false, false
	}
	// An affinity that cannot be parsed matches nothing: the scheduler would not place the pod either.
	if fits, err := r.affinity.Match(node); err != nil || !fits {
		return false, false
	}
	if r.repelled(node, corev1.TaintEffectNoExecute) {
		return false, false
	}
	return !r.repelled(node, corev1.TaintEffectNoSchedule), true
}

func (r eligibilityRule) repelled(node *corev1.Node, effect corev1.TaintEffect) bool {
	ofEffect := func(t *corev1.Taint) bool { return t.Effect == effect }
	// Numeric comparison operators are passed through: an API server without the feature never stores them.
	_, untolerated := corev1helpers.FindMatchingUntoleratedTaint(klog.Background(), node.Spec.Taints, r.tolerations, ofEffect, true)
	return untolerated
}

// withDaemonTolerations returns tolerations with those that every daemon pod gets, so that node trouble which
// daemons are there to survive neither evicts them nor keeps them away (TARGET-007). These come first: of the
// tolerations that match a taint, the first says for how long the pod may stay.
func withDaemonTolerations(tolerations []corev1.Toleration, hostNetwork bool) []corev1.Toleration {
	defaults := []corev1.Toleration{
		{Key: corev1.TaintNodeNotReady, Effect: corev1.TaintEffectNoExecute},
		{Key: corev1.TaintNodeUnreachable, Effect: corev1.TaintEffectNoExecute},
		{Key: corev1.TaintNodeDiskPressure, Effect: corev1.TaintEffectNoSchedule},
		{Key: corev1.TaintNodeMemoryPressure, Effect: corev1.TaintEffectNoSchedule},
		{Key: corev1.TaintNodePIDPressure, Effect: corev1.TaintEffectNoSchedule},
		{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule},
	}
	if hostNetwork {
		defaults = append(defaults, corev1.Toleration{Key: corev1.TaintNodeNetworkUnavailable, Effect: corev1.TaintEffectNoSchedule})
	}
	for i := range defaults {
		defaults[i].Operator = corev1.TolerationOpExists
	}
	return append(defaults, slices.DeleteFunc(slices.Clone(tolerations), func(have corev1.Toleration) bool {
		return slices.ContainsFunc(defaults, func(own corev1.Toleration) bool { return have.MatchToleration(&own) })
	})...)
}
