package cross

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// What scenarios choose.
const (
	granted = "the pod whose eviction the budget allows"
	refused = "the pod whose eviction it does not allow"
)

// evictions are the specs of daemon pods that are evicted.
func evictions() {
	spec.It("lets a budget with an integer minAvailable limit the evictions of a DaemonSet's pods",
		spec.Decides("CROSS-001"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 3)
			daemonSet := c.Deploy(ctx, MaxUnavailable("1"), IgnoreSIGTERM())
			budget := guarded(ctx, c, daemonSet, 2)
			pods := c.LivePods(ctx, daemonSet)
			c.Bind(granted, pods[0].Name)
			c.Bind(refused, pods[1].Name)
			evict(ctx, c, pods[0], pods[1])
			c.Await(ctx, state.All(Leaving(pods[0]), Computed(budget)))
			evict(ctx, c, pods[1])
			c.Pods.ReleaseTermination(ctx, pods[0])
			c.Await(ctx, RolledOut(daemonSet))
			c.Await(ctx, Allows(budget, 1))
		},
		func(j *spec.Checks) {
			j.Decide("CROSS-001",
				AtLeast(1, PodDeleted(Named(j.Bound(granted)))), Never(PodDeleted(Named(j.Bound(refused)))), Keeps("EVICT-010"), Keeps("PDB-001"),
				ComesToHold(state.Budget(guard, "it allows 1", func(status policyv1.PodDisruptionBudgetStatus) bool { return status.DisruptionsAllowed == 1 })))
		}, recorded())

	spec.It("allows no eviction by a budget over a DaemonSet that needs a scale, and says that it failed",
		spec.Decides("CROSS-002"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			daemonSet := c.Deploy(ctx, MaxUnavailable("1"))
			pod := c.LivePods(ctx, daemonSet)[0]
			c.Bind(refused, pod.Name)
			budget := guarded(ctx, c, daemonSet, 1)
			for _, limit := range []BudgetEdit{MinAvailable("50%"), MaxDisrupted("1")} {
				budget = c.UpdateBudget(ctx, budget, limit)
				if !c.Await(ctx, state.Budget(guard, "it failed", failed)) {
					return
				}
				evict(ctx, c, pod)
				c.Await(ctx, Computed(c.UpdateBudget(ctx, budget, MinAvailable("1"))))
			}
		},
		func(j *spec.Checks) {
			j.Decide("CROSS-002", Keeps("PDB-020"), Never(PodDeleted(Named(j.Bound(refused)))))
		}, recorded(), spec.AppsV1{})

	spec.It("evicts a daemon pod under surge within its budget, replaces it beside itself, and has the budget restored when the replacement is healthy",
		spec.Decides("CROSS-005"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 3)
			daemonSet := c.Deploy(ctx, MaxSurge("1"), IgnoreSIGTERM())
			budget := guarded(ctx, c, daemonSet, 2)
			var evicted []string
			for _, node := range nodes[:2] {
				pod := c.LivePodOn(ctx, daemonSet, node)
				evict(ctx, c, pod)
				evicted = append(evicted, node)
				c.Await(ctx, readyBeside(daemonSet, pod))
				// The old one is still there, and does not count: no deadlock.
				allowed := c.Await(ctx, Allows(budget, 1))
				c.Pods.ReleaseTermination(ctx, pod)
				if !allowed {
					break
				}
			}
			c.Bind(granted, evicted...)
			c.Await(ctx, RolledOut(daemonSet))
		},
		func(j *spec.Checks) {
			for _, node := range j.BoundAll(granted) {
				// The pod goes only once the budget allows the next eviction again.
				j.Decide("CROSS-005", Within(spec.AtOnce, First(PodDeleted().On(node)), PodCreated().On(node)),
					Before(After(PodReady().On(node), PodDeleted().On(node)), After(PodGone().On(node), PodDeleted().On(node))))
			}
			j.Decide("CROSS-005", Tested(AtLeast(2, PodDeleted())), Keeps("PDB-001"), Keeps("EVICT-010"), EndsRolledOut())
		}, recorded())
}

// evict asks for the eviction of each pod, one after the other, when whoever decides on it has had the time to know better; what the budget refuses is left.
func evict(ctx context.Context, c *spec.Case, pods ...*corev1.Pod) {
	for _, pod := range pods {
		c.AwaitUntroubled(ctx, spec.AtOnce)
		if err := c.TryEvict(ctx, pod); err != nil && !apierrors.IsTooManyRequests(err) {
			c.CannotDecide(fmt.Sprintf("the eviction of pod %s failed: %v", pod.Name, err))
		}
	}
}

func failed(status policyv1.PodDisruptionBudgetStatus) bool {
	condition := meta.FindStatusCondition(status.Conditions, policyv1.DisruptionAllowedCondition)
	return status.DisruptionsAllowed == 0 && condition != nil && condition.Reason == policyv1.SyncFailedReason
}

// readyBeside holds when the pod's node has another one of the DaemonSet that is Ready.
func readyBeside(daemonSet *appsv1.DaemonSet, pod *corev1.Pod) Condition {
	return state.When("another pod is Ready beside "+pod.Name, func(cluster *history.Cluster) bool {
		for _, other := range cluster.Pods {
			if other.UID != pod.UID && metav1.IsControlledBy(other, daemonSet) && history.NodeOf(other) == history.NodeOf(pod) && history.IsLive(other) && history.IsReady(other) {
				return true
			}
		}
		return false
	})
}
