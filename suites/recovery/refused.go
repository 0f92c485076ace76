package recovery

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// refusedFor is how long creations are refused: long enough for several attempts, also of a controller that looks at everything two seconds late, and not for
// the pauses between them to become long.
const refusedFor = 5 * time.Second

// refused are the specs of pods that the API server refuses to create for a while.
func refused() {
	spec.It("tries a few pods at a time while a quota refuses them, and makes all of them once it does not",
		spec.Decides("RECOVERY-006"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, many)
			c.RefusePods(ctx, ByQuota)
			daemonSet := c.Create(ctx, c.NewDaemonSet("daemon"))
			admitLater(ctx, c)
			c.Await(ctx, RolledOut(daemonSet))
			c.Await(ctx, Quiet(time.Second))
		},
		func(j *spec.Checks) {
			j.Decide("RECOVERY-006", TriesFewPods(many/2), EndsRolledOut(), OnEveryNode(Exactly(1, PodCreated())))
		}, spec.SimulatedNodes{})

	spec.It("tries a few pods at a time while a quota refuses them, also after it has made many at once",
		spec.Decides("RECOVERY-006"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, many)
			rollouts.TaintNodes(ctx, c, c.AddNodes(ctx, many)...)
			daemonSet := c.Deploy(ctx, MaxUnavailable(strconv.Itoa(many)))
			c.RefusePods(ctx, ByQuota)
			// As many nodes want a pod at once, which is as many as may be without one.
			updated := c.Update(ctx, daemonSet, rollouts.Tolerate())
			admitLater(ctx, c)
			c.Await(ctx, RolledOut(updated))
			c.Await(ctx, Quiet(time.Second))
		},
		func(j *spec.Checks) { j.Decide("RECOVERY-006", TriesFewPods(many/2), EndsRolledOut()) }, spec.SimulatedNodes{})

	spec.It("completes a rollout whose pods a webhook refused for a while, with maxSurge and with maxUnavailable",
		spec.Decides("RECOVERY-006"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 3)
			daemonSet := c.Deploy(ctx, MaxSurge("2"))
			for _, edits := range [][]Edit{{Image("v2")}, {Image("v3"), MaxUnavailable("2")}} {
				c.RefusePods(ctx, ByWebhook)
				daemonSet = c.Update(ctx, daemonSet, edits...)
				admitLater(ctx, c)
				if !c.Await(ctx, RolledOut(daemonSet)) {
					return
				}
			}
			c.Await(ctx, Quiet(time.Second))
		},
		func(j *spec.Checks) {
			for _, version := range []string{"v2", "v3"} {
				j.Decide("RECOVERY-006", OnEveryNode(Exactly(1, PodCreated(OfVersion(version)))))
			}
			j.Decide("RECOVERY-006", EndsRolledOut())
			// A webhook belongs to the whole cluster.
		}, spec.Alone{})
}

// oneByOne are the specs of attempts to create one pod at a time that differ from each other: in the words of the refusal, and in the node.
func oneByOne() {
	spec.It("goes on trying with pauses while a policy refuses a pod in words that name it, and makes it once it does not",
		spec.Decides("RECOVERY-006"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 1)
			c.RefusePodsByName(ctx)
			daemonSet := c.Create(ctx, c.NewDaemonSet("daemon"))
			c.Await(ctx, Past(time.Now().Add(2*refusedFor)))
			c.AdmitPodsByName(ctx)
			c.Await(ctx, RolledOut(daemonSet))
			c.Await(ctx, Quiet(time.Second))
		},
		func(j *spec.Checks) {
			j.Decide("RECOVERY-006", TriesSeldom(seldom), EndsRolledOut(), OnEveryNode(Exactly(1, PodCreated())))
			// A controller that is kept busy by other specs tries less often.
		}, spec.Alone{}, spec.SimulatedNodes{})

	spec.It("goes on trying with pauses while the updated pods of three nodes are refused, with one slot of maxSurge for them",
		spec.Decides("RECOVERY-006"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 3)
			daemonSet := c.Deploy(ctx, MaxSurge("1"))
			c.RefusePods(ctx, ByQuota)
			updated := c.Update(ctx, daemonSet, Image("v2"))
			c.Await(ctx, Past(time.Now().Add(2*refusedFor)))
			c.AdmitPods(ctx)
			c.Await(ctx, RolledOut(updated))
			c.Await(ctx, Quiet(time.Second))
		},
		func(j *spec.Checks) {
			j.Decide("RECOVERY-006", TriesSeldom(seldom), EndsRolledOut(), OnEveryNode(Exactly(1, PodCreated(OfVersion("v2")))))
		}, spec.Alone{})
}

// seldom is how often a controller may try to create one pod, or the pods that share one slot, in twice refusedFor: twenty times a second.
const seldom = 200

// someRefused is the spec of nodes whose pods are refused while those of others are not.
func someRefused() {
	spec.It("makes the pods of all other nodes while those of two are refused, and theirs afterwards",
		spec.Decides("RECOVERY-006"),
		func(ctx context.Context, c *spec.Case) {
			nodes := slices.Sorted(slices.Values(c.AddNodes(ctx, 5)))
			// Whoever goes by names meets both before any other.
			c.RefusePodsOf(ctx, nodes[:2]...)
			daemonSet := c.Create(ctx, c.NewDaemonSet("daemon"))
			c.AwaitAfter(ctx, goesOn, PodsSeen(daemonSet, len(nodes)-2))
			c.AdmitPods(ctx)
			c.Await(ctx, RolledOut(daemonSet))
			c.Await(ctx, Quiet(time.Second))
		},
		func(j *spec.Checks) {
			meanwhile := Between(PodCreated(), Began(history.RefusePods), Began(history.AdmitPods))
			// Whoever leaves the order to chance may meet a refused pod before the last of the others each time, while its pauses grow.
			j.Decide("RECOVERY-006", Within(goesOn, Began(history.CreateDaemonSet), Nth(2, meanwhile)), OnEveryNode(Exactly(1, PodCreated())), EndsRolledOut())
			// A webhook belongs to the whole cluster.
		}, spec.Alone{}, spec.SimulatedNodes{})
}

// goesOn is how long creating may pause after a refusal.
const goesOn = 30 * time.Second

// many is the number of nodes of which a few at a time are clearly fewer.
const many = 20

// admitLater has the API server create pods again once refusedFor has passed.
func admitLater(ctx context.Context, c *spec.Case) {
	c.Await(ctx, Past(time.Now().Add(refusedFor)))
	c.AdmitPods(ctx)
}
