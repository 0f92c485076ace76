package evict

import (
	"context"
	"fmt"
	"net/http"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// situation is a budget over some Ready pods and one that runs without being Ready.
type situation struct {
	name string
	// ready is how many pods are Ready, available how many the budget wants.
	ready, available int32
	// policy of the budget; empty for none.
	policy string
	// evicts: the pod that is not Ready may be evicted.
	evicts bool
}

func situations() []situation {
	return []situation{
		{"spare", 2, 1, "", true},
		{"just", 1, 1, "", true},
		{"short", 1, 2, "", false},
		{"unwanted", 0, 0, "", false},
		{"named-just", 1, 1, "IfHealthyBudget", true},
		{"named-short", 1, 2, "IfHealthyBudget", false},
		{"always-just", 1, 1, "AlwaysAllow", true},
		{"always-short", 1, 2, "AlwaysAllow", true},
	}
}

func (s situation) labels() map[string]string { return map[string]string{"app": s.name} }

// allows is what the budget's status says.
func (s situation) allows() int32 { return max(0, s.ready-s.available) }

// unready are the specs of pods that run without being Ready.
func unready() {
	spec.It("evicts a pod that is not Ready if its budget is met, or its policy is AlwaysAllow, and takes nothing off the budget",
		spec.Decides("EVICT-020", "EVICT-022", "PDBAPI-014"),
		func(ctx context.Context, c *spec.Case) {
			node := c.AddNodes(ctx, 1)[0]
			for _, s := range situations() {
				broken := pods(ctx, c, node, s.labels(), []string{s.name + "-unready"}, neverReady)[0]
				ready := pods(ctx, c, node, s.labels(), named(s.name+"-ready", int(s.ready)))
				edits := []BudgetEdit{MinAvailable(fmt.Sprint(s.available))}
				if s.policy != "" {
					edits = append(edits, Policy(s.policy))
				}
				guard(ctx, c, s.name, s.labels(), s.allows(), s.ready, edits...)
				_ = c.TryEvict(ctx, broken)
				if s.ready > 0 && s.allows() == 0 {
					_ = c.TryEvict(ctx, ready[0])
				}
			}
		},
		func(j *spec.Checks) {
			for _, s := range situations() {
				pod, healthy := s.name+"-unready", named(s.name+"-ready", 1)[0]
				what := fmt.Sprintf("evicting a pod that is not Ready, with %d healthy of %d wanted and the policy %q,", s.ready, s.available, s.policy)
				asked := []Matcher{Answers(what, evicted(pod), WithCode(http.StatusCreated)), gone(pod), Never(BudgetLowered(s.name)), Never(BudgetLists(s.name, pod))}
				if !s.evicts {
					asked = []Matcher{Answers(what, evicted(pod), causedByBudget()...), stays(pod)}
				}
				id := spec.Decides("EVICT-020")
				switch s.policy {
				case "IfHealthyBudget":
					// What this policy does, the budgets without one do.
					id = spec.Decides("PDBAPI-014")
				case "AlwaysAllow":
					id = spec.Decides("EVICT-022")
					asked = append(asked, Answers("evicting a Ready pod under AlwaysAllow", evicted(healthy), causedByBudget()...), stays(healthy))
				default:
					id = append(id, "PDBAPI-014")
				}
				for _, id := range id {
					j.Decide(id, asked...)
				}
			}
		}, budgets)

	crashing := named("crashing", 10)
	spec.It("evicts none of ten crash-looping pods while the budget wants one available",
		spec.Decides("EVICT-021"),
		func(ctx context.Context, c *spec.Case) {
			node := c.AddNodes(ctx, 1)[0]
			all := pods(ctx, c, node, guarded, crashing, neverReady)
			guard(ctx, c, "budget", guarded, 0, 0, MinAvailable("1"))
			for _, pod := range all {
				_ = c.TryEvict(ctx, pod)
			}
		},
		func(j *spec.Checks) {
			for _, pod := range crashing {
				j.Decide("EVICT-021", Answers("evicting crash-looping pod "+pod, evicted(pod), causedByBudget()...), stays(pod))
			}
		}, budgets)
}

// uncountable makes a budget over two pods, one of which is not Ready, that has been computed and cannot be any more. It returns that and the pod.
func uncountable(ctx context.Context, c *spec.Case) (*policyv1.PodDisruptionBudget, *corev1.Pod) {
	node := c.AddNodes(ctx, 1)[0]
	workload := c.RunScaled(ctx, history.KindReplicaSet, "web", 2)
	c.Require(ctx, "the pods are Ready", LivePodsOf(workload, 2, history.IsReady))
	unready := c.PodsOf(ctx, workload)[0]
	c.Pods.BecomeUnready(ctx, unready)
	budget := guard(ctx, c, "budget", workload.Labels(), 0, 1, MaxDisrupted("1"))
	// The controller of this pod is a node, which has no scale.
	c.MakeStaticPod(ctx, node, workload.Labels())
	c.Require(ctx, "the computation of the budget fails", syncFailed("budget"))
	return budget, unready
}

// failing is the spec of a budget that can no longer be computed.
func failing() {
	spec.It("evicts no pod that is not Ready by the counters of a budget whose computation has failed since",
		spec.Decides("EVICT-025"),
		func(ctx context.Context, c *spec.Case) {
			_, unready := uncountable(ctx, c)
			c.Mark(failed)
			_ = c.TryEvict(ctx, unready)
			c.Bind("unready", unready.Name)
		},
		func(j *spec.Checks) {
			pod := j.Bound("unready")
			j.Decide("EVICT-025", Answers("evicting a pod that is not Ready while the budget cannot be computed", evicted(pod), causedByBudget()...), stays(pod))
		}, budgets, spec.SimulatedNodes{})
}

// leftBehind is the spec of a failure that another controller, or a process before, has reported without its counters: those of before have stayed.
func leftBehind() {
	spec.It("evicts no pod that is not Ready by counters that it finds in the status of a budget whose computation had failed before the controller came",
		spec.Decides("EVICT-025"),
		func(ctx context.Context, c *spec.Case) {
			budget, unready := uncountable(ctx, c)
			c.Kill(ctx)
			c.WriteBudgetStatus(ctx, budget, counting(1, 1, 2))
			c.Restart(ctx)
			// By then it has said that it cannot compute the budget.
			c.Await(ctx, Quiet(spec.AtOnce))
			_ = c.TryEvict(ctx, unready)
			c.Bind("unready", unready.Name)
		},
		func(j *spec.Checks) {
			pod := j.Bound("unready")
			j.Given(Before(Began(history.RestartImplementation), EvictionAnswered(pod)))
			j.Decide("EVICT-025", Answers("evicting a pod that is not Ready while the budget cannot be computed", evicted(pod), causedByBudget()...), stays(pod))
		}, budgets, spec.Alone{}, spec.SimulatedNodes{})
}

// counting writes counters into a status, and changes nothing else there.
func counting(healthy, desired, expected int32) BudgetEdit {
	return BudgetEdit{Says: fmt.Sprintf("%d healthy pods of %d, %d desired", healthy, expected, desired), Apply: func(budget *policyv1.PodDisruptionBudget) {
		budget.Status.CurrentHealthy, budget.Status.DesiredHealthy, budget.Status.ExpectedPods = healthy, desired, expected
	}}
}

// failed is where the computation of the budget has failed.
const failed history.Mark = "the budget cannot be computed"

// syncFailed holds when the budget's status says that it could not be computed.
func syncFailed(name string) Condition {
	return state.When("PodDisruptionBudget "+name+" has the condition SyncFailed", func(cluster *history.Cluster) bool {
		for _, budget := range cluster.Budgets() {
			if condition := meta.FindStatusCondition(budget.Status.Conditions, policyv1.DisruptionAllowedCondition); budget.Name == name && condition != nil {
				return condition.Reason == policyv1.SyncFailedReason
			}
		}
		return false
	})
}
