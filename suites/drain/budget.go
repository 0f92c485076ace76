package drain

import (
	"context"
	"fmt"
	"strconv"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// budget is the spec of a drain that a disruption budget refuses at first.
func budget() {
	spec.It("does nothing when a drain is refused by a disruption budget, and replaces the pod when it is granted",
		spec.Decides("DRAIN-006", "DRAIN-009"),
		func(ctx context.Context, c *spec.Case) {
			daemonSet, old := deployLingering(ctx, c, MaxSurge("1"))
			inForce := protect(ctx, c, daemonSet, len(old))
			c.Cordon(ctx, history.NodeOf(old[0]))
			if err := c.TryEvict(ctx, old[0]); !apierrors.IsTooManyRequests(err) {
				c.CannotDecide(fmt.Sprintf("the disruption budget does not refuse the eviction: %v", err))
			}
			c.Await(ctx, Quiet(3*time.Second))
			c.Mark(granted)
			c.DeleteBudget(ctx, inForce)
			c.Evict(ctx, old[0])
			c.Await(ctx, replaced(daemonSet, old[0]))
			c.Pods.ReleaseTermination(ctx, old[0])
			c.Uncordon(ctx, history.NodeOf(old[0]))
			c.Await(ctx, RolledOut(daemonSet))
		},
		func(j *spec.Checks) {
			node := j.BoundAll(lingering)[0]
			j.Decide("DRAIN-006",
				NeverBetween(Began(history.CordonNode), Marked(granted), PodCreated().On(node)),
				Before(After(PodCreated().On(node), Marked(granted)), First(PodGone().On(node))))
			j.Decide("DRAIN-009", EndsRolledOut())
		}, spec.SimulatedNodes{}, spec.Kinds{history.KindPodDisruptionBudget})
}

// granted is where the disruption budget no longer stands in the way.
const granted history.Mark = "the eviction is granted"

// protect makes a budget that wants that many of the DaemonSet's pods available, and waits until it is in force.
func protect(ctx context.Context, c *spec.Case, daemonSet *appsv1.DaemonSet, available int) *policyv1.PodDisruptionBudget {
	budget := c.CreateBudget(ctx, "budget", MinAvailable(strconv.Itoa(available)), Selecting(daemonSet.Spec.Selector.MatchLabels))
	c.Require(ctx, "the budget is in force", BudgetStatus(budget, "it counts the pods", func(status policyv1.PodDisruptionBudgetStatus) bool {
		return int(status.CurrentHealthy) == available
	}))
	return budget
}
