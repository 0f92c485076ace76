package united

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// giveBack deletes the UnitedDaemonSet, and waits until the target has everything back that it had before.
func giveBack(ctx context.Context, c *spec.Case, u *history.UnitedDaemonSet, before state.Condition) {
	c.Separate(ctx, u, metav1.DeletePropagationBackground)
	c.Await(ctx, state.All(state.UnitedGone(name, target), servedBy(target), before))
	c.Await(ctx, Quiet(silence))
	c.Mark(again)
}

// deletion is the spec of the end of a UnitedDaemonSet.
func deletion() {
	spec.It("gives everything back when it is deleted, at the target's pace, and restarts no pod that was the target's",
		spec.Decides("UNITED-019", "UNITED-020", "UNITED-028", "UNITED-034"),
		func(ctx context.Context, c *spec.Case) {
			nodes := addNodes(ctx, c, "a", "a", "b", "c")
			c.Bind(byName, nodes...)
			c.Bind(none, nodes[3])
			ds := c.Deploy(ctx, MaxUnavailable("1"))
			before := remember(ctx, c)
			u := c.Unite(ctx, ds, OnNodes(Subset("first", c.ImagePatch("v2")), nodes[0]), Where(Subset("second", c.ImagePatch("v3")), zone, "a", "b"))
			placed(ctx, c)
			c.Mark(united)
			giveBack(ctx, c, u, before)
		},
		func(j *spec.Checks) {
			j.Given(HoldsAtMark(united, state.UnitedPlaced(name)))
			j.Decide("UNITED-019", HoldsAtMark(again, state.UnitedGone(name, target)))
			j.Decide("UNITED-020", HoldsAtMark(again, restored(j.Bound(firstSpec))), HoldsAtMark(again, servedBy(target)))
			for _, node := range j.BoundAll(byName) {
				j.Decide("UNITED-020", HoldsAtMark(again, unlabelled(node, j.Bound(firstLabels+" "+node))))
			}
			j.Decide("UNITED-028", Keeps("UNITED-027"))
			j.Decide("UNITED-034",
				HoldsAtMark(again, restored(j.Bound(firstSpec))), HoldsAtMark(again, newestIs(j.Bound(revision))),
				Never(PodDeleted().On(j.Bound(none))))
		}, spec.SimulatedNodes{}, kinds(), spec.AppsV1{})

	spec.It("gives a node back only when the pod there is gone, when it is deleted",
		spec.Decides("UNITED-029", "CROSS-006"),
		func(ctx context.Context, c *spec.Case) {
			nodes := addNodes(ctx, c, "a", "b")
			c.Bind(moved, nodes[0])
			ds := c.Deploy(ctx, MaxUnavailable("1"), IgnoreSIGTERM())
			u := c.Unite(ctx, ds, OnNodes(Subset("first", c.ImagePatch("v2")), nodes[0]))
			if !release(ctx, c, nodes[0]) {
				return
			}
			placed(ctx, c)
			c.Mark(united)
			c.Separate(ctx, u, metav1.DeletePropagationBackground)
			if !release(ctx, c, nodes[0]) {
				return
			}
			c.Await(ctx, state.All(state.UnitedGone(name, target), servedBy(target)))
		},
		func(j *spec.Checks) {
			node := j.Bound(moved)
			j.Given(HoldsAtMark(united, state.UnitedPlaced(name)))
			j.Decide("UNITED-029",
				Before(PodGone(OfVersion("v1")).On(node), PodCreated(OfVersion("v2")).On(node)),
				Before(PodGone(OfVersion("v2")).On(node), After(PodCreated(OfVersion("v1")).On(node), Marked(united))))
		}, spec.SimulatedNodes{}, kinds(), spec.AppsV1{})

	spec.It("leaves the DaemonSets of subsets running when it is deleted as an owner of orphans",
		spec.Decides("UNITED-041"),
		func(ctx context.Context, c *spec.Case) {
			nodes := addNodes(ctx, c, "a", "b")
			ds := c.Deploy(ctx, MaxUnavailable("1"))
			u := c.Unite(ctx, ds, OnNodes(Subset("first", c.ImagePatch("v2")), nodes[0]))
			placed(ctx, c)
			c.Mark(united)
			c.Bind(orphan, onlySubset(ctx, c).Name)
			c.Separate(ctx, u, metav1.DeletePropagationOrphan)
			c.Await(ctx, withoutUnited())
			c.Await(ctx, Quiet(spec.AtOnce))
			c.Mark(again)
		},
		func(j *spec.Checks) {
			j.Given(HoldsAtMark(united, state.UnitedPlaced(name)))
			j.Decide("UNITED-041", NeverBetween(Marked(united), Marked(again), PodDeleted()), NeverBetween(Marked(united), Marked(again), PodCreated()),
				HoldsAtMark(again, withoutUnited()), HoldsAtMark(again, stays(j.Bound(orphan))))
		}, spec.SimulatedNodes{}, kinds(), spec.AppsV1{})
}

// repelled is the spec of the end of a UnitedDaemonSet one of whose nodes has come to repel the target's pods.
func repelled() {
	spec.It("takes its labels from a node, too, that has come to repel the target's pods, when it is deleted",
		spec.Decides("UNITED-020"),
		func(ctx context.Context, c *spec.Case) {
			nodes := addNodes(ctx, c, "a", "b", "c")
			c.Bind(byName, nodes...)
			c.Bind(none, nodes[2])
			ds := c.Deploy(ctx, MaxUnavailable("1"))
			before := rememberLabels(ctx, c)
			u := c.Unite(ctx, ds, OnNodes(Subset("first", c.ImagePatch("v2")), nodes[0]))
			placed(ctx, c)
			c.Mark(united)
			// The pod that is there stays.
			rollouts.TaintNodes(ctx, c, nodes[2])
			c.Await(ctx, Quiet(silence))
			c.Separate(ctx, u, metav1.DeletePropagationBackground)
			c.Await(ctx, state.All(state.UnitedGone(name, target), before))
			c.Await(ctx, Quiet(silence))
			c.Mark(again)
		},
		func(j *spec.Checks) {
			j.Given(HoldsAtMark(united, state.UnitedPlaced(name)))
			for _, node := range j.BoundAll(byName) {
				j.Decide("UNITED-020", HoldsAtMark(again, unlabelled(node, j.Bound(firstLabels+" "+node))))
			}
			j.Decide("UNITED-020", Never(PodDeleted().On(j.Bound(none))))
		}, spec.SimulatedNodes{}, kinds(), spec.AppsV1{})
}

// unwanted is the spec of a subset with a node that repels its pods.
func unwanted() {
	spec.It("reports of a subset the numbers of its DaemonSet, which does not want a pod on a node that has come to repel them, and has one there",
		spec.Decides("UNITED-018"),
		func(ctx context.Context, c *spec.Case) {
			nodes := addNodes(ctx, c, "a", "b", "c")
			ds := c.Deploy(ctx, MaxUnavailable("1"))
			c.Unite(ctx, ds, OnNodes(Subset("first", c.ImagePatch("v2")), nodes[:2]...))
			placed(ctx, c)
			rollouts.TaintNodes(ctx, c, nodes[0])
			c.Await(ctx, unwantedOnOne())
			c.Await(ctx, Quiet(silence))
			c.Mark(changed)
		},
		func(j *spec.Checks) {
			j.Given(HoldsAtMark(changed, unwantedByDaemonSet()))
			j.Decide("UNITED-018", HoldsAtMark(changed, unwantedOnOne()))
		}, spec.SimulatedNodes{}, kinds(), spec.AppsV1{})
}

// unwantedOnOne holds when the status says of its only subset that a pod is wanted on one node, and that one is where it is not wanted.
func unwantedOnOne() state.Condition {
	return state.When("the status says of the subset that one pod is wanted, and one is not", func(cluster *history.Cluster) bool {
		for _, united := range cluster.United() {
			if subsets := united.Status.SubsetStatuses; len(subsets) == 1 {
				return subsets[0].DesiredNumberScheduled == 1 && subsets[0].NumberMisscheduled == 1
			}
		}
		return false
	})
}

// unwantedByDaemonSet holds when the subset's DaemonSet says so.
func unwantedByDaemonSet() state.Condition {
	return state.When("the status of a subset's DaemonSet says that one pod is wanted, and one is not", func(cluster *history.Cluster) bool {
		for _, united := range cluster.United() {
			for _, ds := range cluster.FamilyOf(united).Subsets {
				return ds.Status.DesiredNumberScheduled == 1 && ds.Status.NumberMisscheduled == 1
			}
		}
		return false
	})
}

// release waits until a pod on one of the nodes terminates, and for longer than a controller may be late, before it lets it go. The result is false if
// no pod terminates, which may be the controller's fault.
func release(ctx context.Context, c *spec.Case, nodes ...string) bool {
	var leaving *corev1.Pod
	if !c.Await(ctx, terminating(&leaving, nodes)) {
		return false
	}
	c.Await(ctx, Quiet(silence))
	c.Pods.ReleaseTermination(ctx, leaving)
	return true
}

// terminating holds when a pod on one of the nodes terminates, and says which.
func terminating(which **corev1.Pod, nodes []string) state.Condition {
	return state.When("a pod on node "+strings.Join(nodes, " or ")+" terminates", func(cluster *history.Cluster) bool {
		for _, pod := range cluster.Pods {
			if slices.Contains(nodes, history.NodeOf(pod)) && pod.DeletionTimestamp != nil {
				*which = pod
			}
		}
		return *which != nil
	})
}

// servedBy holds when every node has exactly one pod, which is available and of that DaemonSet as it is now.
func servedBy(name string) state.Condition {
	return state.Right("every node has one available pod of DaemonSet "+name, func(cluster *history.Cluster) error {
		ds := daemonSet(cluster, name)
		if ds == nil {
			return fmt.Errorf("there is no DaemonSet %s", name)
		}
		for node := range cluster.Nodes {
			pods := cluster.PodsOn(ds.UID, node)
			if len(pods) != 1 || !history.IsAvailable(pods[0], ds.Spec.MinReadySeconds, cluster.Time) || !cluster.Matches(pods[0], &ds.Spec.Template) {
				return fmt.Errorf("node %s has %d pods of it, or one that is not available or of another template", node, len(pods))
			}
		}
		return nil
	})
}

// newestIs holds when that is the target's ControllerRevision with the highest number.
func newestIs(name string) state.Condition {
	return state.Right("ControllerRevision "+name+" is the target's current one", func(cluster *history.Cluster) error {
		if ds := daemonSet(cluster, target); ds == nil || newest(cluster, ds) != name {
			return fmt.Errorf("it is not")
		}
		return nil
	})
}
