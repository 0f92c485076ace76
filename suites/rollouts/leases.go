package rollouts

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// leaseInterval is how often the API server is asked for a Lease, which recordings do not have.
const leaseInterval = 50 * time.Millisecond

// deleteLease deletes the Lease of a simulated node, before its Node goes, as Kubernetes' garbage collector does some time after. A simulated kubelet starts
// no pod on a node whose Lease it does not hold; it would take over what is left of another node of the name, lose that to the garbage collector, and for
// ten seconds and more overlook every pod.
func deleteLease(ctx context.Context, c *spec.Case, node string) {
	err := c.Client().CoordinationV1().Leases(corev1.NamespaceNodeLease).Delete(ctx, node, metav1.DeleteOptions{})
	if client.IgnoreNotFound(err) != nil {
		c.CannotDecide(fmt.Sprintf("harness: delete the Lease of node %s: %v", node, err))
	}
}

// awaitLease waits until the Node has a Lease of its own, so that a simulated kubelet starts its pods. A scenario where that takes too long ends there.
func awaitLease(ctx context.Context, c *spec.Case, node *corev1.Node) {
	err := wait.PollUntilContextTimeout(ctx, leaseInterval, DefaultPatience, true, func(ctx context.Context) (bool, error) {
		lease, err := c.Client().CoordinationV1().Leases(corev1.NamespaceNodeLease).Get(ctx, node.Name, metav1.GetOptions{})
		if err != nil {
			return false, client.IgnoreNotFound(err)
		}
		return slices.ContainsFunc(lease.OwnerReferences, func(owner metav1.OwnerReference) bool { return owner.UID == node.UID }), nil
	})
	if err != nil {
		c.CannotDecide(fmt.Sprintf("harness: node %s, which was added again, has no Lease of its own: %v", node.Name, err))
	}
}
