package scenario

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"golang.org/x/sync/errgroup"

	"github.com/rollcall-conformance/rollcall/framework/cluster/kwok"
	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/state"
)

// NodeKind says what is behind a scenario's nodes.
type NodeKind string

// The kinds of nodes. A scenario's nodes are of one kind.
const (
	// Simulated nodes are made for the scenario and are its own.
	Simulated NodeKind = "simulated"
	// Real nodes have a kubelet. Scenarios share them, so they are neither changed nor removed by one that others run beside.
	Real NodeKind = "real"
)

// nodesAtOnce is how many nodes are made or removed at the same time.
const nodesAtOnce = 16

// AddNodes gives the scenario n nodes more and returns their names once they are Ready. The first nodes decide the kind of all: real ones if the
// cluster has that many and nobody asked for simulated ones. TakeNodes is for first nodes of which there may be fewer. Each edit changes every node before it is created, for example to taint it, which
// takes simulated nodes.
func (s *Scenario) AddNodes(ctx context.Context, n int, edits ...func(*corev1.Node)) []string {
	s.tb.Helper()
	if s.kind == "" {
		s.settleKind(NodeCount{Least: n, Likes: n}, len(edits) > 0)
	}
	names := make([]string, n)
	var group errgroup.Group
	group.SetLimit(nodesAtOnce)
	for i := range names {
		add := s.labelRealNode
		if s.kind == Simulated {
			names[i] = fmt.Sprintf("%s-%d", s.namespace, len(s.nodes)+i)
			add = func(ctx context.Context, name string) error { return s.createNode(ctx, name, edits) }
		} else {
			if len(edits) > 0 {
				s.tb.Fatalf("harness: real nodes are shared as they are: a scenario whose later nodes are made to measure must be on simulated ones")
			}
			names[i] = s.realNode(len(s.nodes) + i)
		}
		group.Go(func() error {
			return s.Do(ctx, onNode(history.AddNode, names[i]), func(ctx context.Context) error { return add(ctx, names[i]) })
		})
	}
	s.nodes = append(s.nodes, names...)
	s.must(group.Wait(), "add %d nodes", n)
	ready := state.When("they have no taint for nodes that are not ready", func(cluster *history.Cluster) bool {
		for _, name := range names {
			// The API server taints every new node; until the node-lifecycle controller removes that, the node is not eligible.
			if node := cluster.Nodes[name]; node == nil || !history.NodeReady(node) || tainted(node, corev1.TaintNodeNotReady) {
				return false
			}
		}
		return true
	})
	// The harness's own work, whatever the patience with the implementation.
	if unmet := s.await(ctx, max(s.env.Patience, DefaultPatience), ready); unmet != "" {
		s.tb.Fatalf("harness: %d new nodes are not Ready: %s", n, unmet)
	}
	return names
}

// NodeKind is that of the scenario's nodes, empty until there are any.
func (s *Scenario) NodeKind() NodeKind { return s.kind }

// realNode returns the name of the scenario's i-th real node. Scenarios begin at different nodes, by their names, to spread their pods.
func (s *Scenario) realNode(i int) string {
	s.tb.Helper()
	if i >= len(s.env.RealNodes) {
		s.tb.Skipf("the scenario takes %d nodes with a kubelet, and the cluster has %d", i+1, len(s.env.RealNodes))
	}
	first := fnv.New32a()
	first.Write([]byte(s.namespace))
	return s.env.RealNodes[(int(first.Sum32()%uint32(len(s.env.RealNodes)))+i)%len(s.env.RealNodes)]
}

func (s *Scenario) labelRealNode(ctx context.Context, name string) error {
	return s.patchLabel(ctx, name, new(string))
}

// patchLabel sets the scenario's label of a node, or with nil removes it; what recordings left on the node goes.
func (s *Scenario) patchLabel(ctx context.Context, name string, value *string) error {
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{
		"labels":      map[string]*string{NodeLabel(s.namespace): value},
		"annotations": map[string]*string{history.MarkAnnotation: nil},
	}})
	if err != nil {
		return err
	}
	_, err = s.client.CoreV1().Nodes().Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{})
	return err
}

func (s *Scenario) createNode(ctx context.Context, name string, edits []func(*corev1.Node)) error {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{
		NodeLabel(s.namespace):       "",
		s.env.SimulatedNodes.Label(): kwok.NodeLabelValue,
		corev1.LabelHostname:         name,
		corev1.LabelArchStable:       "amd64",
		// As kubelets do: kube-controller-manager would add it in its own time.
		"beta.kubernetes.io/arch": "amd64",
	}}, Spec: corev1.NodeSpec{Taints: s.env.SimulatedNodes.Taints()}}
	for _, edit := range edits {
		edit(node)
	}
	_, err := s.client.CoreV1().Nodes().Create(ctx, node, metav1.CreateOptions{})
	return err
}

// cleanNodes gives the real nodes back as they were and removes the others.
func (s *Scenario) cleanNodes(ctx context.Context) error {
	nodes := s.admin.CoreV1().Nodes()
	mine, err := nodes.List(ctx, metav1.ListOptions{LabelSelector: NodeLabel(s.namespace)})
	if err != nil {
		return err
	}
	var group errgroup.Group
	group.SetLimit(nodesAtOnce)
	for _, node := range mine.Items {
		group.Go(func() error {
			if slices.Contains(s.env.RealNodes, node.Name) {
				return ignoreNotFound(s.patchLabel(ctx, node.Name, nil))
			}
			return ignoreNotFound(nodes.Delete(ctx, node.Name, metav1.DeleteOptions{GracePeriodSeconds: new(int64)}))
		})
	}
	return group.Wait()
}

// mustBeSimulated ends a spec that is about to change a node that others use too.
func (s *Scenario) mustBeSimulated(doing, node string) {
	s.tb.Helper()
	if s.kind == Real {
		s.tb.Fatalf("harness: %s %s: other scenarios use this node too, the spec must be on simulated nodes", doing, node)
	}
}

// EditNode changes a node, and waits until the recording shows it; act says what for, for example history.TaintNode.
func (s *Scenario) EditNode(ctx context.Context, act history.Act, name string, edit func(*corev1.Node)) {
	s.tb.Helper()
	s.changeNode(ctx, act, name, edit, s.client.CoreV1().Nodes().Update)
}

// NodeDown makes the node's Ready condition Unknown, as the node-lifecycle controller does for a node that it no longer hears from. The
// taints that go with it are that controller's work.
func (s *Scenario) NodeDown(ctx context.Context, name string) {
	s.tb.Helper()
	s.setNodeCondition(ctx, history.TakeDownNode, name, corev1.NodeReady, corev1.ConditionUnknown, "NodeStatusUnknown")
}

// LoseNetwork makes the node's NetworkUnavailable condition True, as whoever sets up its network does, and waits for the taint that goes with it, which is the
// node-lifecycle controller's work.
func (s *Scenario) LoseNetwork(ctx context.Context, name string) {
	s.tb.Helper()
	s.setNodeCondition(ctx, history.TaintNode, name, corev1.NodeNetworkUnavailable, corev1.ConditionTrue, "NoRoute")
	s.Require(ctx, "node "+name+" is tainted for its network", state.When("the taint is there", func(cluster *history.Cluster) bool {
		now := cluster.Nodes[name]
		return now != nil && tainted(now, corev1.TaintNodeNetworkUnavailable)
	}))
}

// setNodeCondition sets a condition that the node has.
func (s *Scenario) setNodeCondition(ctx context.Context, act history.Act, name string, kind corev1.NodeConditionType, status corev1.ConditionStatus, reason string) {
	s.tb.Helper()
	s.changeNode(ctx, act, name, func(node *corev1.Node) {
		for i := range node.Status.Conditions {
			if condition := &node.Status.Conditions[i]; condition.Type == kind {
				condition.Status, condition.Reason = status, reason
				condition.LastTransitionTime = metav1.Now()
			}
		}
	}, s.client.CoreV1().Nodes().UpdateStatus)
}

func (s *Scenario) changeNode(ctx context.Context, act history.Act, name string, edit func(*corev1.Node), send sender[corev1.Node]) {
	s.tb.Helper()
	s.mustBeSimulated(string(act), name)
	stored, err := rewrite(ctx, s, onNode(act, name), s.client.CoreV1().Nodes(), edit, send)
	s.must(err, "%s %s", act, name)
	s.Require(ctx, "the recording shows the change", state.When("node "+name+" is as it was changed", func(cluster *history.Cluster) bool {
		now := cluster.Nodes[name]
		return now != nil && shows(now, stored)
	}))
}

func onNode(act history.Act, name string) history.Stimulus {
	return history.Stimulus{Act: act, Kind: history.KindNode, Name: name, Node: name}
}

func tainted(node *corev1.Node, key string) bool {
	return slices.ContainsFunc(node.Spec.Taints, func(taint corev1.Taint) bool { return taint.Key == key })
}
