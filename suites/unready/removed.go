package unready

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// rollingBack is before the update that brings the first template back.
const rollingBack history.Mark = "rolling back"

// removed are the specs of old pods that somebody else removes.
func removed() {
	besideTerminating("makes an updated pod beside an old one that was deleted and is terminating", "UNREADY-002",
		func(ctx context.Context, c *spec.Case, pod *corev1.Pod) { c.DeletePod(ctx, pod, graceful(pod)) })
	besideTerminating("makes an updated pod beside an old one that was evicted and is terminating", "UNREADY-003",
		func(ctx context.Context, c *spec.Case, pod *corev1.Pod) { c.Evict(ctx, pod) })

	spec.It("makes an updated pod beside an old one that was deleted in a roll-back and is terminating",
		spec.Decides("UNREADY-002", "UNREADY-006"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 3)
			second := c.Update(ctx, c.Deploy(ctx, MaxSurge("1")), Image("v2"))
			c.Require(ctx, "the second template is everywhere", RolledOut(second))
			rollouts.LongReady(ctx, c, c.LivePods(ctx, second)...)
			c.Mark(rollingBack)
			// The first updated pod uses maxSurge up.
			restored := c.Update(ctx, second, Image("v1"), MinReadySeconds(rollouts.Hour))
			rollouts.Settle(ctx, c, restored, UpdatedOn(1, restored))
			node := rollouts.Untouched(ctx, c, restored, 1)[0]
			c.Bind(lost, node)
			old := c.LivePodOn(ctx, restored, node)
			c.Pods.HoldTermination(ctx, old)
			c.DeletePod(ctx, old, graceful(old))
			c.Await(ctx, UpdatedOn(2, restored))
			c.Pods.ReleaseTermination(ctx, old)
		},
		func(j *spec.Checks) {
			node := j.BoundAll(lost)[0]
			restored := After(PodCreated(OfVersion("v1")), Marked(rollingBack)).On(node)
			j.Decide("UNREADY-002", Before(restored, First(PodGone(OfVersion("v2")).On(node))))
		}, spec.SimulatedNodes{})

	spec.It("makes an updated pod at once on a node whose old one vanishes",
		spec.Decides("UNREADY-005", "UNREADY-006"),
		func(ctx context.Context, c *spec.Case) {
			updated, old := loseOn(ctx, c, 3, 1)
			c.DeletePod(ctx, old[0], 0)
			c.Await(ctx, UpdatedOn(2, updated))
		},
		func(j *spec.Checks) {
			node := j.BoundAll(lost)[0]
			// Between the request and the pod's end, it may be seen terminating.
			gone := PodGone(OfVersion("v1")).On(node)
			j.Decide("UNREADY-005", OneOf(Before(updatedPod(node), gone), Within(spec.AtOnce, gone, updatedPod(node))))
		})
}

// besideTerminating registers the spec of one way in which an old pod comes to terminate for a long time.
func besideTerminating(text string, id requirements.ID, remove func(context.Context, *spec.Case, *corev1.Pod)) {
	spec.It(text, spec.Decides(id, "UNREADY-006"),
		func(ctx context.Context, c *spec.Case) {
			updated, old := loseOn(ctx, c, 4, 2, IgnoreSIGTERM())
			for i, pod := range old {
				remove(ctx, c, pod)
				c.Await(ctx, UpdatedOn(2+i, updated))
			}
			for _, pod := range old {
				c.Pods.ReleaseTermination(ctx, pod)
			}
		},
		func(j *spec.Checks) {
			for _, node := range j.BoundAll(lost) {
				j.Decide(id, Before(updatedPod(node), First(PodGone(OfVersion("v1")).On(node))))
			}
		})
}
