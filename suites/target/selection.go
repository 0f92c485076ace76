package target

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// What scenarios choose.
const (
	others    = "the nodes that the template excludes"
	labelled  = "the nodes that are labelled"
	unlabeled = "the nodes that lose their label"
)

// selection are the specs of node selectors and affinities.
func selection() {
	for _, strategy := range strategies() {
		spec.It("has pods only on the nodes that its node selector and its node affinity select, and updates no others, with "+strategy.with,
			spec.Decides("TARGET-001"),
			func(ctx context.Context, c *spec.Case) {
				c.AddNodes(ctx, 2, rollouts.InPool, ofZone("a"))
				excluded := c.AddNodes(ctx, 1, rollouts.InPool, ofZone("b"))
				excluded = append(excluded, c.AddNodes(ctx, 1, ofZone("a"))...)
				c.Bind(others, excluded...)
				everywhere := c.Create(ctx, c.NewDaemonSet(bystanderName))
				c.Require(ctx, "the other DaemonSet is on every node", Steady(everywhere))
				// No Deploy: whoever has pods on other nodes has none of the states that it requires.
				daemonSet := c.Create(ctx, c.NewDaemonSet("daemon", strategy.edit, rollouts.OnPool(), inZone("a")))
				c.Await(ctx, RolledOut(daemonSet))
				c.RollOut(ctx, daemonSet, Image("v2"))
				// An affinity alone is a change of the template, too: one node more, and one less.
				c.RollOut(ctx, daemonSet, inZone("b"))
			},
			func(j *spec.Checks) {
				mine := OfDaemonSet("daemon")
				nodes := j.BoundAll(others)
				j.Decide("TARGET-001",
					Keeps("TARGET-001"),
					NeverBetween(Began(history.CreateDaemonSet), Nth(2, TemplateChanged()), PodCreated(mine).On(nodes[0])),
					Never(PodCreated(mine).On(nodes[1])),
					AtLeast(1, After(PodCreated(mine).On(nodes[0]), Nth(2, TemplateChanged()))),
					Never(PodDeleted(OfDaemonSet(bystanderName))),
					EndsRolledOut())
			}, spec.SimulatedNodes{}, spec.MainPath{})

		spec.It("makes a pod on a node that is labelled for it, and takes it away with the label, with "+strategy.with,
			spec.Decides("TARGET-002"),
			func(ctx context.Context, c *spec.Case) {
				nodes := c.AddNodes(ctx, 4, rollouts.InPool)
				out := c.AddNodes(ctx, 2)
				daemonSet := c.Deploy(ctx, strategy.edit, rollouts.OnPool())
				rollouts.JoinPool(ctx, c, out[0])
				c.Await(ctx, RolledOut(daemonSet))
				rollouts.LeavePool(ctx, c, nodes[0])
				c.Await(ctx, rollouts.NoPodOn(daemonSet, nodes[0]))
				// The same once a rollout is under way, and stands still.
				stalled := rollouts.Stall(ctx, c, daemonSet, "v2", 1)
				left := rollouts.Untouched(ctx, c, stalled, 1)[0]
				rollouts.JoinPool(ctx, c, out[1])
				c.Await(ctx, UpdatedOn(1, stalled, OnNode(out[1])))
				rollouts.LeavePool(ctx, c, left)
				c.Await(ctx, rollouts.NoPodOn(stalled, left))
				c.Bind(labelled, out...)
				c.Bind(unlabeled, nodes[0], left)
			},
			func(j *spec.Checks) {
				for _, node := range j.BoundAll(labelled) {
					j.Decide("TARGET-002", Within(spec.AtOnce, NodeEligible().On(node), PodCreated().On(node)))
				}
				for _, node := range j.BoundAll(unlabeled) {
					j.Decide("TARGET-002", AtLeast(1, After(PodDeleted().On(node), Began(history.LabelNode))))
				}
			}, spec.SimulatedNodes{})
	}

	spec.It("makes a pod beside the one that is on its way out where a node is selected again, with maxSurge",
		spec.Decides("TARGET-002"),
		func(ctx context.Context, c *spec.Case) {
			node := c.AddNodes(ctx, 2, rollouts.InPool)[0]
			daemonSet := c.Deploy(ctx, MaxSurge("1"), rollouts.OnPool())
			leaving := c.LivePodOn(ctx, daemonSet, node)
			c.Pods.HoldTermination(ctx, leaving)
			rollouts.LeavePool(ctx, c, node)
			c.Require(ctx, "the pod is on its way out", state.When("pod "+leaving.Name+" is terminating", func(cluster *history.Cluster) bool {
				now := cluster.Pods[leaving.UID]
				return now != nil && now.DeletionTimestamp != nil
			}))
			c.Await(ctx, Quiet(late))
			rollouts.JoinPool(ctx, c, node)
			c.Await(ctx, UpdatedOn(1, daemonSet, OnNode(node), func(pod *corev1.Pod) bool { return pod.UID != leaving.UID }))
			c.Pods.ReleaseTermination(ctx, leaving)
			c.Await(ctx, RolledOut(daemonSet))
		}, nil, spec.SimulatedNodes{})

	spec.It("takes the pod away from a node that was closed before, and had kept it, when the node loses the label",
		spec.Decides("TARGET-002"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 2, rollouts.InPool)
			daemonSet := c.Deploy(ctx, MaxUnavailable("1"), rollouts.OnPool())
			rollouts.TaintNodes(ctx, c, nodes[0])
			// What the closed node changes is reported by then, so that nothing else makes anybody look again.
			c.AwaitAfter(ctx, judge.ReportWithin, state.When("the status counts the closed node as misscheduled", func(cluster *history.Cluster) bool {
				now := cluster.DaemonSets[daemonSet.UID]
				return now != nil && now.Status.NumberMisscheduled == 1
			}))
			c.Await(ctx, Quiet(late))
			rollouts.LeavePool(ctx, c, nodes[0])
			c.Await(ctx, rollouts.NoPodOn(daemonSet, nodes[0]))
		}, nil, spec.SimulatedNodes{})

	spec.It("takes the pods away promptly from four of five nodes that the next template does not select",
		spec.Decides("TARGET-002"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 5)
			rollouts.JoinPool(ctx, c, nodes[0])
			c.Bind(unlabeled, nodes[1:]...)
			daemonSet := c.Deploy(ctx, MaxUnavailable("1"))
			// It is a change for all of them at once.
			updated := c.Update(ctx, daemonSet, rollouts.OnPool())
			c.Await(ctx, rollouts.NoPodOn(updated, nodes[1:]...))
			c.Await(ctx, RolledOut(updated))
		},
		func(j *spec.Checks) {
			for _, node := range j.BoundAll(unlabeled) {
				j.Decide("TARGET-002", AtLeast(1, PodDeleted().On(node)))
			}
		}, spec.SimulatedNodes{})

	spec.It("takes the pod away that waits for the scheduler when its node loses the label",
		spec.Decides("TARGET-002"),
		func(ctx context.Context, c *spec.Case) {
			node := c.AddNodes(ctx, 2, rollouts.InPool)[0]
			daemonSet := c.Create(ctx, c.NewDaemonSet("daemon", MaxUnavailable("1"), rollouts.OnPool(), rollouts.TooLarge()))
			c.Require(ctx, "each node has a pod", UpdatedOn(2, daemonSet))
			c.Await(ctx, Quiet(late))
			rollouts.NeedsScheduler(ctx, c, daemonSet)
			rollouts.LeavePool(ctx, c, node)
			c.Await(ctx, rollouts.NoPodOn(daemonSet, node))
			c.Await(ctx, Quiet(late))
		}, nil, spec.SimulatedNodes{})
}

const bystanderName = "everywhere"

func ofZone(zone string) func(*corev1.Node) {
	return func(node *corev1.Node) { metav1.SetMetaDataLabel(&node.ObjectMeta, corev1.LabelTopologyZone, zone) }
}

// inZone sets a required node affinity.
func inZone(zone string) Edit {
	return Edit{Says: "affinity to nodes of zone " + zone, Apply: func(d *appsv1.DaemonSet) {
		d.Spec.Template.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{zoneTerm(zone)}},
		}}
	}}
}

// zoneTerm selects the nodes of a zone.
func zoneTerm(zone string) corev1.NodeSelectorTerm {
	return corev1.NodeSelectorTerm{MatchExpressions: []corev1.NodeSelectorRequirement{{
		Key: corev1.LabelTopologyZone, Operator: corev1.NodeSelectorOpIn, Values: []string{zone},
	}}}
}
