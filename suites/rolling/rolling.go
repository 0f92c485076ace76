// Package rolling has the specs of rolling updates without surge: old pods go first, no more of them at a time than maxUnavailable allows.
package rolling

import (
	corev1 "k8s.io/api/core/v1"

	. "github.com/rollcall-conformance/rollcall/framework/matchers"
)

// Specs registers the family.
func Specs() {
	rollout()
	budget()
	unhealthy()
	triggers()
	scale()
}

// taint makes nodes ineligible without driving their pods away.
func taint(node *corev1.Node) {
	node.Spec.Taints = append(node.Spec.Taints, corev1.Taint{Key: "rollcall.dev/closed", Effect: corev1.TaintEffectNoSchedule})
}

// wasAvailable tells of a deleted pod whether it had been available until then.
func wasAvailable(o Occurrence) bool { return o.WasAvailable() }
