package surge

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// tolerations are the specs of templates that tolerate other nodes than the one before, or a taint for a time.
func tolerations() {
	spec.It("creates a pod at once on a node that only the new template tolerates, and keeps it as long as it is needed when the next template does not tolerate the node",
		spec.Decides("SURGE-012", "SURGE-017"),
		func(ctx context.Context, c *spec.Case) {
			open := c.AddNodes(ctx, 2)
			closed := c.AddNodes(ctx, 1, rollouts.Taint)[0]
			c.Bind("closed", closed)
			gained := c.Update(ctx, c.Deploy(ctx, MaxSurge("1")), Image("v2"), NeverReady(), Tolerating(corev1.Toleration{Operator: corev1.TolerationOpExists}))
			c.Await(ctx, UpdatedOn(1, gained, OnNode(closed)))
			rollouts.Finish(ctx, c, gained)
			// Of the three nodes one has no available pod, so no more are available than the two that are eligible then.
			rollouts.LoseReadiness(ctx, c, gained, open[0])
			lost := c.Update(ctx, gained, Image("v3"), Tolerating())
			rollouts.Settle(ctx, c, lost, UpdatedOn(2, lost))
			c.Await(ctx, Quiet(3*time.Second))
		},
		func(j *spec.Checks) {
			closed := j.Bound("closed")
			// The rule bounds the time.
			j.Decide("SURGE-012", AtLeast(1, PodCreated(OfVersion("v2")).On(closed)))
			j.Decide("SURGE-017", Never(PodCreated(OfVersion("v3")).On(closed)), Never(neededDeleted("v2").On(closed)))
		}, spec.SimulatedNodes{})

	spec.It("makes an updated pod at once where the old one has been driven away by a taint that both tolerate for a time, while another node surges",
		spec.Decides("SURGE-012", "TARGET-001"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 3)
			closing := corev1.Taint{Key: "rollcall.dev/closing", Effect: corev1.TaintEffectNoExecute}
			daemonSet := c.Deploy(ctx, MaxSurge("1"),
				Tolerating(corev1.Toleration{Key: closing.Key, Operator: corev1.TolerationOpExists, Effect: closing.Effect, TolerationSeconds: ptr.To[int64](5)}))
			updated := stall(ctx, c, daemonSet, 1)
			node := rollouts.Untouched(ctx, c, updated, 1)[0]
			c.Bind("closed", node)
			closing.TimeAdded = ptr.To(metav1.Now())
			c.EditNode(ctx, history.TaintNode, node, func(node *corev1.Node) { node.Spec.Taints = append(node.Spec.Taints, closing) })
			c.Await(ctx, UpdatedOn(1, updated, OnNode(node)))
		},
		func(j *spec.Checks) {
			closed := j.Bound("closed")
			// The rule bounds the time.
			j.Given(AtLeast(1, PodDeleted(OfVersion("v1")).On(closed)))
			for _, id := range []requirements.ID{"SURGE-012", "TARGET-001"} {
				j.Decide(id, AtLeast(1, PodCreated(OfVersion("v2")).On(closed)))
			}
		}, spec.SimulatedNodes{})
}
