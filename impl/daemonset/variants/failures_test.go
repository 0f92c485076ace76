package variants_test

import (
	"slices"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
	"github.com/rollcall-conformance/rollcall/impl/daemonset/variants"
)

// TestWhoBuriesPodsLateReportsThatTheyFail though its planner does not see them (COND-001, COND-002).
func TestWhoBuriesPodsLateReportsThatTheyFail(t *testing.T) {
	v, err := variants.Named("buries-failed-pods-late")
	if err != nil {
		t.Fatal(err)
	}
	w := rollout(t, 1, "1", "0")
	w.pod("n0", failed)
	planner := v.Planner(plan.Plan)
	actions := planner(w.State, w.now)
	if len(actions.DeletePods) > 0 || !stalled(actions.Status) {
		t.Fatalf("at first it deletes %d pods, and reports %v", len(actions.DeletePods), actions.Status)
	}
	if !slices.ContainsFunc(actions.Events, func(event plan.Event) bool { return event.Reason == plan.EventRolloutStalled }) {
		t.Errorf("it tells of %v", actions.Events)
	}
	w.DaemonSet.Status = *actions.Status
	if later := planner(w.State, w.now.Add(time.Second)); len(later.CreatePods) == 0 || later.Status != nil && !stalled(later.Status) {
		t.Errorf("a second later it creates %d pods, and reports %v", len(later.CreatePods), later.Status)
	}
	if last := planner(w.State, w.now.Add(4*time.Second)); len(last.DeletePods) == 0 || last.Status != nil && !stalled(last.Status) {
		t.Errorf("in the end it deletes %d pods, and reports %v", len(last.DeletePods), last.Status)
	}
}

func stalled(status *appsv1.DaemonSetStatus) bool {
	return status != nil && slices.ContainsFunc(status.Conditions, func(c appsv1.DaemonSetCondition) bool {
		return c.Type == plan.ConditionStalled && c.Status == corev1.ConditionTrue
	})
}
