package evict

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// What a crowd consists of: so many groups of pods, each under a budget of its own, in so many rounds.
const (
	groups = 3
	size   = 4
	rounds = 3
)

// crowd are groups of pods that are evicted at the same time, all of them.
type crowd struct {
	node string
	// allow is what each group's budget allows.
	allow   []int32
	live    [][]*corev1.Pod
	budgets []*policyv1.PodDisruptionBudget
	made    int
}

// group is what the names of a group's pods begin with.
func group(i int) string { return fmt.Sprintf("group-%d-", i) }

// gather makes the groups and their budgets. How many disruptions each allows is a matter of the run's seed.
func gather(ctx context.Context, c *spec.Case) *crowd {
	random := rand.New(rand.NewPCG(uint64(c.Seed()), 0))
	all := &crowd{node: c.AddNodes(ctx, 1)[0], allow: make([]int32, groups), live: make([][]*corev1.Pod, groups), budgets: make([]*policyv1.PodDisruptionBudget, groups)}
	bound := make([]string, groups)
	for i := range all.allow {
		all.allow[i] = 1 + random.Int32N(size-2)
		bound[i] = strconv.Itoa(int(all.allow[i]))
		all.fill(ctx, c, i)
		all.budgets[i] = guard(ctx, c, fmt.Sprintf("budget-%d", i), all.labels(i), all.allow[i], size, MinAvailable(strconv.Itoa(int(size-all.allow[i]))))
	}
	c.Bind("allowed", bound...)
	return all
}

func (all *crowd) labels(i int) map[string]string { return map[string]string{"group": strconv.Itoa(i)} }

// fill makes pods until the group has its size.
func (all *crowd) fill(ctx context.Context, c *spec.Case, i int) {
	var names []string
	for n := len(all.live[i]); n < size; n++ {
		all.made++
		names = append(names, fmt.Sprintf("%s%d", group(i), all.made))
	}
	all.live[i] = append(all.live[i], pods(ctx, c, all.node, all.labels(i), names)...)
}

// evict asks for the eviction of every pod at once, twice: what was refused the first time still is. Then it knows which are left.
func (all *crowd) evict(ctx context.Context, c *spec.Case, round string) {
	for _, mark := range []history.Mark{first(round), again(round)} {
		c.Mark(mark)
		refused := c.EvictAtOnce(ctx, slices.Concat(all.live...))
		for i := range all.live {
			all.live[i] = slices.DeleteFunc(all.live[i], func(pod *corev1.Pod) bool { return !slices.Contains(refused, pod) })
		}
	}
	c.Mark(over(round))
}

// replace makes pods in the place of those that were evicted, and waits until the budgets count them.
func (all *crowd) replace(ctx context.Context, c *spec.Case) {
	for i := range all.live {
		all.fill(ctx, c, i)
	}
	for i, budget := range all.budgets {
		c.Require(ctx, "the replacements are counted", BudgetStatus(budget, "all pods are healthy", func(status policyv1.PodDisruptionBudgetStatus) bool {
			return status.CurrentHealthy == size && status.DisruptionsAllowed == all.allow[i]
		}))
	}
}

// The marks of a round: where all pods are evicted, where those left are, and where that is over.
func first(round string) history.Mark { return history.Mark(round + ": all at once") }
func again(round string) history.Mark { return history.Mark(round + ": those left at once") }
func over(round string) history.Mark  { return history.Mark(round + ": over") }

func round(n int) string { return fmt.Sprintf("round %d", n) }

// decideRound asks that as many evictions as each budget allows succeed, and none after that.
func decideRound(j *spec.Checks, round string) {
	for i, allowed := range j.BoundAll("allowed") {
		// A list of what is asked, without a recording, has no number.
		n, _ := strconv.Atoi(allowed)
		evictions := EvictionAnswered(group(i))
		j.Decide("EVICT-015",
			ExactlyAccepted(n, Between(evictions, Marked(first(round)), Marked(again(round)))),
			ExactlyAccepted(0, Between(evictions, Marked(again(round)), Marked(over(round)))))
	}
}

// decideTotal asks that no more pods were deleted than the rounds allow.
func decideTotal(j *spec.Checks, rounds int) {
	for i, allowed := range j.BoundAll("allowed") {
		n, _ := strconv.Atoi(allowed)
		j.Decide("EVICT-015", AtMost(n*rounds, PodDeleted(NamedLike(group(i)))))
	}
}

// concurrent is the spec of evictions at the same time.
func concurrent() {
	spec.It("lets exactly as many evictions at the same time succeed as the budget allows, until replacements are healthy",
		spec.Decides("EVICT-015"),
		func(ctx context.Context, c *spec.Case) {
			all := gather(ctx, c)
			for n := range rounds {
				if n > 0 {
					all.replace(ctx, c)
				}
				all.evict(ctx, c, round(n))
			}
		},
		func(j *spec.Checks) {
			for n := range rounds {
				decideRound(j, round(n))
			}
			decideTotal(j, rounds)
		}, budgets, spec.SimulatedNodes{})
}

// restarted is the spec of evictions at the same time while the controller is down.
func restarted() {
	const down, back, replaced = "while the controller is down", "once it is back", "with replacements"
	spec.It("lets no more evictions succeed than the budget allows while the controller is down, and when it is back",
		spec.Decides("EVICT-015"),
		func(ctx context.Context, c *spec.Case) {
			all := gather(ctx, c)
			c.Kill(ctx)
			all.evict(ctx, c, down)
			c.Restart(ctx)
			c.Await(ctx, Quiet(quiet))
			c.Mark(first(back))
			c.EvictAtOnce(ctx, slices.Concat(all.live...))
			c.Mark(over(back))
			all.replace(ctx, c)
			all.evict(ctx, c, replaced)
		},
		func(j *spec.Checks) {
			decideRound(j, down)
			for i := range j.BoundAll("allowed") {
				j.Decide("EVICT-015", ExactlyAccepted(0, Between(EvictionAnswered(group(i)), Marked(first(back)), Marked(over(back)))))
			}
			decideRound(j, replaced)
			decideTotal(j, 2)
		}, budgets, spec.Alone{}, spec.SimulatedNodes{})
}
