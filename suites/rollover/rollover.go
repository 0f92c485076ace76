// Package rollover has the specs of rollouts that are overtaken by another change of the template.
package rollover

import (
	"context"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// third is where a third template comes.
const third history.Mark = "the template changes again"

// Specs registers the family.
func Specs() {
	for _, strategy := range rollouts.Strategies() {
		newest(strategy)
		last(strategy)
	}
	again()
	stalled()
	waiting()
	young()
	handedOver()
	repair()
	refused()
	meanwhile()
	slow()
}

// overtaken is how many nodes the scenario takes whose rollout is overtaken half way.
var overtaken = NodeCount{Least: 3, Likes: 6}

// newest is the spec of a change that comes while the change before it is rolled out.
func newest(strategy rollouts.Strategy) {
	spec.It("rolls the newest template out when it overtakes another half way, and makes no more pods of that, with "+strategy.With,
		spec.Decides("ROLLOVER-001"),
		func(ctx context.Context, c *spec.Case) {
			nodes := len(c.TakeNodes(ctx, overtaken))
			updated := c.Update(ctx, c.Deploy(ctx, strategy.Limit("1")), Image("v2"), ReadyAfter(time.Second))
			c.Require(ctx, "a third of the nodes have an updated pod", UpdatedOn(nodes/3, updated))
			c.Mark(third)
			c.Await(ctx, RolledOut(c.Update(ctx, updated, Image("v3"), Healthy())))
		},
		func(j *spec.Checks) {
			// On some nodes at least nothing had happened until then.
			j.Given(NeverBetween(TemplateChanged(), Marked(third), Nth(j.Nodes(overtaken)-1, PodCreated(OfVersion("v2")))))
			j.Decide("ROLLOVER-001", EndsRolledOut())
		}, spec.MainPath{})
}

// many is how many nodes are surged on at once: a controller that makes one pod after another is at it for more than a second.
const many = 12

// meanwhile is the spec of a change that comes while the pods of the change before it are being created.
func meanwhile() {
	spec.It("makes no more pods of a template that is overtaken while its pods are being created on all nodes at once",
		spec.Decides("ROLLOVER-001"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, many)
			updated := c.Update(ctx, c.Deploy(ctx, MaxSurge("100%")), Image("v2"), NeverReady())
			c.Require(ctx, "a node has an updated pod", UpdatedOn(1, updated))
			c.Mark(third)
			c.AwaitAfter(ctx, many*time.Second, RolledOut(c.Update(ctx, updated, Image("v3"), Healthy())))
		},
		func(j *spec.Checks) {
			j.Decide("ROLLOVER-001", EndsRolledOut(), Never(WellAfter(PodCreated(OfVersion("v2")), Nth(2, Done(history.UpdateDaemonSet)))))
		}, spec.SimulatedNodes{})
}

// last is the spec of several changes at once.
func last(strategy rollouts.Strategy) {
	spec.It("ends with the last of several templates in quick succession, with "+strategy.With,
		spec.Decides("ROLLOVER-005"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 3)
			daemonSet := c.Deploy(ctx, strategy.Limit("1"))
			for _, version := range []string{"v2", "v3", "v1", "v2", "v4"} {
				daemonSet = c.Update(ctx, daemonSet, Image(version))
			}
			c.Await(ctx, RolledOut(daemonSet))
			c.Await(ctx, Quiet(2*time.Second))
		},
		func(j *spec.Checks) { j.Decide("ROLLOVER-005", EndsRolledOut()) })
}

// again is the spec of a template that is overtaken, and comes back before it was ever rolled out.
func again() {
	const nodes = 4
	spec.It("ends with a template that comes back after another one overtook it half way",
		spec.Decides("ROLLOVER-005"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, nodes)
			second := c.Update(ctx, c.Deploy(ctx, MaxUnavailable("1")), Image("v2"), ReadyAfter(time.Second))
			c.Require(ctx, "a node has a pod of the second template", UpdatedOn(1, second))
			c.Mark(third)
			overtaking := c.Update(ctx, second, Image("v3"))
			c.Require(ctx, "a node has a pod of the third template", UpdatedOn(1, overtaking))
			c.Await(ctx, RolledOut(c.Update(ctx, overtaking, Image("v2"))))
			c.Await(ctx, Quiet(2*time.Second))
		},
		func(j *spec.Checks) {
			j.Given(NeverBetween(TemplateChanged(), Marked(third), Nth(nodes, PodCreated(OfVersion("v2")))))
			j.Decide("ROLLOVER-005", EndsRolledOut())
		})
}

// repair is the spec of a broken rollout that a third template mends.
func repair() {
	spec.It("rolls a repair out although broken updated pods use maxUnavailable up",
		spec.Decides("ROLLOVER-004"),
		func(ctx context.Context, c *spec.Case) {
			c.TakeNodes(ctx, NodeCount{Least: 3, Likes: 4})
			daemonSet := c.Deploy(ctx, MaxUnavailable("2"))
			updated := rollouts.Stall(ctx, c, daemonSet, "v2", 2, PodsPerNode(daemonSet, 1))
			c.Mark(third)
			c.RollOut(ctx, updated, Image("v3"), Healthy())
		},
		func(j *spec.Checks) {
			j.Given(NeverBetween(TemplateChanged(), Marked(third), PodAvailable(OfVersion("v2"))), AtLeast(1, PodCreated(OfVersion("v2"))))
			j.Decide("ROLLOVER-004", EndsRolledOut())
		})

	spec.It("rolls a repair out although updated pods that wait for the scheduler use maxUnavailable up",
		spec.Decides("ROLLOVER-004"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 3)
			daemonSet := c.Deploy(ctx, MaxUnavailable("2"))
			updated := rollouts.Unscheduled(ctx, c, daemonSet, 2, PodsPerNode(daemonSet, 1))
			c.Mark(third)
			c.RollOut(ctx, updated, Image("v3"), rollouts.Fitting())
		},
		func(j *spec.Checks) {
			j.Given(NeverBetween(TemplateChanged(), Marked(third), PodScheduled(OfVersion("v2"))), AtLeast(1, PodCreated(OfVersion("v2"))))
			j.Decide("ROLLOVER-004", EndsRolledOut())
		}, spec.SimulatedNodes{})
}

// refused is the spec of a pod that the API server refuses to create until the template is another one.
func refused() {
	spec.It("rolls out the template that repairs pods which have failed for so long that another one of theirs would have to wait",
		spec.Decides("ROLLOVER-004", "TARGET-010"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 1)
			failing := c.Update(ctx, c.Deploy(ctx, MaxUnavailable("1")), Image("v2"), Failing())
			// Where the delay doubles from a second the next pod comes after sixteen. Where it grows otherwise there may be less to wait for.
			c.Await(ctx, state.Any(PodsSeen(failing, 7), Past(time.Now().Add(20*time.Second))))
			c.Mark(third)
			c.AwaitAfter(ctx, goesOn, RolledOut(c.Update(ctx, failing, Image("v3"), Healthy())))
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(3, PodFailed(OfVersion("v2"))))
			for _, id := range []requirements.ID{"ROLLOVER-004", "TARGET-010"} {
				// The history first, then the failed pod goes, then there is room: less than the sixteen seconds, for the slowest too.
				j.Decide(id, Within(2*spec.AtOnce, After(RevisionCreated(), Marked(third)), PodCreated(OfVersion("v3"))), EndsRolledOut())
			}
		}, spec.SimulatedNodes{})

	spec.It("makes a pod of the newest template on a node for which a quota refused one of the template before",
		spec.Decides("ROLLOVER-001", "ROLLING-009"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 3)
			updated := c.Update(ctx, c.Deploy(ctx, MaxUnavailable("1")), Image("v2"), NeverReady())
			first := c.RequireUpdated(ctx, "the first updated pod runs", updated, Running)
			c.RefusePods(ctx, ByQuota)
			c.Pods.BecomeReady(ctx, first)
			c.Require(ctx, "the next node has lost its pod", anEmptyNode(updated))
			// By then who is quick has tried to create the next one, and has not begun to pause for long.
			c.Await(ctx, Quiet(judge.Lag))
			c.Mark(third)
			newest := c.Update(ctx, updated, Image("v3"), Healthy())
			// By then nobody may still be trying for the template before.
			c.Await(ctx, Past(time.Now().Add(known)))
			c.AdmitPods(ctx)
			c.AwaitAfter(ctx, goesOn, RolledOut(newest))
		},
		func(j *spec.Checks) {
			j.Given(NeverBetween(Done(history.RefusePods), Began(history.AdmitPods), PodCreated()), AtLeast(1, Between(PodGone(OfVersion("v1")), Done(history.RefusePods), Marked(third))))
			j.Decide("ROLLOVER-001", EndsRolledOut())
			// The first of them leaves the node without a pod.
			j.Decide("ROLLING-009", Never(Nth(2, Between(PodDeleted().Where("available", Moment.WasAvailable), Done(history.RefusePods), Began(history.AdmitPods)))))
		}, spec.SimulatedNodes{})
}

// known is when everybody has to know of a template; goesOn is how long a controller may pause after a refusal.
const (
	known  = judge.Lag + 500*time.Millisecond
	goesOn = 30 * time.Second
)

// anEmptyNode holds while a node has no pod of the DaemonSet.
func anEmptyNode(daemonSet *appsv1.DaemonSet) Condition {
	return state.When("a node has no pod", func(cluster *history.Cluster) bool {
		return slices.ContainsFunc(cluster.EligibleNodes(daemonSet), func(node string) bool { return len(cluster.PodsOn(daemonSet.UID, node)) == 0 })
	})
}
