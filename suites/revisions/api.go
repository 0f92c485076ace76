package revisions

import (
	"context"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// The objects of the scenario of the API: one is changed, the other is changed where it must not be.
const changed, fixed = "changed", "fixed"

// api is the spec of the ControllerRevision API. That it can be listed and watched the recording shows, which is made of that.
func api() {
	spec.It("creates, updates and deletes ControllerRevisions, and keeps their data as it was created",
		spec.Decides("HISTORY-028"),
		func(ctx context.Context, c *spec.Case) {
			for _, name := range []string{changed, fixed} {
				_, _ = c.TryCreateRevision(ctx, &appsv1.ControllerRevision{
					ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: c.Namespace()}, Revision: 1, Data: runtime.RawExtension{Raw: []byte(`{"a":1}`)},
				})
			}
			object := func(name string) *appsv1.ControllerRevision {
				return &appsv1.ControllerRevision{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: c.Namespace()}}
			}
			_, _ = c.TryUpdateRevision(ctx, object(changed), func(revision *appsv1.ControllerRevision) {
				revision.Revision = 2
				metav1.SetMetaDataLabel(&revision.ObjectMeta, "note", "x")
			})
			_, _ = c.TryUpdateRevision(ctx, object(fixed), func(revision *appsv1.ControllerRevision) { revision.Data.Raw = []byte(`{"a":2}`) })
			c.DeleteRevision(ctx, object(changed))
			c.Await(ctx, gone(changed))
			c.Await(ctx, Quiet(time.Second))
		},
		func(j *spec.Checks) {
			j.Decide("HISTORY-028",
				Accepted("creating a ControllerRevision", Answered(history.CreateRevision, changed)),
				Accepted("changing its number and its labels", Answered(history.UpdateRevision, changed)),
				Rejected("changing its data", "data", Answered(history.UpdateRevision, fixed)),
				Exactly(2, RevisionCreated()), Exactly(1, RevisionRenumbered()), Exactly(1, RevisionDeleted()))
		})
}
