package pause

import (
	"context"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

const (
	// met is where everybody has met the refusal of a pod.
	met history.Mark = "a pod has been refused"
	// rested is how long a controller may pause after refusals.
	rested = 30 * time.Second
)

// askForMemory makes pods that a limit of the namespace admits which refuses those that ask for none.
func askForMemory() Edit {
	return Edit{Says: "pods ask for 1Gi of memory", Apply: func(d *appsv1.DaemonSet) {
		d.Spec.Template.Spec.Containers[0].Resources.Requests = corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("1Gi")}
	}}
}

// refusedBeside is the spec of another DaemonSet of the namespace, whose pods are not refused.
func refusedBeside() {
	spec.It("rolls another DaemonSet out while the API server refuses the surge pods of one",
		spec.Decides("PAUSE-008", "ROLLING-001"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			healthy := c.Create(ctx, c.NewDaemonSet(other, MaxUnavailable("1"), askForMemory()))
			daemonSet := c.Deploy(ctx, MaxSurge("1"))
			c.Require(ctx, "the other DaemonSet is available", Steady(healthy))
			c.RefusePods(ctx, ByLimit)
			daemonSet = c.Update(ctx, daemonSet, Image("v2"))
			c.Await(ctx, Past(time.Now().Add(2*still)))
			c.Mark(met)
			c.Await(ctx, RolledOut(c.Update(ctx, healthy, Image("v3"))))
			c.Mark(over)
			c.AdmitPods(ctx)
			c.AwaitAfter(ctx, rested, RolledOut(daemonSet))
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, Done(history.RefusePods)), NeverBetween(Done(history.RefusePods), Began(history.AdmitPods), PodCreated(OfDaemonSet(paused))))
			j.Decide("PAUSE-008",
				// No pod is replaced before there is the history of its template (HISTORY-008).
				Within(spec.AtOnce, First(After(RevisionCreated(), Marked(met))), First(After(PodDeleted(OfDaemonSet(other)), Marked(met)))),
				HoldsAtMark(over, state.DaemonSetRolledOut(other)))
			j.Decide("ROLLING-001", HoldsAtMark(over, state.DaemonSetRolledOut(other)))
		}, spec.SimulatedNodes{})
}
