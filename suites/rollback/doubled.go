package rollback

import (
	"context"
	"maps"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// double is the name, and the value of the revision label, of a copy of a history.
const double = "double"

// onDoubledHistory is the spec of a rollback to a template that has two histories, with pods of both.
func onDoubledHistory() {
	spec.It("keeps the pods of either of two equal histories when a rollback goes back to their template",
		spec.Decides("ROLLBACK-002"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 4)
			daemonSet := c.Deploy(ctx, OnDelete())
			original := bindFirst(ctx, c, daemonSet)
			updated := c.Update(ctx, daemonSet, Image("v2"))
			c.Require(ctx, "the controller has seen the template", Processed(updated))
			c.DeletePod(ctx, c.LivePodOn(ctx, daemonSet, nodes[3]), 0)
			c.Require(ctx, "one pod is of the second template", UpdatedOn(1, updated, history.IsReady))
			// Lower, so that it is clear which of the two stays.
			copied := &appsv1.ControllerRevision{
				ObjectMeta: metav1.ObjectMeta{Name: double, Namespace: original.Namespace, Labels: maps.Clone(original.Labels)},
				Data:       original.Data, Revision: max(original.Revision-1, 0),
			}
			metav1.SetMetaDataLabel(&copied.ObjectMeta, c.RevisionLabel(), double)
			c.CreateRevision(ctx, copied)
			c.LabelPod(ctx, c.LivePodOn(ctx, daemonSet, nodes[0]), map[string]string{c.RevisionLabel(): double})
			// Longer than a controller may be late: it has adopted the copy.
			c.Await(ctx, Quiet(3*time.Second))
			c.Mark(back)
			// All at once, so that it does not depend on whose turn it is.
			restored := c.Update(ctx, updated, MaxUnavailable("4"), Edit{Says: "the template of before", Apply: restore(daemonSet.Spec.Template)})
			c.Await(ctx, RolledOut(restored))
			c.Await(ctx, Quiet(3*time.Second))
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, PodCreated(OfVersion("v2"))), AtLeast(1, Done(history.CreateRevision)), Before(Done(history.LabelPod), Marked(back)))
			j.Decide("ROLLBACK-002", untouched())
		})
}
