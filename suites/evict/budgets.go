package evict

import (
	"context"
	"fmt"
	"net/http"
	"time"

	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// unguarded are the specs of pods that no budget holds back.
func unguarded() {
	spec.It("is refused for no budget of another namespace, and no budget prevents a plain delete",
		spec.Decides("EVICT-035", "EVICT-036"),
		func(ctx context.Context, c *spec.Case) {
			node := c.AddNodes(ctx, 1)[0]
			elsewhere := c.NewBudget("elsewhere", MinAvailable("9"), Selecting(guarded))
			elsewhere.Namespace = c.Bystanders()
			_, _ = c.TryCreateBudget(ctx, elsewhere)
			free := pods(ctx, c, node, guarded, []string{"free"})[0]
			_ = c.TryEvict(ctx, free)
			kept := map[string]string{"app": "kept"}
			deleted := pods(ctx, c, node, kept, []string{"deleted"})[0]
			guard(ctx, c, "budget", kept, 0, 1, MinAvailable("1"))
			_ = c.TryEvict(ctx, deleted)
			_ = c.TryDeletePod(ctx, deleted, time.Second)
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, BudgetCreated("elsewhere")))
			j.Decide("EVICT-035", Answers("evicting a pod that a budget of another namespace would select", evicted("free"), WithCode(http.StatusCreated)), gone("free"))
			j.Given(Answers("evicting the pod instead", evicted("deleted"), WithCode(http.StatusTooManyRequests)))
			j.Decide("EVICT-036", Answers("a plain delete", Answered(history.DeletePod, "deleted"), WithCode(http.StatusOK)),
				Effected(PodDeleted(Named("deleted")), Answered(history.DeletePod, "deleted")))
		}, budgets, spec.Bystanders{})

	spec.It("rehearses the eviction of a pod that no budget selects, or that waits for its node, and deletes nothing",
		spec.Decides("EVICT-027"),
		func(ctx context.Context, c *spec.Case) {
			node := c.AddNodes(ctx, 1)[0]
			unguarded := append(pods(ctx, c, node, map[string]string{"app": "free"}, []string{"free"}), pods(ctx, c, node, guarded, []string{"waits"}, nowhere)...)
			guard(ctx, c, "budget", guarded, 0, 0, MinAvailable("1"))
			for _, pod := range unguarded {
				_ = c.TryEvict(ctx, pod, dryRun())
				_ = c.TryEvict(ctx, pod, DryRunInQuery())
			}
			c.Await(ctx, Quiet(time.Second))
			c.Mark(rehearsed)
			for _, pod := range unguarded {
				_ = c.TryEvict(ctx, pod)
			}
		},
		func(j *spec.Checks) {
			for _, pod := range []string{"free", "waits"} {
				for n := range 2 {
					j.Decide("EVICT-027", Answers("a dry run that no budget is against", Nth(n+1, dry(pod)), WithCode(http.StatusCreated), WithSuccess()))
				}
				for _, never := range []Event{PodDeleted(Named(pod)), PodDisrupted(Named(pod))} {
					j.Decide("EVICT-027", NeverBetween(First(dry(pod)), Marked(rehearsed), never))
				}
				j.Decide("EVICT-027", Answers("the eviction itself", evicted(pod), WithCode(http.StatusCreated)), gone(pod))
			}
		}, budgets)
}

// refused is where an eviction has been refused.
const refused = "the eviction was refused"

// causedByBudget are the traits of a refusal by a budget.
func causedByBudget(more ...Reply) []Reply {
	return append([]Reply{WithCode(http.StatusTooManyRequests), WithCause(policyv1.DisruptionBudgetCause)}, more...)
}

// refusals are the specs of evictions that a budget refuses.
func refusals() {
	spec.It("should block an eviction until the PDB is updated to allow it",
		spec.Decides("EVICT-010", "EVICT-011", "EVICT-028", "EVICT-027"),
		func(ctx context.Context, c *spec.Case) {
			node := c.AddNodes(ctx, 1)[0]
			pod := pods(ctx, c, node, guarded, []string{"pod", "other"})[0]
			budget := guard(ctx, c, "budget", guarded, 0, 2, MinAvailable("2"))
			if c.TryEvict(ctx, pod) == nil {
				// There is no pod left to ask more of.
				return
			}
			_ = c.TryEvict(ctx, pod, dryRun())
			c.Mark(refused)
			c.Require(ctx, "the budget allows it", Allows(c.UpdateBudget(ctx, budget, MinAvailable("1")), 1))
			_ = c.TryEvict(ctx, pod, dryRun())
			_ = c.TryEvict(ctx, pod, DryRunInQuery())
			c.Await(ctx, Quiet(time.Second))
			c.Mark(rehearsed)
			_ = c.TryEvict(ctx, pod)
		},
		func(j *spec.Checks) {
			first := First(BudgetRespecified("budget"))
			j.Decide("EVICT-010",
				Answers("an eviction that the budget does not allow", First(evicted("pod")), causedByBudget()...),
				Before(first, PodDeleted(Named("pod"))), stays("other"),
				Answers("the eviction once the budget allows it", Nth(2, evicted("pod")), WithCode(http.StatusCreated)), gone("pod"))
			j.Decide("EVICT-011", Answers("an eviction that the budget does not allow", First(evicted("pod")), causedByBudget(WithRetryAfter(0))...))
			j.Decide("EVICT-028", Answers("a dry run that the budget does not allow", First(dry("pod")), causedByBudget()...))
			for _, n := range []int{2, 3} {
				j.Decide("EVICT-027", Answers("a dry run that the budget allows", Nth(n, dry("pod")), WithCode(http.StatusCreated), WithSuccess()))
			}
			for _, never := range []Event{PodDeleted(Named("pod")), PodDisrupted(Named("pod")), BudgetLowered("budget"), BudgetLists("budget", "pod")} {
				j.Decide("EVICT-027", NeverBetween(Marked(refused), Marked(rehearsed), never))
			}
		}, budgets, spec.MainPath{})

	forms := []struct {
		name, text string
		edit       EvictionEdit
		id         requirements.ID
	}{{"v1beta1", "an Eviction of policy/v1beta1", InVersion("policy/v1beta1"), "EVICT-002"}, {"untyped", "an Eviction without a type", Untyped(), "EVICT-003"}}
	spec.It("asks the budget for evictions of policy/v1beta1 and without a type as for those of policy/v1",
		spec.Decides("EVICT-002", "EVICT-003"),
		func(ctx context.Context, c *spec.Case) {
			node := c.AddNodes(ctx, 1)[0]
			for _, form := range forms {
				labels := map[string]string{"app": form.name}
				pod := pods(ctx, c, node, labels, named(form.name, 2))[0]
				budget := guard(ctx, c, form.name, labels, 0, 2, MinAvailable("2"))
				if c.TryEvict(ctx, pod, form.edit) == nil {
					continue
				}
				c.Require(ctx, "the budget allows it", Allows(c.UpdateBudget(ctx, budget, MinAvailable("1")), 1))
				_ = c.TryEvict(ctx, pod, form.edit)
			}
		},
		func(j *spec.Checks) {
			for _, form := range forms {
				pod := named(form.name, 1)[0]
				j.Decide(form.id,
					Answers(form.text+" that the budget does not allow", First(evicted(pod)), causedByBudget()...),
					Before(BudgetRespecified(form.name), PodDeleted(Named(pod))),
					Answers(form.text+" that the budget allows", Nth(2, evicted(pod)), WithCode(http.StatusCreated), WithSuccess()),
					Effected(BudgetBooked(form.name, pod), Nth(2, evicted(pod))), Before(BudgetBooked(form.name, pod), PodDeleted(Named(pod))))
			}
		}, budgets)

	spec.It("refuses the eviction of a pod that several budgets select",
		spec.Decides("EVICT-026"),
		func(ctx context.Context, c *spec.Case) {
			node := c.AddNodes(ctx, 1)[0]
			pod := pods(ctx, c, node, guarded, []string{"pod", "other"})[0]
			for _, name := range []string{"first", "second"} {
				budget := c.CreateBudget(ctx, name, MinAvailable("1"), Selecting(guarded))
				// What a controller makes of several is not what this asks.
				c.Await(ctx, BudgetStatus(budget, "it is computed", func(policyv1.PodDisruptionBudgetStatus) bool { return true }))
			}
			_ = c.TryEvict(ctx, pod)
		},
		func(j *spec.Checks) {
			j.Decide("EVICT-026", Answers("evicting a pod that two budgets select", evicted("pod"), WithCode(http.StatusInternalServerError), WithMessage("more than one PodDisruptionBudget")),
				stays("pod"), Never(PodDisrupted(Named("pod"))))
		}, budgets)
}

// rehearsed is where the dry runs are over.
const rehearsed = "the dry runs are over"

func dryRun() EvictionEdit {
	return WithDeleteOptions("dry run", metav1.DeleteOptions{DryRun: []string{metav1.DryRunAll}})
}

// bookkeeping are the specs of what an accepted eviction does to the budget.
func bookkeeping() {
	spec.It("counts an eviction against the budget before it deletes the pod",
		spec.Decides("EVICT-014", "EVICT-031"),
		func(ctx context.Context, c *spec.Case) {
			node := c.AddNodes(ctx, 1)[0]
			all := pods(ctx, c, node, guarded, named("pod", 4))
			guard(ctx, c, "budget", guarded, 2, 4, MinAvailable("2"))
			for _, pod := range all[:3] {
				_ = c.TryEvict(ctx, pod)
			}
		},
		func(j *spec.Checks) {
			names := named("pod", 4)
			for _, pod := range names[:2] {
				j.Decide("EVICT-014",
					Answers("evicting "+pod, evicted(pod), WithCode(http.StatusCreated)),
					Effected(BudgetBooked("budget", pod), evicted(pod)), Before(BudgetBooked("budget", pod), PodDeleted(Named(pod))))
				j.Decide("EVICT-031", Before(PodDisrupted(Named(pod)), PodDeleted(Named(pod))))
			}
			j.Decide("EVICT-014", Answers("evicting a third pod", evicted(names[2]), causedByBudget()...), stays(names[2]), Never(BudgetLists("budget", names[2])))
			j.Decide("EVICT-031", Never(PodDisrupted(Named(names[2]))))
		}, budgets, spec.MainPath{})
}

// finished are the specs of pods that no longer run, or not yet.
func finished() {
	// Under a budget that allows nothing it shows that such pods are evicted, under one that does that nothing is taken off it.
	limits := []struct {
		name            string
		available       string
		allows, healthy int32
	}{{"tight", "1", 0, 1}, {"ample", "0", 1, 1}}
	spec.It("evicts pods that are finished, Pending or terminating whatever the budget, and takes nothing off it",
		spec.Decides("EVICT-017", "EVICT-018", "EVICT-019"),
		func(ctx context.Context, c *spec.Case) {
			node := c.AddNodes(ctx, 1)[0]
			for _, of := range limits {
				labels := map[string]string{"app": of.name}
				running := pods(ctx, c, node, labels, []string{of.name + "-ready", of.name + "-failed", of.name + "-succeeded", of.name + "-terminating"})
				pending := pods(ctx, c, node, labels, []string{of.name + "-pending"}, nowhere)[0]
				c.Pods.Fail(ctx, running[1])
				c.Pods.Succeed(ctx, running[2])
				c.Pods.HoldTermination(ctx, running[3])
				c.DeletePod(ctx, running[3], time.Minute)
				guard(ctx, c, of.name, labels, of.allows, of.healthy, MinAvailable(of.available))
				for _, pod := range append(running[1:], pending) {
					_ = c.TryEvict(ctx, pod)
				}
			}
		},
		func(j *spec.Checks) {
			for _, of := range limits {
				for _, pod := range []struct {
					id    requirements.ID
					phase string
				}{{"EVICT-017", "failed"}, {"EVICT-017", "succeeded"}, {"EVICT-018", "pending"}, {"EVICT-019", "terminating"}} {
					name := of.name + "-" + pod.phase
					j.Decide(pod.id,
						Answers(fmt.Sprintf("evicting a %s pod under a budget that allows %d", pod.phase, of.allows), evicted(name), WithCode(http.StatusCreated), WithSuccess()),
						gone(name), Never(BudgetLowered(of.name)), Never(BudgetLists(of.name, name)))
				}
			}
		}, budgets, spec.SimulatedNodes{})

	spec.It("evicts pods that are finished, Pending or terminating also where several budgets select them",
		spec.Decides("EVICT-017", "EVICT-018", "EVICT-019"),
		func(ctx context.Context, c *spec.Case) {
			node := c.AddNodes(ctx, 1)[0]
			for _, name := range []string{"first", "second"} {
				c.CreateBudget(ctx, name, MinAvailable("1"), Selecting(guarded))
			}
			all := pods(ctx, c, node, guarded, []string{"failed", "succeeded", "terminating"})
			pending := pods(ctx, c, node, guarded, []string{"pending"}, nowhere)[0]
			c.Pods.Fail(ctx, all[0])
			c.Pods.Succeed(ctx, all[1])
			c.Pods.HoldTermination(ctx, all[2])
			c.DeletePod(ctx, all[2], time.Minute)
			for _, pod := range append(all, pending) {
				_ = c.TryEvict(ctx, pod)
			}
		},
		func(j *spec.Checks) {
			for _, pod := range []struct {
				id    requirements.ID
				phase string
			}{{"EVICT-017", "failed"}, {"EVICT-017", "succeeded"}, {"EVICT-018", "pending"}, {"EVICT-019", "terminating"}} {
				j.Decide(pod.id, Answers("evicting a "+pod.phase+" pod that two budgets select", evicted(pod.phase), WithCode(http.StatusCreated), WithSuccess()), gone(pod.phase))
			}
		}, budgets, spec.SimulatedNodes{})
}
