package cluster

import (
	"fmt"
	"net"
	"strings"

	corev1 "k8s.io/api/core/v1"
	nodeutil "k8s.io/component-helpers/node/util"
	"sigs.k8s.io/e2e-framework/support"
)

// The states of a node, as e2e-framework's ListNode gives them.
const (
	NodeReady    = "Ready"
	NodeNotReady = "NotReady"
)

// RolePrefix begins the label by which kubectl tells a node's role.
const RolePrefix = "node-role.kubernetes.io/"

// E2ENode is the node as e2e-framework describes it.
func E2ENode(object *corev1.Node, cluster string) support.Node {
	node := support.Node{Name: object.Name, Cluster: cluster, State: NodeNotReady}
	if IsReady(object) {
		node.State = NodeReady
	}
	for label := range object.Labels {
		if role, found := strings.CutPrefix(label, RolePrefix); found {
			node.Role = role
		}
	}
	for _, address := range object.Status.Addresses {
		if address.Type == corev1.NodeInternalIP {
			node.IP = net.ParseIP(address.Address)
		}
	}
	return node
}

// IsReady reports whether the node's Ready condition is True.
func IsReady(node *corev1.Node) bool {
	_, ready := nodeutil.GetNodeCondition(&node.Status, corev1.NodeReady)
	return ready != nil && ready.Status == corev1.ConditionTrue
}

// CheckNodeOperation refuses an operation of e2e-framework's on a node without a name, and arguments, which no operation takes.
func CheckNodeOperation(operation support.NodeOperation, node *support.Node, args []string) error {
	if node == nil || node.Name == "" {
		return fmt.Errorf("%s node: it needs a name", operation)
	}
	if len(args) > 0 {
		return fmt.Errorf("%s node %s: it takes no arguments, got %q", operation, node.Name, args)
	}
	return nil
}
