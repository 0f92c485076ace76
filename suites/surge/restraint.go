package surge

import (
	"context"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// restraint are the specs of what a controller must not do over and over. They are for simulated nodes, on which pods fail at once: with the time that a
// kubelet takes to reject a pod and to let go of it, delays would seem to grow, or not to, that are none of the controller's.
func restraint() {
	for _, limit := range []struct{ says, maxSurge string }{{"", "1"}, {", also where maxSurge has a slot to spare", "2"}} {
		spec.It("backs off from updated pods that keep failing beside an old one, which stays up"+limit.says,
			spec.Decides("SURGE-024", "TARGET-010"),
			func(ctx context.Context, c *spec.Case) {
				c.Bind("node", c.AddNodes(ctx, 1)...)
				daemonSet := c.Deploy(ctx, MaxSurge(limit.maxSurge))
				rollouts.AwaitFailures(ctx, c, c.Update(ctx, daemonSet, Image("v2"), Failing()), 1)
			},
			func(j *spec.Checks) {
				for _, id := range []requirements.ID{"SURGE-024", "TARGET-010"} {
					rollouts.BacksOff(j, id, PodCreated(OfVersion("v2")).On(j.Bound("node")))
				}
				j.Decide("SURGE-024", Never(PodDeleted(OfVersion("v1"))))
			}, spec.SimulatedNodes{})
	}

	// Two causes, or one.
	type causing func(context.Context, *spec.Case, *corev1.Pod)
	evict := rollouts.EvictByKubelet
	fail := func(ctx context.Context, c *spec.Case, pod *corev1.Pod) { c.Pods.Fail(ctx, pod) }
	for _, causes := range []struct {
		says    string
		decides []requirements.ID
		fail    [2]causing
	}{
		{"", spec.Decides("SURGE-024"), [2]causing{evict, evict}},
		{", each for another reason than the one before", spec.Decides("SURGE-024", "TARGET-010"), [2]causing{evict, fail}},
	} {
		spec.It("backs off from updated pods that fail again and again after they were Ready"+causes.says+", beside an old one, which stays up",
			causes.decides,
			func(ctx context.Context, c *spec.Case) {
				c.Bind("node", c.AddNodes(ctx, 1)...)
				daemonSet := c.Deploy(ctx, MaxSurge("1"))
				rollouts.LongReady(ctx, c, c.LivePods(ctx, daemonSet)...)
				updated := c.Update(ctx, daemonSet, Image("v2"), MinReadySeconds(rollouts.Hour))
				// As many as tell a delay that grows from one that does not.
				for i, until := 0, time.Now().Add(6*time.Second); i < 16 && time.Now().Before(until); i++ {
					pod := c.AwaitUpdated(ctx, updated, history.IsReady)
					if pod == nil {
						break
					}
					causes.fail[i%2](ctx, c, pod)
				}
			},
			func(j *spec.Checks) {
				for _, id := range causes.decides {
					rollouts.BacksOff(j, id, PodCreated(OfVersion("v2")).On(j.Bound("node")))
				}
				j.Decide("SURGE-024", Never(PodDeleted(OfVersion("v1"))))
			}, spec.SimulatedNodes{})
	}

	spec.It("backs off from updated pods that keep failing while the old pod beside them loses readiness for moments",
		spec.Decides("SURGE-024", "TARGET-010"),
		func(ctx context.Context, c *spec.Case) {
			node := c.AddNodes(ctx, 1)[0]
			c.Bind("node", node)
			daemonSet := c.Deploy(ctx, MaxSurge("1"))
			old := c.LivePods(ctx, daemonSet)[0]
			updated := c.Update(ctx, daemonSet, Image("v2"), Failing())
			// Once for each pod that fails. Where the next one comes in such a moment, the old one may go.
			waits := state.When("a failed pod waits beside the old one, which is Ready", func(cluster *history.Cluster) bool {
				pods := cluster.PodsOn(updated.UID, node)
				return len(pods) == 2 && slices.ContainsFunc(pods, history.IsTerminal) && slices.ContainsFunc(pods, func(pod *corev1.Pod) bool {
					return pod.UID == old.UID && history.IsReady(pod)
				})
			})
			for i, until := 0, time.Now().Add(12*time.Second); i < 16; i++ {
				c.Await(ctx, state.Any(state.All(PodsSeen(updated, i+2), waits), Past(until)))
				if time.Now().After(until) {
					break
				}
				c.Pods.BecomeUnready(ctx, old)
				c.Await(ctx, Past(time.Now().Add(200*time.Millisecond)))
				c.Pods.BecomeReady(ctx, old)
			}
		},
		func(j *spec.Checks) {
			for _, id := range []requirements.ID{"SURGE-024", "TARGET-010"} {
				rollouts.BacksOff(j, id, PodCreated(OfVersion("v2")).On(j.Bound("node")))
			}
		}, spec.SimulatedNodes{})

	spec.It("backs off from pods that keep failing on a node that has no other",
		spec.Decides("SURGE-024"),
		func(ctx context.Context, c *spec.Case) {
			// Two, whose delays have to grow independently of each other.
			c.Bind("nodes", c.AddNodes(ctx, 2)...)
			rollouts.AwaitFailures(ctx, c, c.Create(ctx, c.NewDaemonSet("daemon", MaxSurge("1"), Failing())), 2)
		},
		func(j *spec.Checks) {
			for _, node := range j.BoundAll("nodes") {
				rollouts.BacksOff(j, "SURGE-024", PodCreated(OfVersion("v1")).On(node))
			}
		}, spec.SimulatedNodes{})
}
