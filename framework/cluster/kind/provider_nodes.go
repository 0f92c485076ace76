package kind

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/e2e-framework/support"
)

// The states of a node, as ListNode gives them.
const (
	NodeReady    = "Ready"
	NodeNotReady = "NotReady"
)

// rolePrefix begins the label by which kubectl tells a node's role.
const rolePrefix = "node-role.kubernetes.io/"

// AddNode fails: kind makes all machines at once. See WithWorkers.
func (p *Provider) AddNode(context.Context, *support.Node, ...string) error {
	return errors.New("add node: kind makes all machines with the cluster, use WithWorkers")
}

// RemoveNode fails: kind removes all machines at once. StopNode takes one out of service.
func (p *Provider) RemoveNode(context.Context, *support.Node, ...string) error {
	return errors.New("remove node: kind removes all machines with the cluster, use StopNode")
}

// StopNode shuts the node's machine down. There are no arguments.
func (p *Provider) StopNode(ctx context.Context, node *support.Node, args ...string) error {
	if err := p.nodeOperation(support.StopNode, node, args); err != nil {
		return err
	}
	return p.cluster.onContainer(ctx, node.Name, "stop")
}

// StartNode boots the machine of a stopped node and waits until it is Ready. There are no arguments.
func (p *Provider) StartNode(ctx context.Context, node *support.Node, args ...string) error {
	if err := p.nodeOperation(support.StartNode, node, args); err != nil {
		return err
	}
	return p.cluster.boot(ctx, node.Name, "start")
}

// ListNode returns the cluster's nodes, simulated ones too, with their states, NodeReady or NodeNotReady. There are no arguments.
func (p *Provider) ListNode(ctx context.Context, args ...string) ([]support.Node, error) {
	if err := p.running(); err != nil {
		return nil, err
	}
	if len(args) > 0 {
		return nil, fmt.Errorf("list nodes: it takes no arguments, got %q", args)
	}
	list, err := p.cluster.client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("list nodes: %w", err)
	}
	nodes := make([]support.Node, 0, len(list.Items))
	for _, object := range list.Items {
		nodes = append(nodes, describe(&object, p.cluster.name))
	}
	return nodes, nil
}

func describe(object *corev1.Node, cluster string) support.Node {
	node := support.Node{Name: object.Name, Cluster: cluster, State: NodeNotReady}
	if readyCondition(object).Status == corev1.ConditionTrue {
		node.State = NodeReady
	}
	for label := range object.Labels {
		if role, found := strings.CutPrefix(label, rolePrefix); found {
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

// nodeOperation checks what all operations on a node have in common.
func (p *Provider) nodeOperation(operation support.NodeOperation, node *support.Node, args []string) error {
	if err := p.running(); err != nil {
		return err
	}
	if node == nil || node.Name == "" {
		return fmt.Errorf("%s node: it needs a name", operation)
	}
	if len(args) > 0 {
		return fmt.Errorf("%s node %s: it takes no arguments, got %q", operation, node.Name, args)
	}
	return nil
}

// LoadImage gives every machine an image that the Docker engine has. There are no arguments.
func (p *Provider) LoadImage(ctx context.Context, image string, args ...string) (err error) {
	if err := p.running(); err != nil {
		return err
	}
	if len(args) > 0 {
		return fmt.Errorf("load image %s: it takes no arguments, got %q", image, args)
	}
	dir, err := os.MkdirTemp(p.cluster.dir, "image-")
	if err != nil {
		return fmt.Errorf("load image %s: %w", image, err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	archive := filepath.Join(dir, "image.tar")
	if _, err := docker(ctx, "save", "--output", archive, image); err != nil {
		return fmt.Errorf("load image %s: %w", image, err)
	}
	return p.cluster.LoadImages(ctx, archive)
}

// LoadImageArchive gives every machine the images in an archive. There are no arguments.
func (p *Provider) LoadImageArchive(ctx context.Context, archive string, args ...string) error {
	if err := p.running(); err != nil {
		return err
	}
	if len(args) > 0 {
		return fmt.Errorf("load images from %s: it takes no arguments, got %q", archive, args)
	}
	return p.cluster.LoadImages(ctx, archive)
}
