package rollouts

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// NoPodOn holds when none of the nodes has a pod of the DaemonSet.
func NoPodOn(daemonSet *appsv1.DaemonSet, nodes ...string) Condition {
	return state.When("node "+strings.Join(nodes, ", ")+" has no pod", func(cluster *history.Cluster) bool {
		return !slices.ContainsFunc(nodes, func(node string) bool { return len(cluster.PodsOn(daemonSet.UID, node)) > 0 })
	})
}

// Remove deletes the Node object. Its pods stay for as long as the pod garbage collector takes to notice.
func Remove(ctx context.Context, c *spec.Case, name string) {
	deleteNode(ctx, c, name)
	c.Require(ctx, "the node is gone", state.When("node "+name+" is gone", func(cluster *history.Cluster) bool { return cluster.Nodes[name] == nil }))
}

// BeginToRemove deletes the node, whose object a finalizer keeps until the scenario is over.
func BeginToRemove(ctx context.Context, c *spec.Case, name string) {
	c.HoldNode(ctx, name)
	deleteNode(ctx, c, name)
	c.Require(ctx, "the node is being deleted", state.When("node "+name+" is being deleted", func(cluster *history.Cluster) bool {
		return cluster.Nodes[name] != nil && cluster.Nodes[name].DeletionTimestamp != nil
	}))
}

func deleteNode(ctx context.Context, c *spec.Case, name string) {
	err := c.Do(ctx, history.Stimulus{Act: history.DeleteNode, Kind: history.KindNode, Name: name, Node: name}, func(ctx context.Context) error {
		return c.Client().CoreV1().Nodes().Delete(ctx, name, metav1.DeleteOptions{GracePeriodSeconds: new(int64)})
	})
	if err != nil {
		c.CannotDecide(fmt.Sprintf("harness: %s %s: %v", history.DeleteNode, name, err))
	}
}

// RemoveMeanwhile removes the nodes with their pods while no controller runs, and waits until one that has been started again has done all about the others
// that it will.
func RemoveMeanwhile(ctx context.Context, c *spec.Case, daemonSet *appsv1.DaemonSet, nodes ...string) {
	c.Kill(ctx)
	for _, node := range nodes {
		Remove(ctx, c, node)
	}
	for _, pod := range c.LivePods(ctx, daemonSet) {
		if slices.Contains(nodes, history.NodeOf(pod)) {
			collect(ctx, c, pod)
		}
	}
	c.Restart(ctx)
	c.RequireReconciled(ctx, daemonSet)
	// Longer than a controller may be late.
	c.Await(ctx, Quiet(3*time.Second))
}

// Others are the nodes but for some.
func Others(nodes []string, some ...string) []string {
	return slices.DeleteFunc(slices.Clone(nodes), func(node string) bool { return slices.Contains(some, node) })
}

// Replace removes the pod's node and, as the pod garbage collector does in time, the pod, and adds a node of the same name, which is
// Ready when Replace returns.
func Replace(ctx context.Context, c *spec.Case, pod *corev1.Pod) {
	again := likeNode(ctx, c, history.NodeOf(pod))
	Remove(ctx, c, again.Name)
	collect(ctx, c, pod)
	c.Await(ctx, Quiet(moment))
	addAgain(ctx, c, again)
}

// collect deletes a pod whose node is gone, as the pod garbage collector does in time.
func collect(ctx context.Context, c *spec.Case, pod *corev1.Pod) {
	c.DeletePod(ctx, pod, 0)
	c.Require(ctx, "the pod is gone", state.When(pod.Name+" is gone", func(cluster *history.Cluster) bool { return cluster.Pods[pod.UID] == nil }))
}

// Return removes the node and at once adds one of its name, changed by the edits, which is Ready when Return returns. Its pods stay.
func Return(ctx context.Context, c *spec.Case, name string, edits ...func(*corev1.Node)) {
	again := likeNode(ctx, c, name)
	for _, edit := range edits {
		edit(again)
	}
	Remove(ctx, c, name)
	addAgain(ctx, c, again)
}

// Register removes the node with its pods, and adds one with the name, labels and taints that it had when it was read, which is Ready when Register returns.
// The pods go before: a simulated kubelet that has just come to a node may overlook that a pod there is to end.
func Register(ctx context.Context, c *spec.Case, read *corev1.Node) {
	var pods []*corev1.Pod
	c.Look(ctx, func(cluster *history.Cluster) {
		for _, pod := range cluster.Pods {
			if history.NodeOf(pod) == read.Name {
				pods = append(pods, pod)
			}
		}
		slices.SortFunc(pods, func(a, b *corev1.Pod) int { return strings.Compare(a.Name, b.Name) })
	})
	Remove(ctx, c, read.Name)
	for _, pod := range pods {
		collect(ctx, c, pod)
	}
	addAgain(ctx, c, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: read.Name, Labels: read.Labels}, Spec: corev1.NodeSpec{Taints: read.Spec.Taints}})
}

// likeNode returns a new node with the name, labels, annotations and taints of one that is there.
func likeNode(ctx context.Context, c *spec.Case, name string) *corev1.Node {
	var again *corev1.Node
	c.Look(ctx, func(cluster *history.Cluster) {
		if node := cluster.Nodes[name]; node != nil {
			again = &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: maps.Clone(node.Labels), Annotations: maps.Clone(node.Annotations)}}
			again.Spec.Taints = slices.Clone(node.Spec.Taints)
		}
	})
	if again == nil {
		c.CannotDecide("harness: there is no node " + name)
	}
	return again
}

// addAgain adds the node, whose name a removed one had, and waits until it is Ready, and has the taints that it was added with.
func addAgain(ctx context.Context, c *spec.Case, again *corev1.Node) {
	err := c.Do(ctx, history.Stimulus{Act: history.AddNode, Kind: history.KindNode, Name: again.Name, Node: again.Name}, func(ctx context.Context) error {
		_, err := c.Client().CoreV1().Nodes().Create(ctx, again, metav1.CreateOptions{})
		return err
	})
	if err != nil {
		c.CannotDecide(fmt.Sprintf("harness: %s %s: %v", history.AddNode, again.Name, err))
	}
	c.Require(ctx, "the node is Ready again", state.When(again.Name+" is Ready and has the taints that it had", func(cluster *history.Cluster) bool {
		node := cluster.Nodes[again.Name]
		return node != nil && history.NodeReady(node) && len(node.Spec.Taints) == len(again.Spec.Taints)
	}))
}
