package rollback

import (
	"context"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// meanwhile are the specs of rollbacks that come with something else.
func meanwhile() {
	spec.It("finds the history that a rollback goes back to although the same write lowers revisionHistoryLimit to 0",
		spec.Decides("ROLLBACK-001"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 1)
			daemonSet := c.Deploy(ctx, MaxUnavailable("1"))
			before := bindFirst(ctx, c, daemonSet)
			updated := c.Update(ctx, daemonSet, Image("v2"))
			c.Require(ctx, "no pod is left of the first template", Steady(updated))
			number := bindLargest(ctx, c, daemonSet)
			c.Mark(back)
			c.RollOut(ctx, updated, Edit{Says: "the template of before, and revisionHistoryLimit 0", Apply: func(d *appsv1.DaemonSet) {
				restore(daemonSet.Spec.Template)(d)
				d.Spec.RevisionHistoryLimit = new(int32)
			}})
			c.Await(ctx, renumbered(before, number))
			c.Await(ctx, Quiet(time.Second))
		}, reused)

	spec.It("raises the history that a rollback goes back to above all others although those before it have been deleted",
		spec.Decides("ROLLBACK-001"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 1)
			limit := int32(1)
			daemonSet := c.Deploy(ctx, MaxUnavailable("1"), Edit{
				Says: "revisionHistoryLimit 1", Apply: func(d *appsv1.DaemonSet) { d.Spec.RevisionHistoryLimit = &limit },
			})
			updated := daemonSet
			for _, image := range []string{"v2", "v3", "v4"} {
				daemonSet = updated
				updated = c.Update(ctx, updated, Image(image))
				c.Require(ctx, "the pod is of "+image, Steady(updated))
			}
			c.Require(ctx, "there is one history beside the current one", state.When("there are two ControllerRevisions", func(cluster *history.Cluster) bool {
				return len(cluster.Revisions) == 2
			}))
			before := bindOldest(ctx, c, updated)
			number := bindLargest(ctx, c, updated)
			c.Mark(back)
			c.RollOut(ctx, updated, Edit{Says: "the template of before", Apply: restore(daemonSet.Spec.Template)})
			c.Await(ctx, renumbered(before, number))
			c.Await(ctx, Quiet(time.Second))
		}, reused)

	spec.It("counts a node whose pod of the first template is terminating as unavailable when the rollout is rolled back",
		spec.Decides("ROLLBACK-004", "ROLLING-009"),
		func(ctx context.Context, c *spec.Case) { whileOneLeaves(ctx, c, MaxUnavailable("1")) },
		func(j *spec.Checks) {
			j.Given(Before(First(PodAvailable(OfVersion("v2"))), Marked(back)), Before(Nth(2, PodDeleted(OfVersion("v1"))), Marked(back)))
			keepsLimit(j, "leaving more nodes than maxUnavailable without one", func(m Moment) bool { return m.Desired()-(m.AvailableBefore()-1) > 1 })
			j.Decide("ROLLING-009", NeverBetween(Marked(back), Began(history.ReleaseTermination), PodDeleted().Where("available", Moment.WasAvailable)))
		}, spec.SimulatedNodes{})

	spec.It("keeps an available surge pod when the rollout is rolled back while the pod of the first template on its node is terminating",
		spec.Decides("ROLLBACK-004", "SURGE-016", "AVAIL-001"),
		func(ctx context.Context, c *spec.Case) { whileOneLeaves(ctx, c, MaxSurge("1")) },
		func(j *spec.Checks) {
			j.Given(Before(First(PodAvailable(OfVersion("v2"))), Marked(back)), Before(Nth(2, PodDeleted(OfVersion("v1"))), Marked(back)))
			keepsLimit(j, "the last such pod of its node", func(m Moment) bool { return m.AvailableBeside() == 0 })
		}, spec.SimulatedNodes{})

	spec.It("keeps the available pods of the first template when surge pods are rolled back that are Ready, but not yet available",
		spec.Decides("ROLLBACK-002", "ROLLBACK-003"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			daemonSet := c.Deploy(ctx, MaxSurge("1"))
			for _, pod := range c.LivePods(ctx, daemonSet) {
				c.Pods.SetReadySince(ctx, pod, time.Now().Add(-2*time.Hour))
			}
			// Who hears of pods late would take them for unavailable.
			c.Await(ctx, Quiet(judge.Lag))
			updated := c.Update(ctx, daemonSet, Image("v2"), MinReadySeconds(3600))
			rollouts.Settle(ctx, c, updated, UpdatedOn(1, updated, Running))
			c.Mark(back)
			c.RollOut(ctx, updated, Edit{Says: "the template of before", Apply: restore(daemonSet.Spec.Template)})
			c.Await(ctx, Quiet(3*time.Second))
		},
		func(j *spec.Checks) {
			j.Given(Before(First(PodReady(OfVersion("v2"))), Marked(back)), NeverBetween(TemplateChanged(), Marked(back), PodDeleted(OfVersion("v1"))))
			j.Decide("ROLLBACK-002", untouched())
			j.Decide("ROLLBACK-003", untouched(), noMore(), EndsRolledOut())
		}, spec.SimulatedNodes{})

	spec.It("takes a surge pod back that waits for the scheduler when the rollout is rolled back",
		spec.Decides("ROLLBACK-003"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			daemonSet := c.Deploy(ctx, MaxSurge("1"))
			updated := rollouts.Unscheduled(ctx, c, daemonSet, 1)
			c.Mark(back)
			c.RollOut(ctx, updated, Edit{Says: "the template of before", Apply: restore(daemonSet.Spec.Template)})
			c.Await(ctx, Quiet(3*time.Second))
		},
		func(j *spec.Checks) {
			j.Given(Before(First(PodCreated(OfVersion("v2"))), Marked(back)), NeverBetween(TemplateChanged(), Marked(back), PodDeleted(OfVersion("v1"))))
			j.Decide("ROLLBACK-003", untouched(), noMore(), EndsRolledOut())
		}, spec.SimulatedNodes{})
}

// whileOneLeaves rolls a rollout back when one node is done, and a pod of the first template is terminating on another one, where it is
// Ready until it is let go.
func whileOneLeaves(ctx context.Context, c *spec.Case, strategy Edit) {
	c.AddNodes(ctx, 3)
	daemonSet := c.Deploy(ctx, strategy, IgnoreSIGTERM())
	updated := c.Update(ctx, daemonSet, Image("v2"), Healthy())
	first := leaving(ctx, c, updated)[0]
	c.Pods.ReleaseTermination(ctx, first)
	c.Require(ctx, "the rollout has come to a node", UpdatedOn(1, updated, OnNode(history.NodeOf(first)), history.IsReady))
	leaving(ctx, c, updated)
	c.Await(ctx, Quiet(2*time.Second))
	c.Mark(back)
	restored := c.Update(ctx, updated, Edit{Says: "the template of before", Apply: restore(daemonSet.Spec.Template)})
	c.Await(ctx, Processed(restored))
	c.Await(ctx, Quiet(3*time.Second))
	for _, pod := range leaving(ctx, c, restored) {
		c.Pods.ReleaseTermination(ctx, pod)
	}
	c.Await(ctx, RolledOut(restored))
}

// leaving waits until pods of the DaemonSet are terminating and still Ready, and returns them.
func leaving(ctx context.Context, c *spec.Case, daemonSet *appsv1.DaemonSet) []*corev1.Pod {
	var pods []*corev1.Pod
	c.Require(ctx, "a pod is terminating", state.When("a pod is terminating and Ready", func(cluster *history.Cluster) bool {
		pods = nil
		for _, node := range cluster.NodesOf(daemonSet.UID) {
			for _, pod := range cluster.PodsOn(daemonSet.UID, node) {
				if pod.DeletionTimestamp != nil && history.IsReady(pod) {
					pods = append(pods, pod)
				}
			}
		}
		return len(pods) > 0
	}))
	return pods
}
