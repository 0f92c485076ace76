package rollback

import (
	"context"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/utils/ptr"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// twice is the spec of two rollbacks, of which the second goes back to what is neither the first template nor the last.
func twice() {
	spec.It("raises the history of a second rollback above that of the first one",
		spec.Decides("ROLLBACK-001"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 1)
			daemonSet := c.Deploy(ctx, MaxUnavailable("1"))
			oldest := revisionsOf(ctx, c, daemonSet)
			if len(oldest) != 1 {
				c.CannotDecide("the DaemonSet does not have one ControllerRevision (see API-020, HISTORY-001)")
			}
			second := c.Update(ctx, daemonSet, Image("v2"))
			c.Require(ctx, "the pod is of the second template", Steady(second))
			third := c.Update(ctx, second, Image("v3"))
			c.Require(ctx, "the pod is of the third template", Steady(third))
			number := largestOf(ctx, c, daemonSet)
			restored := c.Update(ctx, third, Edit{Says: "the first template", Apply: restore(daemonSet.Spec.Template)})
			c.Require(ctx, "the first history has the largest number", renumbered(oldest[0], number))
			c.Require(ctx, "the pod is of the first template", Steady(restored))
			before := bindOldest(ctx, c, daemonSet)
			number = bindLargest(ctx, c, daemonSet)
			c.Mark(back)
			c.RollOut(ctx, restored, Edit{Says: "the second template", Apply: restore(second.Spec.Template)})
			c.Await(ctx, renumbered(before, number))
			c.Await(ctx, Quiet(time.Second))
		}, reused)
}

// handedOver is the spec of a rollback that comes when the surge pods are available already, and the pods that they were to replace are still there.
func handedOver() {
	spec.It("keeps the pods of the first template when the rollout is rolled back after the surge pods beside them have become available",
		spec.Decides("ROLLBACK-002", "ROLLBACK-003"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			daemonSet := c.Deploy(ctx, MaxSurge("2"))
			updated := rollouts.Stall(ctx, c, daemonSet, "v2", 2)
			// A controller that saw the surge pods available before the rollback would delete the others. A new one begins with a list of everything.
			c.Kill(ctx)
			for _, pod := range c.LivePods(ctx, updated) {
				if history.MatchesTemplate(pod, &updated.Spec.Template) {
					c.Pods.BecomeReady(ctx, pod)
				}
			}
			c.Mark(back)
			restored := c.Update(ctx, updated, Edit{Says: "the template of before", Apply: restore(daemonSet.Spec.Template)})
			c.Restart(ctx)
			c.Await(ctx, RolledOut(restored))
			c.Await(ctx, Quiet(3*time.Second))
		},
		func(j *spec.Checks) {
			j.Given(Before(First(PodAvailable(OfVersion("v2"))), Marked(back)), NeverBetween(TemplateChanged(), Marked(back), PodDeleted(OfVersion("v1"))))
			j.Decide("ROLLBACK-002", untouched())
			j.Decide("ROLLBACK-003", untouched(), noMore(), EndsRolledOut())
		}, spec.Alone{})
}

// withoutRollout is the spec of a template that came and went while nobody rolled it out.
func withoutRollout() {
	spec.It("replaces no pod when the strategy becomes RollingUpdate after another template came and went with OnDelete",
		spec.Decides("ROLLBACK-002", "ROLLING-015", "HISTORY-024"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 3)
			daemonSet := c.Deploy(ctx, OnDelete())
			updated := c.Update(ctx, daemonSet, Image("v2"))
			c.Require(ctx, "the controller has seen the template", Processed(updated))
			c.Await(ctx, Quiet(time.Second))
			c.Mark(back)
			restored := c.Update(ctx, updated, Edit{Says: "the template of before", Apply: restore(daemonSet.Spec.Template)})
			c.Require(ctx, "the controller has seen the template of before", Processed(restored))
			c.Await(ctx, Quiet(time.Second))
			rolling := c.Update(ctx, restored, MaxUnavailable("1"))
			// It looks rolled out before the controller has seen the strategy.
			c.Await(ctx, state.All(RolledOut(rolling), Processed(rolling)))
			c.Await(ctx, Quiet(3*time.Second))
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, Marked(back)), Never(PodCreated(OfVersion("v2"))))
			j.Decide("ROLLBACK-002", untouched(), EndsRolledOut())
			for _, id := range []requirements.ID{"ROLLING-015", "HISTORY-024"} {
				j.Decide(id, untouched(), EndsRolledOut())
			}
		}, spec.SimulatedNodes{})
}

// onCordonedNodes is the spec of surge pods on nodes that are cordoned when the rollout is rolled back.
func onCordonedNodes() {
	spec.It("takes the surge pods of cordoned nodes back, too, when the rollout is rolled back",
		spec.Decides("ROLLBACK-003", "SURGE-007"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 3)
			daemonSet := c.Deploy(ctx, MaxSurge("2"))
			// By the clock of the API server, which has whole seconds, the updated pods are younger.
			c.Await(ctx, Quiet(2*time.Second))
			updated := rollouts.Stall(ctx, c, daemonSet, "v2", 2)
			c.Cordon(ctx, history.NodeOf(c.RequireUpdated(ctx, "there is a surge pod", updated)))
			c.Await(ctx, Quiet(time.Second))
			c.Mark(back)
			c.RollOut(ctx, updated, Edit{Says: "the template of before", Apply: restore(daemonSet.Spec.Template)})
			c.Await(ctx, Quiet(3*time.Second))
		},
		func(j *spec.Checks) {
			j.Given(Before(First(PodCreated(OfVersion("v2"))), Marked(back)))
			j.Decide("ROLLBACK-003", untouched(), noMore(), EndsRolledOut())
			j.Decide("SURGE-007", AtLeast(1, After(PodDeleted(OfVersion("v2")), Marked(back))), EndsRolledOut())
		}, spec.SimulatedNodes{})
}

// onLeavingHistory is the spec of a rollback to a template whose history is being deleted.
func onLeavingHistory() {
	spec.It("keeps the pods of the first template when the rollout is rolled back while the history of that template is being deleted",
		spec.Decides("ROLLBACK-002", "HISTORY-005"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 3)
			daemonSet := c.Deploy(ctx, MaxSurge("1"))
			leaving := bindFirst(ctx, c, daemonSet)
			updated := rollouts.Stall(ctx, c, daemonSet, "v2", 1)
			c.HoldRevision(ctx, leaving)
			c.DeleteRevision(ctx, leaving)
			c.Await(ctx, Quiet(3*time.Second))
			c.Mark(back)
			c.RollOut(ctx, updated, Edit{Says: "the template of before", Apply: restore(daemonSet.Spec.Template)})
			c.Await(ctx, Quiet(3*time.Second))
		},
		func(j *spec.Checks) {
			j.Given(Before(First(PodCreated(OfVersion("v2"))), Marked(back)), Before(Done(history.DeleteRevision), Marked(back)))
			j.Decide("ROLLBACK-002", untouched(), EndsRolledOut())
			j.Decide("HISTORY-005", Never(StatusWritten().Where("with a collision", func(m Moment) bool {
				return ptr.Deref(m.Object.(*appsv1.DaemonSet).Status.CollisionCount, 0) > 0
			})), EndsRolledOut())
		}, spec.SimulatedNodes{})
}
