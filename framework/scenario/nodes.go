package scenario

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"

	"golang.org/x/sync/errgroup"

	"github.com/rollcall-conformance/rollcall/framework/cluster/embedded"
	"github.com/rollcall-conformance/rollcall/framework/history"
)

// AddNodes gives the scenario n simulated nodes more and returns their names once they are Ready. Each edit changes every node before it is
// created, for example to taint it.
func (s *Scenario) AddNodes(ctx context.Context, n int, edits ...func(*corev1.Node)) []string {
	s.tb.Helper()
	names := make([]string, n)
	var group errgroup.Group
	group.SetLimit(16)
	for i := range names {
		names[i] = fmt.Sprintf("%s-%d", s.namespace, s.nodes+i)
		s.Note(history.Stimulus{Lever: "add node", Kind: history.KindNode, Name: names[i], Node: names[i]})
		group.Go(func() error {
			_, err := s.env.Client.CoreV1().Nodes().Create(ctx, s.newNode(names[i], edits), metav1.CreateOptions{})
			return err
		})
	}
	s.nodes += n
	s.must(group.Wait(), "create %d nodes", n)
	s.Require(ctx, fmt.Sprintf("%d new nodes are Ready", n), func(cluster *history.Cluster) bool {
		for _, name := range names {
			if node := cluster.Nodes[name]; node == nil || !nodeReady(node) || taintedNotReady(node) {
				return false
			}
		}
		return true
	})
	return names
}

func (s *Scenario) newNode(name string, edits []func(*corev1.Node)) *corev1.Node {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{
		NodeLabel:              s.namespace,
		embedded.NodeLabel:     embedded.NodeLabelValue,
		corev1.LabelHostname:   name,
		corev1.LabelOSStable:   "linux",
		corev1.LabelArchStable: "amd64",
	}}}
	for _, edit := range edits {
		edit(node)
	}
	return node
}

// EditNode changes a node; lever names the stimulus, for example "cordon".
func (s *Scenario) EditNode(ctx context.Context, lever, name string, edit func(*corev1.Node)) {
	s.tb.Helper()
	s.Note(history.Stimulus{Lever: lever, Kind: history.KindNode, Name: name, Node: name})
	nodes := s.env.Client.CoreV1().Nodes()
	s.must(retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		node, err := nodes.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		edit(node)
		_, err = nodes.Update(ctx, node, metav1.UpdateOptions{})
		return err
	}), "%s node %s", lever, name)
}

// NodeDown makes the node's Ready condition Unknown, as the node-lifecycle controller does for a node that it no longer hears from. The
// taints that go with it are that controller's work.
func (s *Scenario) NodeDown(ctx context.Context, name string) {
	s.tb.Helper()
	s.Note(history.Stimulus{Lever: "take down node", Kind: history.KindNode, Name: name, Node: name})
	nodes := s.env.Client.CoreV1().Nodes()
	s.must(retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		node, err := nodes.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		for i := range node.Status.Conditions {
			if condition := &node.Status.Conditions[i]; condition.Type == corev1.NodeReady {
				condition.Status, condition.Reason = corev1.ConditionUnknown, "NodeStatusUnknown"
				condition.LastTransitionTime = metav1.Now()
			}
		}
		_, err = nodes.UpdateStatus(ctx, node, metav1.UpdateOptions{})
		return err
	}), "take down node %s", name)
}

// DeleteNode removes a node object.
func (s *Scenario) DeleteNode(ctx context.Context, name string) {
	s.tb.Helper()
	s.Note(history.Stimulus{Lever: "delete node", Kind: history.KindNode, Name: name, Node: name})
	s.must(s.env.Client.CoreV1().Nodes().Delete(ctx, name, metav1.DeleteOptions{}), "delete node %s", name)
}

// taintedNotReady tells whether the node still has the taint that the API server puts on every new node; until the node-lifecycle controller
// removes it, the node is not eligible.
func taintedNotReady(node *corev1.Node) bool {
	return slices.ContainsFunc(node.Spec.Taints, func(taint corev1.Taint) bool { return taint.Key == corev1.TaintNodeNotReady })
}

func nodeReady(node *corev1.Node) bool {
	for _, condition := range node.Status.Conditions {
		if condition.Type == corev1.NodeReady {
			return condition.Status == corev1.ConditionTrue
		}
	}
	return false
}
