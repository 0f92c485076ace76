package united

import (
	"context"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/fixtures/stages"
	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// hostnames is the spec of nodes whose hostname is not their name, as in some clouds.
func hostnames() {
	spec.It("selects by name the node that has the name, and not the one whose label for the hostname has it",
		spec.Decides("UNITED-005"),
		func(ctx context.Context, c *spec.Case) {
			nodes := addNodes(ctx, c, "a", "b")
			for node, hostname := range map[string]string{nodes[0]: "elsewhere", nodes[1]: nodes[0]} {
				c.EditNode(ctx, history.LabelNode, node, func(node *corev1.Node) { node.Labels[corev1.LabelHostname] = hostname })
			}
			c.Bind(byName, nodes[0])
			ds := c.Deploy(ctx, MaxUnavailable("1"))
			c.Unite(ctx, ds, OnNodes(Subset("first", c.ImagePatch("v2")), nodes[0]))
			placed(ctx, c)
			c.Mark(united)
		},
		func(j *spec.Checks) {
			j.Decide("UNITED-005", HoldsAtMark(united, exactlyOn("v2", j.Bound(byName))))
		}, spec.SimulatedNodes{}, kinds(), spec.AppsV1{})
}

// tolerations is the spec of a subset whose pods tolerate more than the target's.
func tolerations() {
	spec.It("runs the pods of a subset, whose patch tolerates a taint, on a node that repels the target's",
		spec.Decides("UNITED-007"),
		func(ctx context.Context, c *spec.Case) {
			const reserved = "example.org/reserved"
			nodes := addNodes(ctx, c, "a", "b")
			nodes = append(nodes, c.AddNodes(ctx, 1, func(node *corev1.Node) {
				node.Labels[zone] = "a"
				node.Spec.Taints = append(node.Spec.Taints, corev1.Taint{Key: reserved, Effect: corev1.TaintEffectNoSchedule})
			})...)
			c.Bind(moved, nodes[0], nodes[2])
			ds := c.Deploy(ctx, MaxUnavailable("1"))
			c.Unite(ctx, ds, Where(Subset("first", tolerating(c.ImagePatch("v2"), reserved)), zone, "a"))
			placed(ctx, c)
			c.Mark(united)
		},
		func(j *spec.Checks) {
			j.Decide("UNITED-007", HoldsAtMark(united, exactlyOn("v2", j.BoundAll(moved)...)))
		}, spec.SimulatedNodes{}, kinds(), spec.AppsV1{})
}

// turnedBack is the spec of a node that is not to move any more before its new pod is available.
func turnedBack() {
	spec.It("leaves a node with whom it has when it is not the subset's any more before the subset's pod there has started, where the target surges",
		spec.Decides("UNITED-022", "UNITED-030"),
		func(ctx context.Context, c *spec.Case) {
			nodes := addNodes(ctx, c, "a", "b")
			c.Bind(moved, nodes[0])
			ds := c.Deploy(ctx, MaxSurge("1"))
			c.Unite(ctx, ds, Where(Subset("first", c.ImagePatch(stages.MissingTag)), zone, "a"))
			c.Require(ctx, "a pod of the subset waits for its image", waitsForImage())
			c.Await(ctx, Quiet(silence))
			relabel(ctx, c, nodes[0], "b")
			placed(ctx, c)
			c.Mark(changed)
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, Done(history.LabelNode)))
			j.Decide("UNITED-022", HoldsAtMark(changed, state.UnitedSingle(name)))
			j.Decide("UNITED-030", Never(PodDeleted(OfVersion("v1")).On(j.Bound(moved))))
		}, spec.SimulatedNodes{}, kinds(), spec.AppsV1{})
}

// leavingAgain is the spec of a node whose new pod is deleted before it is available.
func leavingAgain() {
	spec.It("does not give up a node's pod for a new one that terminates, though it has been Ready for minReadySeconds by then, where the target surges",
		spec.Decides("UNITED-030"),
		func(ctx context.Context, c *spec.Case) {
			nodes := addNodes(ctx, c, "a", "b")
			c.Bind(moved, nodes[0])
			ds := c.Deploy(ctx, MaxSurge("1"), MinReadySeconds(int32(halfway/time.Second)), ReadyAfter(leisurely))
			c.Unite(ctx, ds, Where(Subset("first", c.ImagePatch("v2")), zone, "a"))
			c.Require(ctx, "the subset's pod is Ready", servedOn(nodes[0], "v2"))
			var going *corev1.Pod
			c.Look(ctx, func(cluster *history.Cluster) {
				for _, pod := range cluster.Pods {
					if history.NodeOf(pod) == nodes[0] && history.HasTag(&pod.Spec, "v2") {
						going = pod
					}
				}
			})
			c.Pods.HoldTermination(ctx, going)
			c.DeletePod(ctx, going, time.Minute)
			// Whoever counted on it would find it available now, if it looked: another one comes to that later.
			c.AwaitAfter(ctx, halfway, Past(time.Now().Add(halfway+judge.Lag)))
			c.EditNode(ctx, history.LabelNode, nodes[1], func(node *corev1.Node) { node.Labels[note] = "another" })
			c.Await(ctx, Quiet(silence))
			c.Mark(changed)
			c.Pods.ReleaseTermination(ctx, going)
			c.AwaitAfter(ctx, halfway+leisurely, state.UnitedPlaced(name))
			placed(ctx, c)
		},
		func(j *spec.Checks) {
			node := j.Bound(moved)
			// The harness may have been too slow.
			j.Given(AtLeast(1, Marked(changed)), Within(halfway, First(PodReady(OfVersion("v2")).On(node)), PodDeleted(OfVersion("v2")).On(node)))
			// Another one may have come beside the one that terminates.
			j.Decide("UNITED-030", Before(PodAvailable(OfVersion("v2")).On(node), PodDeleted(OfVersion("v1")).On(node)), endsPlaced())
		}, spec.SimulatedNodes{}, kinds(), spec.AppsV1{})
}

// halfway are the minReadySeconds of a pod that is deleted in between.
const halfway = 8 * time.Second

// waitsForImage holds when a pod waits for an image that no node can have.
func waitsForImage() state.Condition {
	return state.When("a pod waits for its image", func(cluster *history.Cluster) bool {
		for _, pod := range cluster.Pods {
			if Waiting(pod) {
				return true
			}
		}
		return false
	})
}

// affinities are the specs of targets that have an affinity, but none to nodes.
func affinities() {
	for says, affinity := range ByName(map[string]*corev1.Affinity{"to pods alone": {PodAntiAffinity: fromAnother()}, "that is empty": {}}) {
		spec.It("restarts no pod for the affinity that it gives a target, and takes all of it away again, where the target has one "+says,
			spec.Decides("UNITED-013", "UNITED-034"),
			func(ctx context.Context, c *spec.Case) {
				nodes := addNodes(ctx, c, "a", "b")
				c.Bind(none, nodes[1])
				ds := c.Deploy(ctx, MaxUnavailable("1"), Edit{Says: "an affinity " + says, Apply: func(ds *appsv1.DaemonSet) {
					ds.Spec.Template.Spec.Affinity = affinity.DeepCopy()
				}})
				before := remember(ctx, c)
				u := c.Unite(ctx, ds, Where(Subset("first", c.ImagePatch("v2")), zone, "a"))
				placed(ctx, c)
				c.Mark(united)
				giveBack(ctx, c, u, before)
			},
			func(j *spec.Checks) {
				j.Given(HoldsAtMark(united, state.UnitedPlaced(name)))
				j.Decide("UNITED-013", NeverBetween(Began(history.CreateUnited), Marked(united), PodDeleted().On(j.Bound(none))))
				j.Decide("UNITED-034",
					HoldsAtMark(again, restored(j.Bound(firstSpec))), HoldsAtMark(again, newestIs(j.Bound(revision))), Never(PodDeleted().On(j.Bound(none))))
			}, spec.SimulatedNodes{}, kinds(), spec.AppsV1{})
	}
}
