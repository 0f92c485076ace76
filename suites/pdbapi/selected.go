package pdbapi

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// selected are the specs of which pods a selector means, for the status and for evictions.
func selected() {
	spec.It("selects all pods of its namespace by an empty selector",
		spec.Decides("PDBAPI-009"),
		func(ctx context.Context, c *spec.Case) {
			pods := runPods(ctx, c, map[string]map[string]string{"labelled": {"app": "a"}, "other": {"app": "b"}, "unlabelled": nil})
			budget := c.CreateBudget(ctx, "budget", MinAvailable("3"), selector("{}", &metav1.LabelSelector{}))
			c.Await(ctx, BudgetStatus(budget, "it counts 3 pods", func(status policyv1.PodDisruptionBudgetStatus) bool { return status.ExpectedPods == 3 }))
			for _, pod := range pods {
				_ = c.TryEvict(ctx, pod)
			}
			// What the controller does about the budget is over: nothing but this pod has it look again.
			c.Await(ctx, Quiet(judge.Lag))
			c.MakePod(ctx, "late", pods[0].Spec.NodeName, nil)
			c.Await(ctx, BudgetStatus(budget, "it counts 4 pods", func(status policyv1.PodDisruptionBudgetStatus) bool { return status.ExpectedPods == 4 }))
		},
		func(j *spec.Checks) {
			j.Decide("PDBAPI-009", Within(inTime, BudgetCreated("budget"), counts("budget", 3)), Within(inTime, PodCreated(Named("late")), counts("budget", 4)))
			for _, name := range []string{"labelled", "other", "unlabelled"} {
				j.Decide("PDBAPI-009",
					Answers("evicting pod "+name, Answered(history.EvictPod, name), WithCode(http.StatusTooManyRequests)), Never(PodDeleted(Named(name))))
			}
		}, budgets)

	spec.It("selects no pod without a selector",
		spec.Decides("PDBAPI-010"),
		func(ctx context.Context, c *spec.Case) {
			pods := runPods(ctx, c, map[string]map[string]string{"labelled": {"app": "a"}, "unlabelled": nil})
			budget := c.CreateBudget(ctx, "absent", MinAvailable("1"), selector("absent", nil))
			// What it counts is what this asks.
			c.Require(ctx, "the budget is computed", BudgetStatus(budget, "it is computed", func(policyv1.PodDisruptionBudgetStatus) bool { return true }))
			for _, pod := range pods {
				_ = c.TryEvict(ctx, pod)
			}
		},
		func(j *spec.Checks) {
			j.Decide("PDBAPI-010", Never(BudgetChanged("absent", "counts pods", func(_, after *policyv1.PodDisruptionBudget) bool { return after.Status.ExpectedPods > 0 })))
			for _, name := range []string{"labelled", "unlabelled"} {
				j.Decide("PDBAPI-010",
					Answers("evicting pod "+name, Answered(history.EvictPod, name), WithCode(http.StatusCreated)),
					Effected(PodDeleted(Named(name)), Answered(history.EvictPod, name)))
			}
		}, budgets)
}

// inTime is how long a status may take to follow a change.
const inTime = judge.Lag + judge.Prompt

// counts happens when the status of the budget comes to expect that many pods.
func counts(name string, pods int32) Event {
	return BudgetChanged(name, fmt.Sprintf("counts %d pods", pods), func(before, after *policyv1.PodDisruptionBudget) bool {
		return after.Status.ExpectedPods == pods && before.Status.ExpectedPods != pods
	})
}

// runPods makes a pod of each name with these labels, and returns them in the order of their names when all are
// Ready.
func runPods(ctx context.Context, c *spec.Case, named map[string]map[string]string) []*corev1.Pod {
	node := c.AddNodes(ctx, 1)[0]
	pods := make([]*corev1.Pod, 0, len(named))
	for _, name := range slices.Sorted(maps.Keys(named)) {
		pods = append(pods, c.MakePod(ctx, name, node, named[name]))
	}
	c.Require(ctx, "all pods are Ready", ReadyPods(len(pods)))
	return pods
}
