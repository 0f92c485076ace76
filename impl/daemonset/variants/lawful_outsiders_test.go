package variants_test

import (
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
	"github.com/rollcall-conformance/rollcall/impl/united/api"
	unitedplan "github.com/rollcall-conformance/rollcall/impl/united/plan"
)

// TestOutsidersDoOtherwise shows what the reference does and what the variant does instead.
func TestOutsidersDoOtherwise(t *testing.T) {
	unbound := func(pod *corev1.Pod) { unready(pod); pod.Spec.NodeName = "" }
	for _, test := range []struct {
		name          string
		world         func(t *testing.T) *world
		planned, does string
	}{
		{"keeps-unready-old-pods-beside-updated-ones", func(t *testing.T) *world {
			w := rollout(t, 1, "1", "0", unready)
			w.pod("n0", unready)
			return w
		}, "delete v1-n0", ""},
		{"keeps-unready-old-pods-beside-updated-ones", func(t *testing.T) *world {
			w := rollout(t, 1, "1", "0", unready)
			w.pod("n0", unbound)
			return w
		}, "delete v1-n0", "again after 2s"},
		{"keeps-unready-old-pods-beside-updated-ones", func(t *testing.T) *world {
			w := rollout(t, 1, "1", "0", unready)
			w.pod("n0")
			return w
		}, "delete v1-n0", "delete v1-n0"},
		{"keeps-unready-old-pods-beside-updated-ones", func(t *testing.T) *world {
			w := rollout(t, 1, "1", "0", unready)
			w.pod("n0", unready)
			w.update("v1")
			return w
		}, "delete v2-n0", "delete v2-n0"},
		{"replaces-unready-pods-within-max-unavailable", func(t *testing.T) *world {
			return rollout(t, 3, "0", "1", unready)
		}, "delete v1-n0, delete v1-n1, delete v1-n2", "delete v1-n0"},
		{"replaces-unready-pods-within-max-unavailable", func(t *testing.T) *world {
			w := rollout(t, 2, "0", "1", unready)
			w.Pods = w.Pods[1:]
			w.pod("n0", unready)
			return w
		}, "delete v1-n1", ""},
		{"pods-that-ended-hold-a-rollout-up", func(t *testing.T) *world {
			w := rollout(t, 2, "2", "0")
			w.pod("n0", failed)
			w.Backoff = map[string]plan.Backoff{"n0": plan.Backoff{}.Next(w.now)}
			return w
		}, "create on n1, again after 1s", "again after 1s"},
		{"keeps-the-younger-of-two-old-revisions", func(t *testing.T) *world {
			w := rollout(t, 1, "1", "0", unready)
			w.pod("n0", unready)
			w.update("v3")
			return w
		}, "delete v2-n0", "delete v1-n0"},
		{"leaves-a-slot-to-each-cordoned-node", func(t *testing.T) *world {
			w := rollout(t, 3, "2", "0")
			w.Nodes[2] = w.Nodes[2].DeepCopy()
			w.Nodes[2].Spec.Unschedulable = true
			return w
		}, "create on n0, create on n1", "create on n0"},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := test.world(t)
			if got := summary(plan.Plan(w.State, w.now)); got != test.planned {
				t.Errorf("the reference does %q", got)
			}
			if got := summary(named(t, test.name).Planner(plan.Plan)(w.State, w.now)); got != test.does {
				t.Errorf("the variant does %q", got)
			}
		})
	}
}

func TestPercentagesOfTheFewestNodes(t *testing.T) {
	w := rollout(t, 4, "50%", "0")
	planner := named(t, "percentages-of-the-fewest-nodes-of-a-generation").Planner(plan.Plan)
	all := w.Nodes
	w.Nodes = all[:2]
	if got := len(planner(w.State, w.now).CreatePods); got != 1 {
		t.Errorf("with two nodes it surges on %d", got)
	}
	w.Nodes = all
	if got := len(planner(w.State, w.now).CreatePods); got != 1 {
		t.Errorf("with two more it surges on %d", got)
	}
	w.update("v3")
	if got := len(planner(w.State, w.now).CreatePods); got != 2 {
		t.Errorf("in the next rollout it surges on %d", got)
	}
}

func TestOutsidersNumberAndNoteHistories(t *testing.T) {
	w := rollout(t, 1, "0", "1")
	w.DaemonSet.Spec.Template.Spec.Containers[0].Image = "v1"
	w.DaemonSet.Generation++
	raised := named(t, "raises-histories-by-ten").Planner(plan.Plan)(w.State, w.now).UpdateRevisions
	if len(raised) != 1 || raised[0].Revision.Revision != 12 {
		t.Errorf("it raises %+v", raised)
	}
	planner := named(t, "notes-the-generation-on-the-history").Planner(plan.Plan)
	noted := planner(w.State, w.now).UpdateRevisions
	if len(noted) != 1 || noted[0].Revision.Revision != 3 || noted[0].Revision.Annotations["example.com/in-force-for-generation"] != "3" {
		t.Fatalf("it notes %+v", noted)
	}
	w.Revisions[0] = noted[0].Revision
	if again := planner(w.State, w.now.Add(time.Minute)).UpdateRevisions; len(again) != 0 {
		t.Errorf("it notes again %+v", again)
	}
}

func TestEndedPodsAreScheduledOnce(t *testing.T) {
	w := newWorld(t, 2, "0", "1")
	w.pod("n0")
	w.pod("n1", failed)
	w.Backoff = map[string]plan.Backoff{"n1": plan.Backoff{}.Next(w.now)}
	planner := named(t, "pods-that-ended-count-as-scheduled").Planner(plan.Plan)
	first := planner(w.State, w.now)
	if first.Status == nil || first.Status.CurrentNumberScheduled != 2 {
		t.Fatalf("it writes %+v", first.Status)
	}
	w.DaemonSet.Status = *first.Status
	if again := planner(w.State, w.now); again.Status != nil {
		t.Errorf("it writes again %+v", again.Status)
	}
}

func TestGainsComeLate(t *testing.T) {
	w := newWorld(t, 2, "0", "1")
	w.pod("n0")
	w.pod("n1", readyFor(w, 0), unready, func(pod *corev1.Pod) { pod.CreationTimestamp.Time = w.now })
	planner := named(t, "reports-gains-late").Planner(plan.Plan)
	first := planner(w.State, w.now)
	if first.Status == nil {
		t.Fatal("it does not write the first status at once")
	}
	w.DaemonSet.Status = *first.Status
	w.Pods[1] = w.Pods[0].DeepCopy()
	w.Pods[1].UID, w.Pods[1].Name = "other", "other"
	w.Pods[1].Spec.NodeName = "n1"
	if early := planner(w.State, w.now); early.Status != nil || early.RequeueAfter != 2*time.Second {
		t.Errorf("it writes %+v at once, and comes back after %s", early.Status, early.RequeueAfter)
	}
	if late := planner(w.State, w.now.Add(2*time.Second)); late.Status == nil || late.Status.NumberReady != 2 {
		t.Errorf("it writes %+v later", late.Status)
	}
}

func TestAStallTellsTheTime(t *testing.T) {
	w := rollout(t, 2, "1", "0")
	w.pod("n0", func(pod *corev1.Pod) {
		unready(pod)
		pod.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "agent", State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ImagePullBackOff"}}}}
	})
	planner := named(t, "says-how-long-a-stall-has-lasted").Planner(plan.Plan)
	says := func(after time.Duration) (string, plan.Actions) {
		actions := planner(w.State, w.now.Add(after))
		if actions.Status != nil {
			w.DaemonSet = w.DaemonSet.DeepCopy()
			w.DaemonSet.Status = *actions.Status
		}
		for _, c := range w.DaemonSet.Status.Conditions {
			if c.Type == plan.ConditionStalled {
				return c.Message, actions
			}
		}
		return "", actions
	}
	first, _ := says(0)
	if first == "" || strings.Contains(first, "(for") {
		t.Fatalf("it says %q at first", first)
	}
	if same, actions := says(time.Second); same != first || actions.Status != nil || actions.RequeueAfter != 4*time.Second {
		t.Errorf("it says %q after a second, and writes %+v", same, actions.Status)
	}
	if later, actions := says(11 * time.Second); later != first+" (for 10s)" || len(actions.Events) > 0 {
		t.Errorf("it says %q after 11 seconds, with %+v", later, actions.Events)
	}
	if same, actions := says(12 * time.Second); actions.Status != nil {
		t.Errorf("it writes %q again", same)
	}
	// What it says once the rollout is over.
	w.Pods = w.Pods[2:]
	w.pod("n1")
	last, _ := says(20 * time.Second)
	if same, actions := says(time.Minute); same != last || actions.Status != nil {
		t.Errorf("it says %q and then %q", last, same)
	}
}

func TestItLooksAroundAndThenActs(t *testing.T) {
	w := newWorld(t, 1, "0", "1")
	planner := named(t, "looks-around-before-it-acts").Planner(plan.Plan)
	if got := summary(planner(w.State, w.now)); got != "again after 2s" {
		t.Errorf("at first it does %q", got)
	}
	if got := summary(planner(w.State, w.now.Add(2*time.Second))); got != "create on n0" {
		t.Errorf("after two seconds it does %q", got)
	}
}

func TestStallsAreRemindedOf(t *testing.T) {
	w := rollout(t, 2, "1", "0")
	w.pod("n0", unready, func(pod *corev1.Pod) {
		pod.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "agent", State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ImagePullBackOff"}}}}
	})
	planner := named(t, "reminds-of-a-stall").Planner(plan.Plan)
	for _, step := range []struct {
		after  time.Duration
		reason string
	}{{0, plan.EventRolloutStalled}, {time.Second, ""}, {5 * time.Second, "RolloutStillStalled"}, {6 * time.Second, ""}, {10 * time.Second, "RolloutStillStalled"}} {
		actions := planner(w.State, w.now.Add(step.after))
		if actions.Status != nil {
			w.DaemonSet = w.DaemonSet.DeepCopy()
			w.DaemonSet.Status = *actions.Status
		}
		var reason string
		for _, event := range actions.Events {
			reason += event.Reason
		}
		if reason != step.reason {
			t.Errorf("after %s it tells %q", step.after, reason)
		}
	}
}

func TestSubsetsStayForAWhile(t *testing.T) {
	ds := &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Name: "agent-a", UID: "a"}}
	state := unitedplan.State{United: &api.UnitedDaemonSet{ObjectMeta: metav1.ObjectMeta{UID: "united"}}, DaemonSets: []*appsv1.DaemonSet{ds}}
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	next := func(unitedplan.State, time.Time) unitedplan.Actions {
		return unitedplan.Actions{Delete: []*appsv1.DaemonSet{ds}, Status: &api.Status{ObservedGeneration: 1}}
	}
	keeps, reports := named(t, "united-keeps-empty-subsets-for-a-while").United(next), named(t, "united-reports-two-seconds-late").United(next)
	if got := keeps(state, now); len(got.Delete) != 0 || got.Status == nil || got.Again != 2*time.Second {
		t.Errorf("at once it does %+v", got)
	}
	if got := reports(state, now); len(got.Delete) != 1 || got.Status != nil || got.Again != 2*time.Second {
		t.Errorf("at once it does %+v", got)
	}
	now = now.Add(2 * time.Second)
	if got := keeps(state, now); len(got.Delete) != 1 {
		t.Errorf("later it does %+v", got)
	}
	if got := reports(state, now); got.Status == nil {
		t.Errorf("later it does %+v", got)
	}
}
