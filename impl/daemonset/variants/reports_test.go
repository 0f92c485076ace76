package variants_test

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
	"github.com/rollcall-conformance/rollcall/impl/daemonset/variants"
)

func TestAVariantReportsOtherwiseWhereItSays(t *testing.T) {
	for name, c := range map[string]struct {
		change              func(w *world)
		number              func(appsv1.DaemonSetStatus) int32
		reference, variants int32
	}{
		"desired-only-goes-up": {
			func(w *world) { w.Nodes = w.Nodes[:2] }, func(s appsv1.DaemonSetStatus) int32 { return s.DesiredNumberScheduled }, 2, 3,
		},
		"misscheduled-only-goes-down": {
			func(w *world) { w.taint("n0", corev1.TaintEffectNoSchedule) }, func(s appsv1.DaemonSetStatus) int32 { return s.NumberMisscheduled }, 1, 0,
		},
		"terminating-pods-are-reported-as-ready": {
			func(w *world) { w.replace("v1-n0", leaving(w)) }, func(s appsv1.DaemonSetStatus) int32 { return s.NumberReady }, 2, 3,
		},
		"unavailable-means-not-ready": {
			func(w *world) {
				w.DaemonSet.Spec.MinReadySeconds = 10
				w.replace("v1-n0", readyFor(w, 0))
			}, func(s appsv1.DaemonSetStatus) int32 { return s.NumberUnavailable }, 1, 0,
		},
	} {
		t.Run(name, func(t *testing.T) {
			v, err := variants.Named(name)
			if err != nil {
				t.Fatal(err)
			}
			w := newWorld(t, 3, "1", "0")
			w.everywhere()
			w.DaemonSet.Status = *plan.Plan(w.State, w.now).Status
			c.change(w)
			if got := c.number(statusAfter(w, plan.Plan)); got != c.reference {
				t.Errorf("the reference reports %d, want %d", got, c.reference)
			}
			if got := c.number(statusAfter(w, v.Planner(plan.Plan))); got != c.variants {
				t.Errorf("the variant reports %d, want %d", got, c.variants)
			}
		})
	}
}

func statusAfter(w *world, planner plan.Planner) appsv1.DaemonSetStatus {
	if status := planner(w.State, w.now).Status; status != nil {
		return *status
	}
	return w.DaemonSet.Status
}
