package variants_test

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/rollcall-conformance/rollcall/impl/disruption/plan"
	"github.com/rollcall-conformance/rollcall/impl/disruption/variants"
)

var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

// planners returns the reference's planner and that of the variant.
func planners(t *testing.T, name string) (reference, variant plan.Planner) {
	t.Helper()
	v, found := variants.Named(name)
	if !found {
		t.Fatalf("there is no variant %s", name)
	}
	return plan.Plan, v.Planner(plan.Plan)
}

func budget(limit string) *policyv1.PodDisruptionBudget {
	least := intstr.Parse(limit)
	return &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "budget", UID: "budget", Generation: 1},
		Spec:       policyv1.PodDisruptionBudgetSpec{MinAvailable: &least, Selector: &metav1.LabelSelector{}},
	}
}

func pod(name, kind, node string) *corev1.Pod {
	owner := metav1.OwnerReference{Kind: kind, Name: "workload", UID: "workload", Controller: ptr.To(true)}
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name, UID: types.UID(name), ResourceVersion: "1", OwnerReferences: []metav1.OwnerReference{owner}},
		Spec:       corev1.PodSpec{NodeName: node},
		Status: corev1.PodStatus{Phase: corev1.PodRunning, Conditions: []corev1.PodCondition{
			{Type: corev1.PodReady, Status: corev1.ConditionTrue, LastTransitionTime: metav1.NewTime(noon.Add(-time.Hour))},
		}},
	}
}

// status is what the budget has after a pass of the planner.
func status(planner plan.Planner, state plan.State) policyv1.PodDisruptionBudgetStatus {
	if actions := planner(state, noon); actions.Status != nil {
		state.Budget.Status = *actions.Status
	}
	return state.Budget.Status
}

func TestScalesAreKeptWhilePodsTerminate(t *testing.T) {
	reference, variant := planners(t, "keeps-scales-while-pods-terminate")
	for name, planner := range map[string]plan.Planner{"reference": reference, "variant": variant} {
		state := plan.State{Budget: budget("50%"), Pods: []*corev1.Pod{pod("a", "StatefulSet", "n0"), pod("b", "StatefulSet", "n1")}}
		scaled := func(replicas int32) int32 {
			state.Controllers = map[types.UID]plan.Controller{"workload": {UID: "workload", Replicas: replicas}}
			return status(planner, state).ExpectedPods
		}
		wanted := map[string][3]int32{"reference": {2, 6, 6}, "variant": {2, 2, 6}}[name]
		first := scaled(2)
		state.Pods[0].DeletionTimestamp = ptr.To(metav1.NewTime(noon))
		second := scaled(6)
		state.Pods = state.Pods[1:]
		if got := [3]int32{first, second, scaled(6)}; got != wanted {
			t.Errorf("%s expects %v, want %v", name, got, wanted)
		}
	}
}

func TestAnAnswerIsGivenAgain(t *testing.T) {
	reference, variant := planners(t, "answers-for-an-earlier-spec")
	for name, planner := range map[string]plan.Planner{"reference": reference, "variant": variant} {
		state := plan.State{Budget: budget("1"), Pods: []*corev1.Pod{pod("a", "StatefulSet", "n0"), pod("b", "StatefulSet", "n1")}}
		var observed []int64
		changed := func(limit string) {
			state.Budget.Spec.MinAvailable = ptr.To(intstr.Parse(limit))
			state.Budget.Generation++
			observed = append(observed, status(planner, state).ObservedGeneration, status(planner, state).ObservedGeneration)
		}
		changed("1")
		changed("2")
		changed("1")
		state.Pods[0].ResourceVersion = "2"
		observed = append(observed, status(planner, state).ObservedGeneration)
		back := map[string]int64{"reference": 4, "variant": 2}[name]
		if observed[0] != 2 || observed[1] != 2 || observed[2] != 3 || observed[3] != 3 || observed[4] != back || observed[5] != back || observed[6] != 4 {
			t.Errorf("%s observed %v", name, observed)
		}
	}
}

func TestAnEvictionFromBeforeAPodBecameReadyIsForgotten(t *testing.T) {
	reference, variant := planners(t, "forgets-evictions-of-pods-that-became-ready-since")
	for name, planner := range map[string]plan.Planner{"reference": reference, "variant": variant} {
		state := plan.State{Budget: budget("1"), Pods: []*corev1.Pod{pod("a", "StatefulSet", "n0"), pod("b", "StatefulSet", "n1")}}
		state.Budget.Status.DisruptedPods = map[string]metav1.Time{"a": metav1.NewTime(noon.Add(-time.Minute))}
		before := status(planner, state)
		state.Pods[0].Status.Conditions[0].LastTransitionTime = metav1.NewTime(noon.Add(-time.Second))
		after := status(planner, state)
		wanted := map[string]int32{"reference": 1, "variant": 2}[name]
		if before.CurrentHealthy != 1 || after.CurrentHealthy != wanted || len(after.DisruptedPods) != 2-int(wanted) {
			t.Errorf("%s: before %+v, after %+v", name, before, after)
		}
	}
}

func TestADaemonPodCountsOnceOnItsNode(t *testing.T) {
	reference, variant := planners(t, "counts-one-daemon-pod-a-node")
	for name, planner := range map[string]plan.Planner{"reference": reference, "variant": variant} {
		state := plan.State{Budget: budget("1"), Pods: []*corev1.Pod{pod("a", "DaemonSet", "n0"), pod("b", "DaemonSet", "n0"), pod("c", "DaemonSet", "n1")}}
		wanted := map[string]int32{"reference": 3, "variant": 2}[name]
		for range 2 {
			if got := status(planner, state); got.CurrentHealthy != wanted || got.DisruptionsAllowed != wanted-1 {
				t.Errorf("%s: %+v", name, got)
			}
		}
		for _, each := range state.Pods {
			each.OwnerReferences[0].Kind = "StatefulSet"
		}
		if got := status(planner, state); got.CurrentHealthy != 3 {
			t.Errorf("%s, of no DaemonSet: %+v", name, got)
		}
	}
}

func TestAnAdoptionIsNotHeardOf(t *testing.T) {
	v, _ := variants.Named("hears-of-no-adoptions")
	before, after := pod("a", "ReplicaSet", "n0"), pod("a", "ReplicaSet", "n0")
	before.OwnerReferences = nil
	budgets := []*policyv1.PodDisruptionBudget{budget("1")}
	if n := len(plan.Concerned(budgets, before, after)); n != 1 {
		t.Errorf("the reference looks at %d budgets", n)
	}
	if n := len(v.Concerned(budgets, before, after)); n != 0 {
		t.Errorf("the variant looks at %d budgets", n)
	}
	after.Labels = map[string]string{"is": "another"}
	if n := len(v.Concerned(budgets, before, after)); n != 1 {
		t.Errorf("the variant looks at %d budgets of a relabelled pod", n)
	}
}
