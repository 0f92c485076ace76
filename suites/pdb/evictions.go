package pdb

import (
	"context"
	"fmt"
	"net/http"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// evictions are the specs of what evictions leave in a budget's status.
func evictions() {
	spec.It("keeps an evicted pod listed in disruptedPods until it terminates, and takes it off the list then",
		spec.Decides("PDB-012", "PDB-016", "PDB-017"),
		func(ctx context.Context, c *spec.Case) {
			workload := web(ctx, c, 4, IgnoreSIGTERM())
			// The first eviction leaves nothing that may be evicted until the pod is replaced.
			budget := guarded(ctx, c, workload, MinAvailable("3"))
			evicted := c.PodsOf(ctx, workload)[:2]
			for _, pod := range evicted {
				c.Require(ctx, "the budget allows an eviction", BudgetStatus(budget, "it allows one", func(status policyv1.PodDisruptionBudgetStatus) bool {
					return status.DisruptionsAllowed > 0
				}))
				c.Evict(ctx, pod)
				c.Require(ctx, "the pod is replaced", replaced(pod, 4))
				if !c.Await(ctx, noneListed(budget)) {
					return
				}
			}
			c.Await(ctx, Computed(budget))
			for _, pod := range evicted {
				c.Pods.ReleaseTermination(ctx, pod)
			}
			c.Await(ctx, Computed(budget))
		},
		func(j *spec.Checks) {
			listed := written(guard, "a pod is listed", func(status policyv1.PodDisruptionBudgetStatus) bool { return len(status.DisruptedPods) > 0 })
			j.Decide("PDB-012", Before(listed, PodDeleted()), AtLeast(2, listed))
		}, recorded(), spec.SimulatedNodes{}, spec.MainPath{})

	spec.It("keeps a pod listed, and does not count it, whose eviction was accepted and which has not been Ready since, and is Ready again",
		spec.Decides("PDB-012", "PDB-013"),
		func(ctx context.Context, c *spec.Case) {
			workload := web(ctx, c, 4)
			budget := guarded(ctx, c, workload, MinAvailable("1"))
			// Times are of whole seconds: by them the pods are older than the eviction, and that is older than what becomes of the pod.
			c.Await(ctx, Quiet(listedFor))
			pod := c.PodsOf(ctx, workload)[0]
			c.Bind(unmoved, pod.Name)
			c.WriteBudgetStatus(ctx, budget, ListDisrupted(pod.Name, time.Now()))
			c.Await(ctx, Computed(budget))
			c.Await(ctx, Quiet(listedFor))
			c.Pods.BecomeUnready(ctx, pod)
			c.Await(ctx, Quiet(silent))
			c.Pods.BecomeReady(ctx, pod)
			c.Await(ctx, state.All(ReadyPods(4), Computed(budget)))
			c.Await(ctx, Quiet(silent))
			c.Mark(readyAgain)
		},
		func(j *spec.Checks) {
			pod := j.Bound(unmoved)
			j.Given(AtLeast(1, Done(history.BecomeReady)))
			j.Decide("PDB-012", HoldsAtMark(readyAgain, state.Budget(guard, "the pod is listed", func(status policyv1.PodDisruptionBudgetStatus) bool {
				_, listed := status.DisruptedPods[pod]
				return listed
			})))
		}, recorded(), spec.SimulatedNodes{})

	spec.It("no longer prevents evictions once it is deleted",
		spec.Decides("PDB-029"),
		func(ctx context.Context, c *spec.Case) {
			workload := web(ctx, c, 2)
			budget := guarded(ctx, c, workload, MinAvailable("2"))
			pod := c.PodsOf(ctx, workload)[0]
			if err := c.TryEvict(ctx, pod); !apierrors.IsTooManyRequests(err) {
				c.CannotDecide(fmt.Sprintf("the disruption budget does not refuse the eviction: %v", err))
			}
			c.DeleteBudget(ctx, budget)
			// Its answer is in the recording, and decides.
			_ = c.TryEvict(ctx, pod)
			c.Await(ctx, Quiet(silent))
		},
		func(j *spec.Checks) {
			j.Given(NeverBetween(Began(history.EvictPod), Began(history.DeleteBudget), PodDeleted()))
			again := After(EvictionAnswered(""), Began(history.DeleteBudget))
			j.Decide("PDB-029", Answers("evicting a pod whose budget was deleted", again, WithCode(http.StatusCreated)), Effected(PodDeleted(), again))
		}, recorded(), spec.SimulatedNodes{})

	// The API server goes on asking it about evictions, and counts its deletion as another generation.
	spec.It("goes on computing a budget that is being deleted and that a finalizer holds back",
		spec.Decides("PDB-011", "PDB-026"),
		func(ctx context.Context, c *spec.Case) {
			workload := web(ctx, c, 3)
			budget := guarded(ctx, c, workload, MinAvailable("1"))
			c.HoldBudget(ctx, budget)
			c.Await(ctx, Quiet(judge.Lag))
			c.DeleteBudget(ctx, budget)
			c.Await(ctx, Computed(budget))
			pod := c.PodsOf(ctx, workload)[0]
			c.Pods.BecomeUnready(ctx, pod)
			c.Await(ctx, state.All(Computed(budget), ReadyPods(2)))
			c.Await(ctx, Quiet(silent))
			c.Pods.BecomeReady(ctx, pod)
			c.Await(ctx, state.All(Computed(budget), ReadyPods(3)))
			c.Await(ctx, Quiet(silent))
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, BudgetChanged(guard, "is being deleted", func(before, after *policyv1.PodDisruptionBudget) bool {
				return before.DeletionTimestamp == nil && after.DeletionTimestamp != nil
			})))
		}, recorded(), spec.SimulatedNodes{})
}

// readyAgain is when a pod is Ready again whose eviction was accepted before.
const readyAgain history.Mark = "the pod is Ready again"

// replaced holds when the pod terminates, and that many others are live and Ready.
func replaced(pod *corev1.Pod, others int) Condition {
	return state.When(fmt.Sprintf("pod %s terminates, and %d others are Ready", pod.Name, others), func(cluster *history.Cluster) bool {
		ready := 0
		for _, other := range cluster.Pods {
			if history.IsLive(other) && history.IsReady(other) {
				ready++
			}
		}
		now := cluster.Pods[pod.UID]
		return (now == nil || now.DeletionTimestamp != nil) && ready == others
	})
}

// noneListed holds when no pod is listed in the budget's status as disrupted.
func noneListed(budget *policyv1.PodDisruptionBudget) Condition {
	return BudgetStatus(budget, "no pod is listed", func(status policyv1.PodDisruptionBudgetStatus) bool { return len(status.DisruptedPods) == 0 })
}
