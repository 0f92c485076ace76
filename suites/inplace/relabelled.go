package inplace

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// relabelled are the specs of pods that somebody has given another value of a label of their template, as operators do that choose a primary.
func relabelled() {
	replica := another("label role: replica", func(t *corev1.PodTemplateSpec) { metav1.SetMetaDataLabel(&t.ObjectMeta, "role", "replica") })
	primary := map[string]string{"role": "primary"}

	spec.It("patches a pod that somebody has given another value of a label which the template has",
		spec.Decides("INPLACE-003"),
		func(ctx context.Context, c *spec.Case) {
			daemonSet := begin(ctx, c, 2, MaxUnavailable("1"), replica)
			c.LabelPod(ctx, c.LivePods(ctx, daemonSet)[0], primary)
			// By then everybody knows.
			c.Await(ctx, Quiet(judge.Lag))
			c.RollOut(ctx, daemonSet, Image("v2"))
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, Done(history.LabelPod)))
			j.Decide("INPLACE-003", append(stayed(begun), EndsRolledOut())...)
		}, spec.SimulatedNodes{})

	spec.It("patches a pod of a StatefulSet that somebody has given another value of a label which the template has",
		spec.Decides("INPLACE-031"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 1)
			inPlace := OfPods(c.InPlaceIfPossible(), replica)
			c.DeployStatefulSets(ctx, 2, map[string][]SetEdit{ordered: {inPlace}, parallel: {inPlace, Parallel()}})
			for _, set := range both() {
				c.LabelPod(ctx, memberOf(ctx, c, set, 1), primary)
			}
			// By then everybody knows.
			c.Await(ctx, Quiet(judge.Lag))
			c.Mark(begun)
			updateBoth(ctx, c, OfPods(Image("v2")))
			c.Await(ctx, state.StatefulSetsRolledOut())
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, Marked(begun)))
			j.Decide("INPLACE-031", append(stayed(begun), setsEndRolledOut())...)
		}, spec.SimulatedNodes{}, recorded())
}
