// Package traces removes what a run left in a cluster that outlives it: namespaces with all that is in them, and marks on nodes.
package traces

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	// pollInterval is the pause between two looks at what is still there.
	pollInterval = 100 * time.Millisecond
	// patience is how long pods may take to end before they are ended.
	patience = 3 * time.Second
)

// Traces is how to tell what users of the cluster made.
type Traces struct {
	// NamespaceLabel is a label of every namespace that they made.
	NamespaceLabel string
	// NodeLabelPrefix begins the labels that they gave to nodes, NodeAnnotations are annotations.
	NodeLabelPrefix string
	NodeAnnotations []string
	// Finalizer is what they held pods and DaemonSets back by. Default: nothing.
	Finalizer string
	// SimulatedLabel is a label of the nodes that nobody is behind. Those that have it and traces go, and no pod is waited for that does not end by
	// itself and is on none of the other nodes. Default: every node stays, and so does a pod until its kubelet has ended it.
	SimulatedLabel string
}

// RemoveNamespaces removes those that were made, with all that is in them, and returns when they are gone.
func (t Traces) RemoveNamespaces(ctx context.Context, cluster kubernetes.Interface) error {
	return t.remove(ctx, cluster, func(_ context.Context, left []corev1.Namespace) (bool, error) { return len(left) == 0, nil })
}

// EmptyNamespaces is RemoveNamespaces, but returns when no DaemonSet and no pod is in them any more. The rest takes Kubernetes 5 s at least.
func (t Traces) EmptyNamespaces(ctx context.Context, cluster kubernetes.Interface) error {
	return t.remove(ctx, cluster, func(ctx context.Context, left []corev1.Namespace) (bool, error) {
		for _, namespace := range left {
			daemonSets, err := cluster.AppsV1().DaemonSets(namespace.Name).List(ctx, metav1.ListOptions{})
			if err != nil || len(daemonSets.Items) > 0 {
				return false, err
			}
			pods, err := cluster.CoreV1().Pods(namespace.Name).List(ctx, metav1.ListOptions{})
			if err != nil || len(pods.Items) > 0 {
				return false, err
			}
		}
		return true, nil
	})
}

// remove removes the namespaces and returns when it is done with those that are left.
func (t Traces) remove(ctx context.Context, cluster kubernetes.Interface, done func(context.Context, []corev1.Namespace) (bool, error)) error {
	namespaces := cluster.CoreV1().Namespaces()
	began := time.Now()
	var left []corev1.Namespace
	err := wait.PollUntilContextCancel(ctx, pollInterval, true, func(ctx context.Context) (bool, error) {
		list, err := namespaces.List(ctx, metav1.ListOptions{LabelSelector: t.NamespaceLabel})
		if err != nil {
			return false, err
		}
		left = list.Items
		for _, namespace := range left {
			// Again each time: who makes pods may not know yet that it should not.
			if err := errors.Join(RemovePods(ctx, cluster, namespace.Name), t.letGo(ctx, cluster, namespace.Name)); err != nil {
				return false, err
			}
			if time.Since(began) > patience {
				if err := t.endPods(ctx, cluster, namespace.Name); err != nil {
					return false, err
				}
			}
			if namespace.DeletionTimestamp != nil {
				if err := remind(ctx, cluster, &namespace); err != nil {
					return false, err
				}
				continue
			}
			err := namespaces.Delete(ctx, namespace.Name, metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions(string(namespace.UID))})
			if client.IgnoreNotFound(err) != nil {
				return false, err
			}
		}
		return done(ctx, left)
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

// RemovePods removes the DaemonSets and pods of a namespace soon, however long the pods say that may take.
func RemovePods(ctx context.Context, cluster kubernetes.Interface, namespace string) error {
	grace := int64(1)
	return errors.Join(
		client.IgnoreNotFound(cluster.AppsV1().DaemonSets(namespace).DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{})),
		client.IgnoreNotFound(cluster.CoreV1().Pods(namespace).DeleteCollection(ctx, metav1.DeleteOptions{GracePeriodSeconds: &grace}, metav1.ListOptions{})),
	)
}

// CleanNodes takes from all nodes what was given to them.
func (t Traces) CleanNodes(ctx context.Context, cluster kubernetes.Interface) error {
	nodes := cluster.CoreV1().Nodes()
	list, err := nodes.List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("clean nodes: %w", err)
	}
	var failures []error
	for _, node := range list.Items {
		patch, err := t.without(&node)
		_, simulated := node.Labels[t.SimulatedLabel]
		switch {
		case err != nil || patch == nil:
		case simulated:
			err = nodes.Delete(ctx, node.Name, metav1.DeleteOptions{})
		default:
			_, err = nodes.Patch(ctx, node.Name, types.MergePatchType, patch, metav1.PatchOptions{})
		}
		if client.IgnoreNotFound(err) != nil {
			failures = append(failures, fmt.Errorf("clean node %s: %w", node.Name, err))
		}
	}
	return errors.Join(failures...)
}

// without returns the patch that takes the traces from a node, nil if there are none.
func (t Traces) without(node *corev1.Node) ([]byte, error) {
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
