package pdbapi

import (
	"context"
	"fmt"
	"net/http"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// changes are the specs of a spec that is changed, and of what follows it.
func changes() {
	// Each change is followed by an eviction of the pod named, which the new values allow or not.
	steps := []struct {
		edit    BudgetEdit
		allowed int32
		pod     string
		code    int
	}{
		{MinAvailable("3"), 1, "a", http.StatusCreated},
		{MinAvailable("4"), 0, "b", http.StatusTooManyRequests},
		{MinAvailable("1"), 2, "", 0},
		{MinAvailable("3"), 0, "b", http.StatusTooManyRequests},
		{Selecting(other), 0, "b", http.StatusCreated},
	}
	spec.It("follows changes of minAvailable and of the selector, in the status and for evictions",
		spec.Decides("PDBAPI-003"),
		func(ctx context.Context, c *spec.Case) {
			labels := map[string]map[string]string{"other": other}
			for _, name := range []string{"a", "b", "c", "d"} {
				labels[name] = selectedLabels
			}
			pods := map[string]*corev1.Pod{}
			for _, pod := range runPods(ctx, c, labels) {
				pods[pod.Name] = pod
			}
			budget := c.CreateBudget(ctx, "budget", MinAvailable("4"), Selecting(selectedLabels))
			c.Require(ctx, "the budget counts the pods", Allows(budget, 0))
			for _, step := range steps {
				c.Await(ctx, Allows(c.UpdateBudget(ctx, budget, step.edit), step.allowed))
				if step.pod != "" {
					_ = c.TryEvict(ctx, pods[step.pod])
				}
			}
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, BudgetCreated("budget")))
			evictions := map[string]int{}
			for i, step := range steps {
				j.Decide("PDBAPI-003",
					StoredAfter("a change to "+step.edit.Says+" raises the generation", before(i), Nth(i+1, updated("budget")), generationGrows),
					Within(inTime, Nth(i+1, BudgetRespecified("budget")), BudgetAllows("budget", step.allowed)))
				if step.pod != "" {
					evictions[step.pod]++
					j.Decide("PDBAPI-003", Answers(fmt.Sprintf("evicting pod %s under %s", step.pod, step.edit.Says),
						Nth(evictions[step.pod], Answered(history.EvictPod, step.pod)), WithCode(step.code)))
				}
			}
		}, budgets, spec.MainPath{})

	spec.It("evicts by a limit that is given back, where nothing else has changed in between",
		spec.Decides("PDBAPI-003"),
		func(ctx context.Context, c *spec.Case) {
			pods := runPods(ctx, c, map[string]map[string]string{"a": selectedLabels, "b": selectedLabels})
			budget := c.CreateBudget(ctx, "budget", MinAvailable("1"), Selecting(selectedLabels))
			c.Require(ctx, "the budget counts the pods", Computed(budget))
			// What the controller does about its own write is over.
			c.Await(ctx, Quiet(judge.Lag))
			c.Await(ctx, Computed(c.UpdateBudget(ctx, budget, MinAvailable("2"))))
			c.Await(ctx, Computed(c.UpdateBudget(ctx, budget, MinAvailable("1"))))
			_ = c.TryEvict(ctx, pods[0])
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(2, Done(history.UpdateBudget)))
			j.Decide("PDBAPI-003",
				Within(inTime, First(BudgetRespecified("budget")), BudgetAllows("budget", 0)),
				Within(inTime, Nth(2, BudgetRespecified("budget")), BudgetAllows("budget", 1)),
				Answers("evicting a pod under the limit of before", EvictionAnswered(""), WithCode(http.StatusCreated)))
		}, budgets)

	spec.It("follows changes of maxUnavailable",
		spec.Decides("PDBAPI-003"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 1)
			workload := c.RunScaled(ctx, history.KindReplicaSet, "web", 3)
			c.Require(ctx, "all pods are Ready", LivePodsOf(workload, 3, history.IsReady))
			budget := c.CreateBudget(ctx, "budget", MaxDisrupted("0"), Selecting(workload.Labels()))
			c.Require(ctx, "the budget counts the pods", BudgetStatus(budget, "it counts them", func(status policyv1.PodDisruptionBudgetStatus) bool {
				return status.CurrentHealthy == 3
			}))
			c.Await(ctx, Allows(c.UpdateBudget(ctx, budget, MaxDisrupted("2")), 2))
			c.Await(ctx, Allows(c.UpdateBudget(ctx, budget, MaxDisrupted("10%")), 1))
			c.Await(ctx, Allows(c.UpdateBudget(ctx, budget, MinAvailable("3")), 0))
		},
		func(j *spec.Checks) {
			for i, disruptions := range []int32{2, 1, 0} {
				j.Decide("PDBAPI-003",
					StoredAfter(fmt.Sprintf("change no. %d raises the generation", i+1), before(i), Nth(i+1, updated("budget")), generationGrows),
					Within(inTime, Nth(i+1, BudgetRespecified("budget")), BudgetAllows("budget", disruptions)))
			}
		}, budgets)

	// None allows a disruption with three pods of six, and each would with three of three.
	ofScale := []BudgetEdit{MinAvailable("50%"), MaxDisrupted("1"), MaxDisrupted("50%")}
	spec.It("takes the scale, and not the pods that there are, for a limit that needs one and comes in the place of one that does not",
		spec.Decides("PDBAPI-003"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 1)
			workload := c.RunScaled(ctx, history.KindReplicaSet, "web", 3)
			c.Require(ctx, "all pods are Ready", LivePodsOf(workload, 3, history.IsReady))
			budget := c.CreateBudget(ctx, "budget", MinAvailable("1"), Selecting(workload.Labels()))
			c.Require(ctx, "the budget counts the pods", Allows(budget, 2))
			c.RefusePods(ctx, ByQuota)
			c.Scale(ctx, workload, 6)
			// By then everybody knows how many it asks for.
			c.Await(ctx, Past(time.Now().Add(judge.Lag)))
			for _, limit := range ofScale {
				c.Await(ctx, Allows(c.UpdateBudget(ctx, budget, limit), 0))
				c.Await(ctx, Allows(c.UpdateBudget(ctx, budget, MinAvailable("1")), 2))
			}
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, Done(history.RefusePods)))
			for i := range ofScale {
				for n, disruptions := range []int32{0, 2} {
					j.Decide("PDBAPI-003", Within(inTime, Nth(2*i+n+1, BudgetRespecified("budget")), BudgetAllows("budget", disruptions)))
				}
			}
		}, budgets, spec.SimulatedNodes{})
}

// selectedLabels are those of pods that the budget selects first, other those that it selects later.
var selectedLabels, other = map[string]string{"app": "web"}, map[string]string{"app": "other"}

// before is the answer to the write of the budget before its i-th update, counted from 0.
func before(i int) Event {
	if i == 0 {
		return created("budget")
	}
	return Nth(i, updated("budget"))
}

func generationGrows(before, after *policyv1.PodDisruptionBudget) string {
	if after.Generation > before.Generation {
		return ""
	}
	return fmt.Sprintf("%d after %d", after.Generation, before.Generation)
}

// neither are the specs of a budget without a limit.
func neither() {
	spec.It("allows no disruption of healthy pods without a limit",
		spec.Decides("PDBAPI-015"),
		func(ctx context.Context, c *spec.Case) {
			pods := runPods(ctx, c, map[string]map[string]string{"a": selectedLabels, "b": selectedLabels})
			budget := create(ctx, c, "budget", Selecting(selectedLabels))
			c.Await(ctx, Allows(budget, 0))
			_ = c.TryEvict(ctx, pods[0])
			_ = c.TryEvict(ctx, pods[1])
		},
		func(j *spec.Checks) {
			j.Decide("PDBAPI-015",
				Accepted("a budget without a limit", created("budget")),
				Within(inTime, BudgetCreated("budget"), BudgetAllows("budget", 0)),
				Never(BudgetChanged("budget", "allows or wants any", func(_, after *policyv1.PodDisruptionBudget) bool {
					return after.Status.DisruptionsAllowed != 0 || after.Status.DesiredHealthy != 0 || after.Status.ExpectedPods != 0
				})))
			for _, pod := range []string{"a", "b"} {
				j.Decide("PDBAPI-015", Answers("evicting healthy pod "+pod, Answered(history.EvictPod, pod), WithCode(http.StatusTooManyRequests)), Never(PodDeleted(Named(pod))))
			}
		}, budgets)

	gone := BudgetChanged("budget", "has a status that expects, wants and allows nothing", func(_, after *policyv1.PodDisruptionBudget) bool { return hasNothing(after.Status) })
	spec.It("keeps nothing of a limit that is taken away",
		spec.Decides("PDBAPI-003", "PDBAPI-015"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 1)
			workload := c.RunScaled(ctx, history.KindReplicaSet, "web", 3)
			c.Require(ctx, "all pods are Ready", LivePodsOf(workload, 3, history.IsReady))
			pods := c.PodsOf(ctx, workload)
			c.Bind(limited, pods[0].Name, pods[1].Name)
			budget := c.CreateBudget(ctx, "budget", MinAvailable("1"), Selecting(workload.Labels()))
			c.Require(ctx, "disruptions are allowed", Allows(budget, 2))
			for i, pod := range pods[:2] {
				if i > 0 {
					c.Await(ctx, Allows(c.UpdateBudget(ctx, budget, MaxDisrupted("2")), 2))
				}
				c.Await(ctx, BudgetStatus(c.UpdateBudget(ctx, budget, unlimited), "it expects, wants and allows nothing", hasNothing))
				_ = c.TryEvict(ctx, pod)
			}
		},
		func(j *spec.Checks) {
			for i, pod := range j.BoundAll(limited) {
				// The second time a limit comes before it goes.
				respecified := Nth(2*i+1, BudgetRespecified("budget"))
				for _, id := range spec.Decides("PDBAPI-003", "PDBAPI-015") {
					j.Decide(id, Within(inTime, respecified, gone),
						Answers("evicting healthy pod "+pod, Answered(history.EvictPod, pod), WithCode(http.StatusTooManyRequests)), Never(PodDeleted(Named(pod))))
				}
			}
		}, budgets)
}

// limited are the pods that the budget guards without a limit, in turn.
const limited = "the pods that are evicted while the budget has no limit"

// unlimited takes every limit away.
var unlimited = set("no limit", func(budget *policyv1.PodDisruptionBudget) {
	budget.Spec.MinAvailable, budget.Spec.MaxUnavailable = nil, nil
})

// hasNothing is the predicate of a status by which no pod is expected, wanted or may go.
func hasNothing(status policyv1.PodDisruptionBudgetStatus) bool {
	return status.DisruptionsAllowed == 0 && status.DesiredHealthy == 0 && status.ExpectedPods == 0
}
