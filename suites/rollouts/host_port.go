package rollouts

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
)

// HostPort declares a port of the node for the pods' container, which no two pods of a node can have; 0 declares a port of the container alone.
func HostPort(port int32) Edit {
	return Edit{Says: fmt.Sprintf("host port %d", port), Apply: func(d *appsv1.DaemonSet) {
		d.Spec.Template.Spec.Containers[0].Ports = []corev1.ContainerPort{{ContainerPort: 80, HostPort: port}}
	}}
}

// NoHostPort takes the container's ports away.
func NoHostPort() Edit {
	return Edit{Says: "no host port", Apply: func(d *appsv1.DaemonSet) { d.Spec.Template.Spec.Containers[0].Ports = nil }}
}

// ZeroPercent says in another way that maxSurge is 0.
func ZeroPercent() Edit {
	return Edit{Says: "maxSurge 0%", Apply: func(d *appsv1.DaemonSet) {
		none := intstr.FromString("0%")
		d.Spec.UpdateStrategy.RollingUpdate.MaxSurge = &none
	}}
}

// ScheduledBeside happens when an updated pod is bound to a node that has a live old one: what was to keep them apart does not.
func ScheduledBeside() Event {
	return PodScheduled(Updated()).BesideLivePod()
}
