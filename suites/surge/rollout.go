package surge

import (
	"context"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// settled is put where a rollout, and the status that follows it, are over.
const settled history.Mark = "settled"

// rollout are the specs of a surge rollout that nothing disturbs.
func rollout() {
	spec.It("creates an updated pod before it deletes an old one, and goes on to the end",
		spec.Decides("SURGE-001", "SURGE-011", "SURGE-023"),
		func(ctx context.Context, c *spec.Case) {
			c.TakeNodes(ctx, NodeCount{Least: 2, Likes: 5})
			daemonSet := c.Create(ctx, c.NewDaemonSet("daemon", MaxSurge("2")))
			// No Require: a controller that does not get as far breaks the promise.
			c.Await(ctx, Steady(daemonSet))
			c.RollOut(ctx, daemonSet, Image("v2"), ReadyAfter(time.Second))
			c.Await(ctx, Quiet(time.Second))
		},
		func(j *spec.Checks) {
			j.Decide("SURGE-001",
				// The rule bounds the time.
				AtLeast(1, PodCreated(OfVersion("v2")).BesideLivePod()),
				Before(First(PodAvailable(OfVersion("v2"))), First(PodDeleted(OfVersion("v1")))))
			j.Decide("SURGE-011", EndsRolledOut())
			j.Decide("SURGE-023", OnEveryNode(UpTo(1, PodCreated(OfVersion("v2")))), OnEveryNode(UpTo(1, PodDeleted())))
		}, spec.MainPath{})

	spec.It("keeps its limits at every instant, with pods that are slow to start and slow to end, with minReadySeconds and without",
		spec.Decides("SURGE-002", "SURGE-006", "SURGE-008", "SURGE-009", "SURGE-010", "SURGE-016",
			"STATUS-006", "STATUS-007", "STATUS-013", "HISTORY-010"),
		func(ctx context.Context, c *spec.Case) {
			c.TakeNodes(ctx, NodeCount{Least: 3, Likes: 6})
			daemonSet := c.Deploy(ctx, MaxSurge("2"), MinReadySeconds(1), DrainFor(1500*time.Millisecond))
			c.RollOut(ctx, daemonSet, Image("v2"), ReadyAfter(time.Second))
			c.RollOut(ctx, daemonSet, Image("v3"), MinReadySeconds(0))
		}, nil)

	spec.It("keeps one old and one updated pod on a node when the template changes again during the rollout",
		spec.Decides("SURGE-009", "SURGE-010"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 3)
			// Two nodes have a pod of v1 and one of v2, both outdated, when v3 comes.
			daemonSet := stall(ctx, c, c.Deploy(ctx, MaxSurge("2")), 2)
			c.RollOut(ctx, daemonSet, Image("v3"), Healthy())
		}, nil)

	spec.It("counts a node against maxSurge whose old pod is of a template before the last",
		spec.Decides("SURGE-002"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 4)
			daemonSet := stall(ctx, c, c.Deploy(ctx, MaxSurge("2")), 2)
			third := c.Update(ctx, daemonSet, Image("v3"), NeverReady())
			rollouts.Settle(ctx, c, third, UpdatedOn(2, third))
			rollouts.Finish(ctx, c, third)
		}, nil, spec.SimulatedNodes{})

	spec.It("deletes the old pod promptly once the updated one on its node is available",
		spec.Decides("SURGE-007"),
		func(ctx context.Context, c *spec.Case) {
			// One node after the other, so that a controller that only sometimes loses its timer is found out.
			c.TakeNodes(ctx, NodeCount{Least: 2, Likes: 8})
			daemonSet := c.Deploy(ctx, MaxSurge("1"), MinReadySeconds(1))
			c.RollOut(ctx, daemonSet, Image("v2"))
			c.RollOut(ctx, daemonSet, Image("v3"), MinReadySeconds(0))
		},
		func(j *spec.Checks) {
			for _, version := range []string{"v2", "v3"} {
				j.Decide("SURGE-007", OnEveryNode(Within(spec.AtOnce, handOverDue(version), PodDeleted())))
			}
		})

	spec.It("deletes the old pod beside an available updated one while no pod can be created on another node",
		spec.Decides("SURGE-007"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			updated := stall(ctx, c, c.Deploy(ctx, MaxSurge("1")), 1)
			c.RefusePods(ctx, ByQuota)
			c.AddNodes(ctx, 1)
			// Longer than a controller may be late: it has tried.
			c.Await(ctx, Quiet(3*time.Second))
			c.BecomeReadyInTurn(ctx, updated, 1)
			c.Await(ctx, handedOver(updated, 1))
			c.AdmitPods(ctx)
			rollouts.Finish(ctx, c, updated)
		}, nil, spec.SimulatedNodes{})

	spec.It("deletes the old pod beside an available updated one while the one that it took over from is still terminating",
		spec.Decides("SURGE-007"),
		func(ctx context.Context, c *spec.Case) {
			node := c.AddNodes(ctx, 1)[0]
			daemonSet := c.Deploy(ctx, MaxSurge("1"))
			oldest := c.LivePodOn(ctx, daemonSet, node)
			c.Pods.HoldTermination(ctx, oldest)
			second := c.Update(ctx, daemonSet, Image("v2"))
			between := c.RequireUpdated(ctx, "the second template's pod is Ready", second, history.IsReady)
			c.Require(ctx, "the first template's pod is terminating", Leaving(oldest))
			third := c.Update(ctx, second, Image("v3"))
			c.Await(ctx, UpdatedOn(1, third, history.IsReady))
			c.Await(ctx, Leaving(between))
			c.Pods.ReleaseTermination(ctx, oldest)
			c.Await(ctx, RolledOut(third))
		},
		func(j *spec.Checks) {
			j.Given(Before(First(PodAvailable(OfVersion("v3"))), Began(history.ReleaseTermination)))
			// The rule bounds the time.
			j.Decide("SURGE-007", Before(PodDeleted(OfVersion("v2")), Began(history.ReleaseTermination)))
		}, spec.SimulatedNodes{})

	spec.It("pins every pod to its node from its creation on",
		spec.Decides("SURGE-026"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 3)
			daemonSet := c.Deploy(ctx, MaxSurge("100%"))
			c.RollOut(ctx, daemonSet, Image("v2"))
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, besideOld()))
			j.Decide("SURGE-026",
				Never(PodCreated().Where("not pinned to a node", func(m Moment) bool { return history.NodeOf(m.Pod()) == "" })),
				Never(PodScheduled().Where("to another node than the one that it is pinned to", strayed)))
		})

	spec.It("writes nothing once the rollout has ended",
		spec.Decides("SURGE-025"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 3)
			daemonSet := c.Deploy(ctx, MaxSurge("1"))
			c.RollOut(ctx, daemonSet, Image("v2"))
			c.Await(ctx, Past(time.Now().Add(spec.AtOnce)))
			c.Mark(settled)
			c.Await(ctx, Past(time.Now().Add(spec.Prompt)))
		},
		func(j *spec.Checks) {
			j.Given(EndsRolledOut(), AtLeast(1, Marked(settled)))
			j.Decide("SURGE-025", Never(After(Written(), Marked(settled))))
		})
}

// unreadyAtRest is the spec of a pod that is not Ready when the rollout is over.
func unreadyAtRest() {
	spec.It("writes nothing while a pod goes on not being Ready after the rollout",
		spec.Decides("SURGE-025"),
		func(ctx context.Context, c *spec.Case) {
			node := c.AddNodes(ctx, 2)[0]
			daemonSet := c.Deploy(ctx, MaxSurge("1"))
			c.RollOut(ctx, daemonSet, Image("v2"))
			pod := c.LivePodOn(ctx, daemonSet, node)
			c.Pods.BecomeUnready(ctx, pod)
			c.AwaitAfter(ctx, 2*spec.Prompt, state.When("the status tells of it", func(cluster *history.Cluster) bool {
				now := cluster.DaemonSets[daemonSet.UID]
				return now != nil && now.Status.NumberAvailable == 1
			}))
			c.Await(ctx, Past(time.Now().Add(spec.AtOnce)))
			c.Mark(settled)
			c.Await(ctx, Past(time.Now().Add(spec.Prompt)))
			c.Pods.BecomeReady(ctx, pod)
			c.Await(ctx, RolledOut(daemonSet))
		},
		func(j *spec.Checks) {
			j.Given(EndsRolledOut(), AtLeast(1, Marked(settled)))
			j.Decide("SURGE-025", NeverBetween(Marked(settled), Began(history.BecomeReady), Written()))
		}, spec.SimulatedNodes{})
}

// strayed reports whether the pod is on another node than the one that its affinity names.
func strayed(m Moment) bool {
	pinned := m.Pod().DeepCopy()
	pinned.Spec.NodeName = ""
	node := history.NodeOf(pinned)
	return node != "" && node != m.Pod().Spec.NodeName
}
