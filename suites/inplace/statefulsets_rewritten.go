package inplace

import (
	"context"
	"encoding/json"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// rewrittenSets is the spec of revisions that say what they said before in other words, as where another version of a controller has written them.
func rewrittenSets() {
	spec.It("brings the earlier ControllerRevision of a StatefulSet back in a rollback, though its data has a field more, which is null",
		spec.Decides("INPLACE-034"),
		func(ctx context.Context, c *spec.Case) {
			beginBoth(ctx, c)
			var firsts []*appsv1.ControllerRevision
			for _, set := range both() {
				firsts = append(firsts, historiesOf(ctx, c, set)...)
			}
			updateBoth(ctx, c, OfPods(Image("v2")))
			c.Require(ctx, "all pods are updated", state.StatefulSetsRolledOut())
			for _, first := range firsts {
				again, err := otherwise(first)
				if err != nil {
					c.CannotDecide("the data of a ControllerRevision cannot be read: " + err.Error())
				}
				c.DeleteRevision(ctx, first)
				c.CreateRevision(ctx, again)
			}
			// By then everybody knows.
			c.Await(ctx, Quiet(judge.Lag))
			c.Mark(next)
			updateBoth(ctx, c, OfPods(Image("v1")))
			c.Await(ctx, state.StatefulSetsRolledOut())
		},
		func(j *spec.Checks) {
			j.Given(Exactly(len(both()), Done(history.CreateRevision)), AtLeast(1, Marked(next)))
			j.Decide("INPLACE-034", append(stayed(begun), setsEndRolledOut(), Never(After(RevisionCreated(), Marked(next))))...)
		}, spec.SimulatedNodes{}, recorded())
}

// otherwise is the history with the same content, as releases of Kubernetes before 1.34 wrote it: with the time of the template's creation, which is null.
func otherwise(revision *appsv1.ControllerRevision) (*appsv1.ControllerRevision, error) {
	var content map[string]any
	if err := json.Unmarshal(revision.Data.Raw, &content); err != nil {
		return nil, err
	}
	if err := unstructured.SetNestedField(content, nil, "spec", "template", "metadata", "creationTimestamp"); err != nil {
		return nil, err
	}
	raw, err := json.Marshal(content)
	return &appsv1.ControllerRevision{
		ObjectMeta: metav1.ObjectMeta{
			Name: revision.Name, Namespace: revision.Namespace, Labels: revision.Labels, Annotations: revision.Annotations, OwnerReferences: revision.OwnerReferences,
		},
		Data: runtime.RawExtension{Raw: raw}, Revision: revision.Revision,
	}, err
}
