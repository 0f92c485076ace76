package trial

import (
	"context"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"

	"github.com/rollcall-conformance/rollcall/framework/cluster/kwok"
	"github.com/rollcall-conformance/rollcall/framework/history"
)

const (
	// nodesTimeout bounds adding the nodes.
	nodesTimeout = 5 * time.Minute
	// nodesInterval is how often it is looked whether they are Ready.
	nodesInterval = 500 * time.Millisecond
	// nodesAtOnce is how many are made at the same time.
	nodesAtOnce = 16
)

// AddNodes makes that many simulated nodes in an embedded cluster, and waits until pods can be scheduled to all of them.
func AddNodes(ctx context.Context, client kubernetes.Interface, count int) error {
	ctx, cancel := context.WithTimeout(ctx, nodesTimeout)
	defer cancel()
	var making errgroup.Group
	making.SetLimit(nodesAtOnce)
	for i := range count {
		making.Go(func() error {
			name := fmt.Sprintf("node-%d", i)
			_, err := client.CoreV1().Nodes().Create(ctx, &corev1.Node{ObjectMeta: metav1.ObjectMeta{
				Name: name, Labels: map[string]string{kwok.NodeLabel: kwok.NodeLabelValue, corev1.LabelHostname: name},
			}}, metav1.CreateOptions{})
			return err
		})
	}
	if err := making.Wait(); err != nil {
		return fmt.Errorf("add %d simulated nodes: %w", count, err)
	}
	err := wait.PollUntilContextCancel(ctx, nodesInterval, true, func(ctx context.Context) (bool, error) {
		all, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
		if err != nil {
			return false, err
		}
		return !slices.ContainsFunc(all.Items, func(node corev1.Node) bool { return !history.NodeReady(&node) || len(node.Spec.Taints) > 0 }), nil
	})
	if err != nil {
		return fmt.Errorf("wait for %d simulated nodes: %w", count, err)
	}
	return nil
}
