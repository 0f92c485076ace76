package pdb

import (
	"context"
	"fmt"
	"time"

	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// listedFor is how long the pod that is still to go has been listed at the restart, at least: times in a status are of whole seconds.
const listedFor = 1500 * time.Millisecond

// away is the spec of a controller that is not there for a while.
func away() {
	spec.It("leaves evictions to the stored status while the controller is down, and computes it again when it is back, without the pods that are still to be evicted, and with none listed that is gone",
		spec.Decides("PDB-012", "PDB-016", "PDB-030"),
		func(ctx context.Context, c *spec.Case) {
			workload := web(ctx, c, 4, IgnoreSIGTERM())
			budget := guarded(ctx, c, workload, MinAvailable("2"))
			pods := c.PodsOf(ctx, workload)
			c.Require(ctx, "two disruptions are allowed", Allows(budget, 2))
			c.Bind(granted, pods[0].Name, pods[1].Name)
			c.Bind(refused, pods[2].Name)
			c.Kill(ctx)
			for _, pod := range pods[:3] {
				if err := c.TryEvict(ctx, pod); err != nil && !apierrors.IsTooManyRequests(err) {
					c.CannotDecide(fmt.Sprintf("the eviction of pod %s failed: %v", pod.Name, err))
				}
			}
			c.Await(ctx, LivePodsOf(workload, 4, history.IsReady))
			// One of them is gone before the controller can see it terminate.
			c.Pods.ReleaseTermination(ctx, pods[0])
			c.Await(ctx, state.When("the first of the evicted pods is gone", func(cluster *history.Cluster) bool { return cluster.Pods[pods[0].UID] == nil }))
			c.WriteBudgetStatus(ctx, budget, ListDisrupted(pods[2].Name, time.Now()))
			c.Await(ctx, Quiet(listedFor))
			c.Restart(ctx)
			c.Await(ctx, Computed(budget))
			c.Await(ctx, state.Budget(guard, "the pod that is gone is not listed", func(status policyv1.PodDisruptionBudgetStatus) bool {
				_, listed := status.DisruptedPods[pods[0].Name]
				return !listed
			}))
		},
		func(j *spec.Checks) {
			byController := BudgetChanged(guard, "has another status that lists no pod more", func(before, after *policyv1.PodDisruptionBudget) bool {
				return !equality.Semantic.DeepEqual(before.Status, after.Status) && len(after.Status.DisruptedPods) <= len(before.Status.DisruptedPods)
			})
			// Whoever else sees to budgets, the one that was killed does not.
			j.Given(NeverBetween(Done(history.KillImplementation), Began(history.RestartImplementation), byController))
			for _, pod := range j.BoundAll(granted) {
				j.Decide("PDB-030", Before(PodDeleted(Named(pod)), Began(history.RestartImplementation)))
			}
			j.Decide("PDB-030", Never(PodDeleted(Named(j.Bound(refused)))), AtLeast(1, After(byController, Began(history.RestartImplementation))), Keeps("PDB-001"))
		}, recorded(), spec.Alone{}, spec.SimulatedNodes{})
}

// What the scenario chooses.
const (
	granted = "the pods whose eviction the stored status allows"
	refused = "the pod whose eviction it does not allow"
)
