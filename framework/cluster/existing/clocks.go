package existing

import (
	"context"
	"fmt"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"

	"golang.org/x/sync/errgroup"
)

const (
	// mostLate is how late a kubelet's sign of life may come, by this machine's clock: late ones hide what was done too early.
	mostLate = time.Second
	// silence is how long a kubelet may give no sign of life. It gives one every ten seconds by default.
	silence = 45 * time.Second
)

// ClocksAgree proves that this machine's clock agrees with those of the nodes, whose kubelets say since when pods are Ready: availability is
// judged by comparing that with when a controller's acts were seen here. Kubelets renew a Lease by their clock; one that seems to come before it was sent
// would make lawful acts look too early.
func (c *Cluster) ClocksAgree(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, silence, fmt.Errorf("no sign of life within %s", silence))
	defer cancel()
	var group errgroup.Group
	for _, node := range c.nodes {
		group.Go(func() error {
			late, err := c.lateness(ctx, node)
			if err != nil {
				return fmt.Errorf("compare the clock of node %s with this machine's by the renewals of its Lease: %w", node, err)
			}
			return disagreement(node, late)
		})
	}
	return group.Wait()
}

// lateness is how long after it was sent, by the node's clock, its next sign of life is seen here, by this machine's clock.
func (c *Cluster) lateness(ctx context.Context, node string) (time.Duration, error) {
	leases := c.client.CoordinationV1().Leases(corev1.NamespaceNodeLease)
	ofNode := metav1.ListOptions{FieldSelector: fields.OneTermEqualSelector(metav1.ObjectNameField, node).String()}
	list, err := leases.List(ctx, ofNode)
	if err != nil {
		return 0, err
	}
	var late time.Duration
	_, err = watchtools.Until(ctx, list.ResourceVersion, &cache.ListWatch{
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			options.FieldSelector = ofNode.FieldSelector
			return leases.Watch(ctx, options)
		},
	}, func(event watch.Event) (bool, error) {
		lease, ok := event.Object.(*coordinationv1.Lease)
		if !ok || lease.Spec.RenewTime == nil {
			return false, nil
		}
		late = time.Since(lease.Spec.RenewTime.Time)
		return true, nil
	})
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return late, err
}

// disagreement says what a sign of life shows that was seen so late.
func disagreement(node string, late time.Duration) error {
	switch {
	case late < 0:
		return fmt.Errorf("the clock of node %s is ahead of this machine's by %s or more, so that lawful acts would look too early: synchronise both", node, -late)
	case late > mostLate:
		return fmt.Errorf("the clock of node %s is behind this machine's, or its signs of life take %s, so that what is too early could not be seen: synchronise both, "+
			"or run this nearer to the cluster", node, late.Round(time.Millisecond))
	}
	return nil
}
