package existing

import (
	"context"
	"errors"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/rollcall-conformance/rollcall/framework/cluster/kwok"
	"github.com/rollcall-conformance/rollcall/framework/cluster/traces"
)

// Traces is how to tell what users of the cluster made.
type Traces = traces.Traces

// sweep removes everything that a run makes but its own namespace, and returns when it is gone.
func (c *Cluster) sweep(ctx context.Context) error {
	// The implementation first: it would make anew what is removed.
	left := c.options.Traces
	left.SimulatedLabel = kwok.ForeignLabel
	return errors.Join(c.uninstall(ctx), traces.RemovePods(ctx, c.client, namespaceName), left.RemoveNamespaces(ctx, c.client), left.CleanNodes(ctx, c.client))
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
