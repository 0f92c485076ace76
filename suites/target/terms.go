package target

import (
	"context"
	"strconv"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
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
			named := c.AddNodes(ctx, 2, ofZone("c"))[0]
			// A node without a zone, which matches NotIn.
			c.AddNodes(ctx, 1)
			daemonSet := c.Create(ctx, c.NewDaemonSet("daemon", inZone("a"), orInZone("b"), orWhere("in no zone of a, b and c", corev1.NodeSelectorTerm{
				MatchExpressions: []corev1.NodeSelectorRequirement{{Key: corev1.LabelTopologyZone, Operator: corev1.NodeSelectorOpNotIn, Values: []string{"a", "b", "c"}}},
			}), orWhere("of the name "+named, corev1.NodeSelectorTerm{
				MatchFields: []corev1.NodeSelectorRequirement{{Key: metav1.ObjectNameField, Operator: corev1.NodeSelectorOpIn, Values: []string{named}}},
			}), orWhere("of nothing, which selects none", corev1.NodeSelectorTerm{})))
			c.Await(ctx, RolledOut(daemonSet))
		},
		func(j *spec.Checks) { j.Decide("TARGET-001", onePodEach()...) }, spec.SimulatedNodes{})

	spec.It("has one pod on each node whose label is a larger number than its node affinity says, and on no other, by number and not by text",
		spec.Decides("TARGET-001"),
		func(ctx context.Context, c *spec.Case) {
			for _, generation := range []string{"9", "10", "100"} {
				c.AddNodes(ctx, 1, func(node *corev1.Node) { metav1.SetMetaDataLabel(&node.ObjectMeta, generationOf, generation) })
			}
			daemonSet := c.Create(ctx, c.NewDaemonSet("daemon", inZone("a"), orWhere("of a generation above 9", corev1.NodeSelectorTerm{
				MatchExpressions: []corev1.NodeSelectorRequirement{{Key: generationOf, Operator: corev1.NodeSelectorOpGt, Values: []string{"9"}}},
			})))
			c.Await(ctx, RolledOut(daemonSet))
		},
		func(j *spec.Checks) { j.Decide("TARGET-001", append(onePodEach(), Never(onRepelling()))...) }, spec.SimulatedNodes{})

	spec.It("has one pod on each node that its node affinity does not exclude by name, preferred or not",
		spec.Decides("TARGET-001"),
		func(ctx context.Context, c *spec.Case) {
			excluded := c.AddNodes(ctx, 3, ofZone("b"))[0]
			c.AddNodes(ctx, 1, ofZone("a"))
			daemonSet := c.Create(ctx, c.NewDaemonSet("daemon", inZone("c"), orWhere("of another name than "+excluded, corev1.NodeSelectorTerm{
				MatchFields: []corev1.NodeSelectorRequirement{{Key: metav1.ObjectNameField, Operator: corev1.NodeSelectorOpNotIn, Values: []string{excluded}}},
			}), Edit{Says: "a preference for zone a", Apply: func(d *appsv1.DaemonSet) {
				preferred := corev1.PreferredSchedulingTerm{Weight: 1, Preference: zoneTerm("a")}
				d.Spec.Template.Spec.Affinity.NodeAffinity.PreferredDuringSchedulingIgnoredDuringExecution = []corev1.PreferredSchedulingTerm{preferred}
			}}))
			c.Await(ctx, RolledOut(daemonSet))
			c.Await(ctx, Quiet(late))
		},
		func(j *spec.Checks) { j.Decide("TARGET-001", append(onePodEach(), Never(onRepelling()))...) }, spec.SimulatedNodes{})

	spec.It("makes a pod on a node whose labels come to match its node affinity, and takes it away when they no longer do",
		spec.Decides("TARGET-002"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 1, ofZone("a"))
			moving := c.AddNodes(ctx, 1, ofZone("b"))[0]
			c.Bind(labelled, moving)
			daemonSet := c.Create(ctx, c.NewDaemonSet("daemon", inZone("a")))
			c.Require(ctx, "the pod of the other node is available", Steady(daemonSet))
			// Nothing but the label is to wake the controller: no other scenario's nodes either.
			c.Await(ctx, Quiet(time.Second))
			c.EditNode(ctx, history.LabelNode, moving, ofZone("a"))
			c.Await(ctx, RolledOut(daemonSet))
			c.Await(ctx, Quiet(time.Second))
			c.EditNode(ctx, history.LabelNode, moving, ofZone("b"))
			c.Await(ctx, rollouts.NoPodOn(daemonSet, moving))
		},
		func(j *spec.Checks) {
			moving := j.Bound(labelled)
			j.Decide("TARGET-002",
				Within(spec.AtOnce, NodeEligible().On(moving), PodCreated().On(moving)),
				// The rule bounds the time.
				AtLeast(1, After(PodDeleted().On(moving), Nth(2, Began(history.LabelNode)))))
		}, spec.Alone{}, spec.SimulatedNodes{})

	spec.It("has a pod on each node whose taints are tolerated, or only ask for other nodes first, and on no other",
		spec.Decides("TARGET-001"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 1, tainted(keptFor, "a", corev1.TaintEffectNoSchedule))
			c.AddNodes(ctx, 1, tainted(keptFor, "b", corev1.TaintEffectNoSchedule))
			c.AddNodes(ctx, 1, tainted("rollcall.dev/busy", "", corev1.TaintEffectPreferNoSchedule))
			// NoExecute is tolerated with any key; NoSchedule only on the nodes that are kept for a.
			c.AddNodes(ctx, 1, tainted("rollcall.dev/other", "", corev1.TaintEffectNoExecute))
			c.AddNodes(ctx, 1, tainted(emptying, "", corev1.TaintEffectNoSchedule))
			daemonSet := c.Create(ctx, c.NewDaemonSet("daemon", tolerating("a"), toleratingEffect(emptying), toleratingEffect("")))
			c.Await(ctx, RolledOut(daemonSet))
		},
		func(j *spec.Checks) {
			// From the first pod on: the taints have been there for longer than the DaemonSet.
			j.Decide("TARGET-001", append(onePodEach(), Never(onRepelling()))...)
		}, spec.SimulatedNodes{})

	spec.It("makes a pod on a node that comes to be kept for its pods, by another value of its taint",
		spec.Decides("SURGE-012"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 1)
			kept := c.AddNodes(ctx, 1, tainted(keptFor, "b", corev1.TaintEffectNoSchedule))[0]
			c.Bind(labelled, kept)
			daemonSet := c.Deploy(ctx, MaxSurge("1"), tolerating("a"))
			// Nothing but the taint is to wake the controller: no other scenario's nodes either.
			c.Await(ctx, Quiet(late))
			c.EditNode(ctx, history.TaintNode, kept, func(node *corev1.Node) {
				for i := range node.Spec.Taints {
					if taint := &node.Spec.Taints[i]; taint.Key == keptFor {
						taint.Value = "a"
					}
				}
			})
			c.Await(ctx, RolledOut(daemonSet))
		},
		func(j *spec.Checks) {
			kept := j.Bound(labelled)
			j.Decide("SURGE-012", Within(spec.AtOnce, NodeEligible().On(kept), PodCreated().On(kept)))
		}, spec.Alone{}, spec.SimulatedNodes{})

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

// onRepelling is the creation of a pod on a node that is not to have one.
func onRepelling() Event {
	return PodCreated().Where("on a node that repels it", func(m Moment) bool { return !m.NodeIsEligible() })
}

// generationOf is the label of nodes with the number of their machine's generation.
const generationOf = "rollcall.dev/generation"

// large makes a simulated node that has much more room than others.
func large(node *corev1.Node) {
	node.Status.Allocatable = corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse("512"), corev1.ResourceMemory: resource.MustParse("4Ti"), corev1.ResourcePods: resource.MustParse("110"),
	}
	node.Status.Capacity = node.Status.Allocatable
}

// orInZone adds the term of a zone to the required node affinity.
func orInZone(zone string) Edit { return orWhere("of zone "+zone, zoneTerm(zone)) }

// orWhere adds a term to the required node affinity.
func orWhere(words string, term corev1.NodeSelectorTerm) Edit {
	return Edit{Says: "or to nodes " + words, Apply: func(d *appsv1.DaemonSet) {
		required := d.Spec.Template.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution
		required.NodeSelectorTerms = append(required.NodeSelectorTerms, term)
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

// emptying is the key of taints of which pods tolerate the effect NoExecute alone.
const emptying = "rollcall.dev/emptying"

// toleratingEffect has pods tolerate taints of the key, or of any if it is empty, with effect NoExecute.
func toleratingEffect(key string) Edit {
	return Edit{Says: "a toleration of NoExecute of key " + strconv.Quote(key), Apply: func(d *appsv1.DaemonSet) {
		d.Spec.Template.Spec.Tolerations = append(d.Spec.Template.Spec.Tolerations, corev1.Toleration{
			Key: key, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute,
		})
	}}
}

// tolerating has pods tolerate the taint of that value, whatever its effect.
func tolerating(value string) Edit {
	return Edit{Says: "a toleration of the nodes kept for " + value, Apply: func(d *appsv1.DaemonSet) {
		d.Spec.Template.Spec.Tolerations = append(d.Spec.Template.Spec.Tolerations, corev1.Toleration{Key: keptFor, Operator: corev1.TolerationOpEqual, Value: value})
	}}
}
