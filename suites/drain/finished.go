package drain

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// finished are the specs of pods that have ended and cannot go.
func finished() {
	for _, strategy := range []struct {
		with string
		edit Edit
	}{{"though maxSurge is 0", MaxUnavailable("1")}, {"with OnDelete", OnDelete()}, {"with maxSurge", MaxSurge("1")}} {
		spec.It("replaces pods that have failed or succeeded while a finalizer holds them back in deletion, "+strategy.with,
			spec.Decides("DRAIN-007"),
			func(ctx context.Context, c *spec.Case) {
				c.Bind(lingering, c.AddNodes(ctx, 2)...)
				daemonSet := c.Deploy(ctx, strategy.edit)
				old := c.LivePods(ctx, daemonSet)
				for i, end := range []func(context.Context, *corev1.Pod){c.Pods.Fail, c.Pods.Succeed} {
					c.AddFinalizer(ctx, old[i])
					end(ctx, old[i])
					// If the controller has not done so already.
					c.DeletePod(ctx, old[i], 0)
					c.Await(ctx, replaced(daemonSet, old[i]))
				}
				for _, pod := range old {
					c.RemoveFinalizer(ctx, pod)
				}
				c.Await(ctx, RolledOut(daemonSet))
			},
			func(j *spec.Checks) {
				for _, node := range j.BoundAll(lingering) {
					// With maxSurge the second may come before the first is deleted.
					j.Decide("DRAIN-007", Before(Nth(2, PodCreated().On(node)), First(PodGone().On(node))))
				}
				j.Decide("DRAIN-007", AtLeast(2, PodGone()), EndsRolledOut())
			}, spec.SimulatedNodes{})
	}

	spec.It("replaces a pod that has failed and been deleted, and that a finalizer holds back, while the implementation was not at work",
		spec.Decides("DRAIN-007"),
		func(ctx context.Context, c *spec.Case) {
			c.Bind(lingering, c.AddNodes(ctx, 1)...)
			daemonSet := c.Deploy(ctx, MaxUnavailable("1"))
			old := c.LivePods(ctx, daemonSet)[0]
			c.AddFinalizer(ctx, old)
			c.Kill(ctx)
			c.Pods.Fail(ctx, old)
			c.DeletePod(ctx, old, 0)
			c.Restart(ctx)
			c.Await(ctx, replaced(daemonSet, old))
			c.RemoveFinalizer(ctx, old)
			c.Await(ctx, RolledOut(daemonSet))
		},
		func(j *spec.Checks) {
			node := j.Bound(lingering)
			j.Given(AtLeast(1, PodFailed().On(node)))
			j.Decide("DRAIN-007", Before(Nth(2, PodCreated().On(node)), First(PodGone().On(node))), AtLeast(1, PodGone()), EndsRolledOut())
		}, spec.Alone{}, spec.SimulatedNodes{})

	spec.It("makes another pod on a node whose pod was deleted before it was bound, and was held back by a finalizer",
		spec.Decides("DRAIN-005", "SURGE-012"),
		func(ctx context.Context, c *spec.Case) {
			c.Bind(lingering, c.AddNodes(ctx, 1)...)
			daemonSet := c.Create(ctx, c.NewDaemonSet("daemon", MaxSurge("1"), rollouts.TooLarge()))
			c.Require(ctx, "there is a pod", UpdatedOn(1, daemonSet))
			rollouts.NeedsScheduler(ctx, c, daemonSet)
			pod := c.LivePods(ctx, daemonSet)[0]
			c.AddFinalizer(ctx, pod)
			c.DeletePod(ctx, pod, 0)
			// By then everybody knows of it.
			c.Await(ctx, Quiet(handOffTime))
			c.RemoveFinalizer(ctx, pod)
			c.Await(ctx, replaced(daemonSet, pod))
		},
		func(j *spec.Checks) {
			for _, id := range []requirements.ID{"DRAIN-005", "SURGE-012"} {
				j.Decide(id, AtLeast(1, After(PodCreated().On(j.Bound(lingering)), Began(history.DeletePod))))
			}
		}, spec.SimulatedNodes{})

	spec.It("replaces a pod that fails while it is being deleted, and that a finalizer holds back, though maxSurge is 0",
		spec.Decides("DRAIN-007"),
		func(ctx context.Context, c *spec.Case) {
			c.Bind(lingering, c.AddNodes(ctx, 1)...)
			daemonSet := c.Deploy(ctx, MaxUnavailable("1"))
			old := c.LivePods(ctx, daemonSet)[0]
			c.AddFinalizer(ctx, old)
			c.DeletePod(ctx, old, 0)
			// Nothing may come in its place before it has failed, and nothing else says that it has.
			c.Require(ctx, "the controller has come to rest", Quiet(2*time.Second))
			rollouts.EvictByKubelet(ctx, c, old)
			c.Await(ctx, replaced(daemonSet, old))
			c.RemoveFinalizer(ctx, old)
			c.Await(ctx, RolledOut(daemonSet))
		},
		func(j *spec.Checks) {
			node := j.Bound(lingering)
			j.Given(AtLeast(1, PodFailed().On(node)))
			j.Decide("DRAIN-007", Before(After(PodCreated().On(node), First(PodFailed().On(node))), First(PodGone().On(node))), AtLeast(1, PodGone()), EndsRolledOut())
		}, spec.Alone{}, spec.SimulatedNodes{})
}
