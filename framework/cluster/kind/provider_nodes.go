package kind

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/e2e-framework/support"

	"github.com/rollcall-conformance/rollcall/framework/cluster"
)

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
		nodes = append(nodes, cluster.E2ENode(&object, p.cluster.name))
	}
	return nodes, nil
}

// nodeOperation checks what all operations on a node have in common.
func (p *Provider) nodeOperation(operation support.NodeOperation, node *support.Node, args []string) error {
	if err := p.running(); err != nil {
		return err
	}
	return cluster.CheckNodeOperation(operation, node, args)
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
