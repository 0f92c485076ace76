package pdb

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/uuid"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// unscaled are the specs of pods whose controller is none of Kubernetes' workloads with a scale.
func unscaled() {
	spec.It("allows no disruption and says why, where a budget needs a scale and the pods' controller has none, and recovers from that",
		spec.Decides("PDB-017", "PDB-018", "PDB-020", "PDB-021"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 1)
			job := c.RunScaled(ctx, history.KindJob, "job", 2)
			c.Require(ctx, "the pods are Ready", LivePodsOf(job, 2, history.IsReady))
			budget := guarded(ctx, c, job, MinAvailable("1"))
			for _, limit := range []BudgetEdit{MinAvailable("50%"), MaxDisrupted("1"), MaxDisrupted("50%")} {
				budget = c.UpdateBudget(ctx, budget, limit)
				if !c.Await(ctx, state.Budget(guard, "it failed", failed)) {
					return
				}
				// It allows nothing after that either, for another reason.
				if !changed(ctx, c, budget, MinAvailable("2")) || !c.Await(ctx, state.Budget(guard, "it fails no more", recovered)) {
					return
				}
			}
			// Others have one.
			c.RunScaled(ctx, history.KindReplicaSet, "web", 2)
			c.UpdateBudget(ctx, budget, MaxDisrupted("1"), Selecting(nil))
			c.Await(ctx, state.All(state.Budget(guard, "it failed", failed), told(budget, "CalculateExpectedPodCountFailed")))
			c.Await(ctx, Quiet(silent))
		},
		func(j *spec.Checks) {
			j.Decide("PDB-018", Keeps("PDB-020"), Keeps("PDB-001"))
			j.Decide("PDB-020", Reported("CalculateExpectedPodCountFailed about the budget", about(guard, "CalculateExpectedPodCountFailed")))
			j.Decide("PDB-021", AtLeast(1, written(guard, "it failed", failed)),
				Never(written(guard, "it failed, and the message does not say that jobs have no scale", func(status policyv1.PodDisruptionBudgetStatus) bool {
					return failed(status) && !failedFor("job")(status)
				})))
		}, recorded(), spec.SimulatedNodes{})

	spec.It("says the cause that there is now where a budget fails for another than before",
		spec.Decides("PDB-020", "PDB-021"),
		func(ctx context.Context, c *spec.Case) {
			node := c.AddNodes(ctx, 1)[0]
			job := c.RunScaled(ctx, history.KindJob, "job", 1)
			c.Require(ctx, "the pod is Ready", LivePodsOf(job, 1, history.IsReady))
			budget := c.CreateBudget(ctx, guard, MaxDisrupted("1"), Selecting(job.Labels()))
			c.Require(ctx, "the budget fails", state.Budget(guard, "it failed for jobs", failedFor("job")))
			static := Scaled{Name: "static"}
			// The controller of this pod is a node, which has no scale either.
			c.MakeStaticPod(ctx, node, static.Labels())
			c.Require(ctx, "the pod is Ready", LivePodsOf(static, 1, history.IsReady))
			c.UpdateBudget(ctx, budget, Selecting(static.Labels()))
			c.Await(ctx, state.Budget(guard, "it failed for nodes", failedFor("node")))
		},
		func(j *spec.Checks) {
			j.Decide("PDB-021", Within(promptly, First(BudgetRespecified(guard)), written(guard, "it failed, and the message says that nodes have no scale", failedFor("node"))))
		}, recorded(), spec.SimulatedNodes{})

	spec.It("allows no disruption and says why, where a budget needs a scale and the API server does not know the kind of the pods' controller",
		spec.Decides("PDB-018", "PDB-020"),
		func(ctx context.Context, c *spec.Case) {
			node := c.AddNodes(ctx, 1)[0]
			controls := true
			owner := metav1.OwnerReference{
				APIVersion: "removed.rollcall.dev/v1", Kind: "Keeper", Name: keeper, UID: uuid.NewUUID(), Controller: &controls,
			}
			pods := keepPods(ctx, c, node, owner, 3)
			budget := guarded(ctx, c, kept(), MinAvailable("1"))
			budget = c.UpdateBudget(ctx, budget, MaxDisrupted("1"))
			learns(ctx, c, pods[0], state.Budget(guard, "it failed", failed), ofNoKind)
			// The Event may come after the status.
			c.Await(ctx, told(budget, "CalculateExpectedPodCountFailed"))
		},
		func(j *spec.Checks) {
			for _, id := range spec.Decides("PDB-018", "PDB-020") {
				j.Decide(id, HoldsAtMark(ofNoKind, state.Budget(guard, "it failed", failed)))
			}
			j.Decide("PDB-020", Reported("CalculateExpectedPodCountFailed about the budget", about(guard, "CalculateExpectedPodCountFailed")))
		}, recorded(), spec.SimulatedNodes{})

	spec.It("computes the status for an integer minAvailable whoever controls the pods, and where nobody does",
		spec.Decides("PDB-019"),
		func(ctx context.Context, c *spec.Case) {
			pods := bare(ctx, c, "bare-0", "bare-1", "bare-2")
			job := c.RunScaled(ctx, history.KindJob, "job", 2)
			c.Require(ctx, "the pods are Ready", LivePodsOf(job, 2, history.IsReady))
			budget := c.CreateBudget(ctx, guard, MinAvailable("3"), Selecting(nil))
			if c.Await(ctx, Computed(budget)) {
				c.Pods.BecomeUnready(ctx, pods[0])
				c.Await(ctx, Computed(budget))
			}
		},
		func(j *spec.Checks) { j.Decide("PDB-019", Keeps("PDB-001")) }, recorded(), spec.SimulatedNodes{})
}

// ofNoKind is where a controller has had time to find that there is no such kind.
const ofNoKind history.Mark = "the kind of the pods' controller is not known"

// tallied holds when the budget's status has these numbers.
func tallied(want history.Tally) Condition {
	text := fmt.Sprintf("%d pods are expected, %d desired, %d healthy, %d may be disrupted", want.Expected, want.Desired, want.Healthy, want.Allowed)
	return state.Budget(guard, text, func(status policyv1.PodDisruptionBudgetStatus) bool { return history.TallyOf(status) == want })
}

// allowed is the status' condition DisruptionAllowed, empty if it has none.
func allowed(status policyv1.PodDisruptionBudgetStatus) metav1.Condition {
	if condition := meta.FindStatusCondition(status.Conditions, policyv1.DisruptionAllowedCondition); condition != nil {
		return *condition
	}
	return metav1.Condition{}
}

func failed(status policyv1.PodDisruptionBudgetStatus) bool {
	return status.DisruptionsAllowed == 0 && allowed(status).Reason == policyv1.SyncFailedReason
}

func recovered(status policyv1.PodDisruptionBudgetStatus) bool { return !failed(status) }

// failedFor is the predicate of a status that failed since that resource has no scale.
func failedFor(resource string) func(policyv1.PodDisruptionBudgetStatus) bool {
	return func(status policyv1.PodDisruptionBudgetStatus) bool {
		message := strings.ToLower(allowed(status).Message)
		return failed(status) && strings.Contains(message, resource) && strings.Contains(message, "scale")
	}
}

// about is an Event with one of the reasons about the budget.
func about(budget string, reasons ...string) func(*corev1.Event) bool {
	return func(event *corev1.Event) bool {
		return event.InvolvedObject.Kind == string(history.KindPodDisruptionBudget) && event.InvolvedObject.Name == budget && slices.Contains(reasons, event.Reason)
	}
}

// told holds once an Event object of one of the reasons about the budget was received.
func told(budget *policyv1.PodDisruptionBudget, reasons ...string) Condition {
	return state.When("an Event about the budget says "+strings.Join(reasons, " or "), func(cluster *history.Cluster) bool {
		return slices.ContainsFunc(cluster.Reports[budget.UID], about(budget.Name, reasons...))
	})
}
