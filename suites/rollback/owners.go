package rollback

import (
	"context"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// withOwner is the spec of a rollback to a history that has another owner beside its controller.
func withOwner() {
	spec.It("raises the history that a rollback goes back to though it has another owner, before the DaemonSet that controls it",
		spec.Decides("ROLLBACK-001", "HISTORY-010"),
		func(ctx context.Context, c *spec.Case) {
			node := c.AddNodes(ctx, 1)[0]
			daemonSet := c.Deploy(ctx, MaxUnavailable("1"))
			before := bindFirst(ctx, c, daemonSet)
			updated := c.Update(ctx, daemonSet, Image("v2"))
			c.Require(ctx, "no pod is left of the first template", Steady(updated))
			number := bindLargest(ctx, c, daemonSet)
			var owner metav1.OwnerReference
			c.Look(ctx, func(cluster *history.Cluster) {
				owner = metav1.OwnerReference{APIVersion: corev1.SchemeGroupVersion.String(), Kind: "Node", Name: node, UID: cluster.Nodes[node].UID}
			})
			c.UpdateRevision(ctx, before, func(revision *appsv1.ControllerRevision) {
				revision.OwnerReferences = slices.Insert(revision.OwnerReferences, 0, owner)
			})
			// Longer than a controller may be late.
			c.Await(ctx, Quiet(3*time.Second))
			c.Mark(back)
			c.RollOut(ctx, updated, Edit{Says: "the template of before", Apply: restore(daemonSet.Spec.Template)})
			c.Await(ctx, renumbered(before, number))
			c.Await(ctx, Quiet(time.Second))
		},
		func(j *spec.Checks) {
			j.Given(Before(Done(history.UpdateRevision), Marked(back)))
			reused(j)
		})
}
