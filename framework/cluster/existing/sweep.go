package existing

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Traces is how to tell what users of the cluster made.
type Traces struct {
	// NamespaceLabel is a label of every namespace that they made.
	NamespaceLabel string
	// NodeLabelPrefix begins the labels that they gave to nodes, NodeAnnotations are annotations.
	NodeLabelPrefix string
	NodeAnnotations []string
}

// sweep removes everything that a run makes but its own namespace, and returns when it is gone.
func (c *Cluster) sweep(ctx context.Context) error {
	// The implementation first: it would make anew what is removed.
	return errors.Join(c.uninstall(ctx), c.removePods(ctx, namespaceName), c.removeNamespaces(ctx), c.cleanNodes(ctx))
}

// removeNamespaces removes those that were made, with all that is in them.
func (c *Cluster) removeNamespaces(ctx context.Context) error {
	namespaces := c.client.CoreV1().Namespaces()
	var left []corev1.Namespace
	err := wait.PollUntilContextCancel(ctx, pollInterval, true, func(ctx context.Context) (bool, error) {
		list, err := namespaces.List(ctx, metav1.ListOptions{LabelSelector: c.options.Traces.NamespaceLabel})
		if err != nil {
			return false, err
		}
		left = list.Items
		for _, namespace := range left {
			// Again each time: who makes pods may not know yet that it should not.
			if err := c.removePods(ctx, namespace.Name); err != nil {
				return false, err
			}
			if namespace.DeletionTimestamp != nil {
				continue
			}
			err := namespaces.Delete(ctx, namespace.Name, metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions(string(namespace.UID))})
			if client.IgnoreNotFound(err) != nil {
				return false, err
			}
		}
		return len(left) == 0, nil
	})
	if err == nil {
		return nil
	}
	failures := []error{fmt.Errorf("remove namespaces: %w", err)}
	for _, namespace := range left {
		failures = append(failures, fmt.Errorf("namespace %s is left%s", namespace.Name, hindrance(&namespace)))
	}
	return errors.Join(failures...)
}

// hindrance is what keeps a namespace from going, as it says itself.
func hindrance(namespace *corev1.Namespace) string {
	var said strings.Builder
	for _, condition := range namespace.Status.Conditions {
		if condition.Status == corev1.ConditionTrue {
			fmt.Fprintf(&said, "; %s", condition.Message)
		}
	}
	return said.String()
}

// removePods removes the DaemonSets and pods of a namespace of ours soon, however long the pods say that may take.
func (c *Cluster) removePods(ctx context.Context, namespace string) error {
	soon := int64(1)
	return errors.Join(
		client.IgnoreNotFound(c.client.AppsV1().DaemonSets(namespace).DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{})),
		client.IgnoreNotFound(c.client.CoreV1().Pods(namespace).DeleteCollection(ctx, metav1.DeleteOptions{GracePeriodSeconds: &soon}, metav1.ListOptions{})),
	)
}

// removeNamespace removes the run's own.
func (c *Cluster) removeNamespace(ctx context.Context) error {
	namespaces := c.client.CoreV1().Namespaces()
	err := wait.PollUntilContextCancel(ctx, pollInterval, true, func(ctx context.Context) (bool, error) {
		err := namespaces.Delete(ctx, namespaceName, metav1.DeleteOptions{})
		return apierrors.IsNotFound(err), ignore(err, apierrors.IsNotFound, apierrors.IsConflict)
	})
	if err != nil {
		return fmt.Errorf("remove namespace %s: %w", namespaceName, err)
	}
	return nil
}

func ignore(err error, kinds ...func(error) bool) error {
	if slices.ContainsFunc(kinds, func(is func(error) bool) bool { return is(err) }) {
		return nil
	}
	return err
}

// cleanNodes takes from all nodes what was given to them.
func (c *Cluster) cleanNodes(ctx context.Context) error {
	nodes := c.client.CoreV1().Nodes()
	list, err := nodes.List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("clean nodes: %w", err)
	}
	var failures []error
	for _, node := range list.Items {
		patch, err := c.options.Traces.withoutTraces(&node)
		if err == nil && patch != nil {
			_, err = nodes.Patch(ctx, node.Name, types.MergePatchType, patch, metav1.PatchOptions{})
		}
		if client.IgnoreNotFound(err) != nil {
			failures = append(failures, fmt.Errorf("clean node %s: %w", node.Name, err))
		}
	}
	return errors.Join(failures...)
}

// withoutTraces returns the patch that takes them from a node, nil if there are none.
func (t Traces) withoutTraces(node *corev1.Node) ([]byte, error) {
	metadata := map[string]map[string]any{"labels": {}, "annotations": {}}
	for label := range maps.Keys(node.Labels) {
		if strings.HasPrefix(label, t.NodeLabelPrefix) {
			metadata["labels"][label] = nil
		}
	}
	for _, annotation := range t.NodeAnnotations {
		if _, there := node.Annotations[annotation]; there {
			metadata["annotations"][annotation] = nil
		}
	}
	if len(metadata["labels"])+len(metadata["annotations"]) == 0 {
		return nil, nil
	}
	return json.Marshal(map[string]any{"metadata": metadata})
}
