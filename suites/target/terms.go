package target

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// terms are the specs of templates that select nodes in ways that are easily got wrong.
func terms() {
	spec.It("has one pod on each node that one of several node selector terms selects",
		spec.Decides("TARGET-001"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 1, ofZone("a"))
			// A pod that may run on either of these nodes is bound to the larger one.
			c.AddNodes(ctx, 1, ofZone("b"), large)
			c.AddNodes(ctx, 1, ofZone("b"))
			c.AddNodes(ctx, 1, ofZone("c"))
			daemonSet := c.Create(ctx, c.NewDaemonSet("daemon", inZone("a"), orInZone("b")))
			c.Await(ctx, RolledOut(daemonSet))
		},
		func(j *spec.Checks) { j.Decide("TARGET-001", onePodEach()...) }, spec.SimulatedNodes{})

	spec.It("has a pod on each node whose taints are tolerated, or only ask for other nodes first, and on no other",
		spec.Decides("TARGET-001"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 1, tainted(keptFor, "a", corev1.TaintEffectNoSchedule))
			c.AddNodes(ctx, 1, tainted(keptFor, "b", corev1.TaintEffectNoSchedule))
			c.AddNodes(ctx, 1, tainted("rollcall.dev/busy", "", corev1.TaintEffectPreferNoSchedule))
			daemonSet := c.Create(ctx, c.NewDaemonSet("daemon", tolerating("a")))
			c.Await(ctx, RolledOut(daemonSet))
		},
		func(j *spec.Checks) {
			// From the first pod on: the taints have been there for longer than the DaemonSet.
			repelled := PodCreated().Where("on a node that repels it", func(m Moment) bool { return !m.NodeIsEligible() })
			j.Decide("TARGET-001", append(onePodEach(), Never(repelled))...)
		}, spec.SimulatedNodes{})

	spec.It("has a pod on the node that its template names, and on no other",
		spec.Decides("TARGET-001"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 2)
			daemonSet := c.Create(ctx, c.NewDaemonSet("daemon", onNode(nodes[0])))
			c.Await(ctx, RolledOut(daemonSet))
			c.RollOut(ctx, daemonSet, onNode(nodes[1]))
		},
		func(j *spec.Checks) { j.Decide("TARGET-001", onePodEach()...) }, spec.SimulatedNodes{})
}

// onePodEach asks that no node is given a second pod, and that each that should have one does in the end.
func onePodEach() []Matcher {
	second := PodScheduled().Where("where the DaemonSet has another already", func(m Moment) bool { return len(m.LivePodsBeside()) > 0 })
	return []Matcher{Never(second), EndsRolledOut()}
}

// large makes a simulated node that has much more room than others.
func large(node *corev1.Node) {
	node.Status.Allocatable = corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse("512"), corev1.ResourceMemory: resource.MustParse("4Ti"), corev1.ResourcePods: resource.MustParse("110"),
	}
	node.Status.Capacity = node.Status.Allocatable
}

// orInZone adds a term to the required node affinity.
func orInZone(zone string) Edit {
	return Edit{Says: "or to nodes of zone " + zone, Apply: func(d *appsv1.DaemonSet) {
		required := d.Spec.Template.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution
		required.NodeSelectorTerms = append(required.NodeSelectorTerms, zoneTerm(zone))
	}}
}

// onNode names the node in the template.
func onNode(name string) Edit {
	return Edit{Says: "the name of node " + name, Apply: func(d *appsv1.DaemonSet) { d.Spec.Template.Spec.NodeName = name }}
}

// keptFor is the key of the taints by which nodes are kept for some pods.
const keptFor = "rollcall.dev/kept-for"

func tainted(key, value string, effect corev1.TaintEffect) func(*corev1.Node) {
	return func(node *corev1.Node) {
		node.Spec.Taints = append(node.Spec.Taints, corev1.Taint{Key: key, Value: value, Effect: effect})
	}
}

// tolerating has pods tolerate the taint of that value, whatever its effect.
func tolerating(value string) Edit {
	return Edit{Says: "a toleration of the nodes kept for " + value, Apply: func(d *appsv1.DaemonSet) {
		d.Spec.Template.Spec.Tolerations = append(d.Spec.Template.Spec.Tolerations, corev1.Toleration{Key: keptFor, Operator: corev1.TolerationOpEqual, Value: value})
	}}
}
