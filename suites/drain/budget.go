package drain

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// budget is the spec of a drain that a disruption budget refuses at first.
func budget() {
	spec.It("does nothing when a drain is refused by a disruption budget, and replaces the pod when it is granted",
		spec.Decides("DRAIN-006", "DRAIN-009"),
		func(ctx context.Context, c *spec.Case) {
			daemonSet, old := deployLingering(ctx, c, MaxSurge("1"))
			protect(ctx, c, daemonSet, len(old))
			c.Cordon(ctx, history.NodeOf(old[0]))
			if err := c.TryEvict(ctx, old[0]); !apierrors.IsTooManyRequests(err) {
				c.CannotDecide(fmt.Sprintf("the disruption budget does not refuse the eviction: %v", err))
			}
			c.Await(ctx, Quiet(3*time.Second))
			c.Mark(granted)
			unprotect(ctx, c)
			c.Evict(ctx, old[0])
			c.Await(ctx, replaced(daemonSet, old[0]))
			c.Pods.ReleaseTermination(ctx, old[0])
			c.Uncordon(ctx, history.NodeOf(old[0]))
			c.Await(ctx, RolledOut(daemonSet))
		},
		func(j *spec.Checks) {
			node := j.BoundAll(lingering)[0]
			j.Decide("DRAIN-006",
				NeverBetween(Done(history.CordonNode), Marked(granted), PodCreated().On(node)),
				Before(After(PodCreated().On(node), Marked(granted)), First(PodGone().On(node))))
			j.Decide("DRAIN-009", EndsRolledOut())
		}, spec.SimulatedNodes{}, spec.Kinds{history.KindPodDisruptionBudget})
}

// granted is where the disruption budget no longer stands in the way.
const granted history.Mark = "the eviction is granted"

const budgetName = "budget"

// protect makes a budget that wants that many of the DaemonSet's pods available, and waits until it is in force.
func protect(ctx context.Context, c *spec.Case, daemonSet *appsv1.DaemonSet, available int) {
	all := intstr.FromInt32(int32(available))
	budget := &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Name: budgetName, Namespace: c.Namespace()},
		Spec:       policyv1.PodDisruptionBudgetSpec{MinAvailable: &all, Selector: daemonSet.Spec.Selector},
	}
	onBudget(ctx, c, history.CreateBudget, func(ctx context.Context) error {
		_, err := c.Client().PolicyV1().PodDisruptionBudgets(budget.Namespace).Create(ctx, budget, metav1.CreateOptions{})
		return err
	})
	c.Require(ctx, "the budget is in force", state.When("the budget's status counts the pods", func(cluster *history.Cluster) bool {
		for _, object := range cluster.Objects(history.KindPodDisruptionBudget) {
			if now, ok := object.(*policyv1.PodDisruptionBudget); ok && now.Name == budgetName {
				return now.Status.ObservedGeneration == now.Generation && int(now.Status.CurrentHealthy) == available
			}
		}
		return false
	}))
}

// unprotect removes the budget.
func unprotect(ctx context.Context, c *spec.Case) {
	onBudget(ctx, c, history.DeleteBudget, func(ctx context.Context) error {
		return c.Client().PolicyV1().PodDisruptionBudgets(c.Namespace()).Delete(ctx, budgetName, metav1.DeleteOptions{})
	})
}

func onBudget(ctx context.Context, c *spec.Case, act history.Act, do func(context.Context) error) {
	stimulus := history.Stimulus{Act: act, Kind: history.KindPodDisruptionBudget, Namespace: c.Namespace(), Name: budgetName}
	if err := c.Do(ctx, stimulus, do); err != nil {
		c.CannotDecide(fmt.Sprintf("harness: %s: %v", act, err))
	}
}
