// Package surge has the specs of rolling updates with maxSurge: updated pods come first, and an old one goes when the updated one on its node is
// available.
package surge

import (
	corev1 "k8s.io/api/core/v1"
)

// Specs registers the family.
func Specs() {
	rollout()
	limit()
	unavailable()
	ineligible()
	changes()
	restraint()
}

// taint makes nodes ineligible without driving their pods away.
func taint(node *corev1.Node) {
	node.Spec.Taints = append(node.Spec.Taints, corev1.Taint{Key: "rollcall.dev/closed", Effect: corev1.TaintEffectNoSchedule})
}
