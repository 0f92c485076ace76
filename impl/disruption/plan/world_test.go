package plan_test

import (
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/rollcall-conformance/rollcall/impl/disruption/plan"
)

// now is when every plan is made.
var now = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

// world is a State under construction: a budget for pods of the app "web", and what it selects.
type world struct{ plan.State }

func newWorld(changes ...func(*policyv1.PodDisruptionBudgetSpec)) *world {
	w := &world{}
	w.Budget = &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "budget", UID: "budget", Generation: 3, ResourceVersion: "7"},
		Spec:       policyv1.PodDisruptionBudgetSpec{Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}},
	}
	for _, change := range changes {
		change(&w.Budget.Spec)
	}
	w.Controllers = map[types.UID]plan.Controller{}
	return w
}

func minAvailable(value string) func(*policyv1.PodDisruptionBudgetSpec) {
	v := intstr.Parse(value)
	return func(spec *policyv1.PodDisruptionBudgetSpec) { spec.MinAvailable = &v }
}

func maxUnavailable(value string) func(*policyv1.PodDisruptionBudgetSpec) {
	v := intstr.Parse(value)
	return func(spec *policyv1.PodDisruptionBudgetSpec) { spec.MaxUnavailable = &v }
}

// pod adds a healthy pod of the app without a controller.
func (w *world) pod(changes ...func(*corev1.Pod)) *corev1.Pod {
	name := fmt.Sprintf("pod-%d", len(w.Pods))
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "ns", Name: name, UID: types.UID(name), Generation: 1, Labels: map[string]string{"app": "web"},
			CreationTimestamp: metav1.NewTime(now.Add(-time.Hour)),
		},
		Status: corev1.PodStatus{Phase: corev1.PodRunning, Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}},
	}
	for _, change := range changes {
		change(pod)
	}
	w.Pods = append(w.Pods, pod)
	return pod
}

// set adds a controller with a scale, and so many healthy pods of it.
func (w *world) set(uid types.UID, replicas int32, pods int) {
	w.Controllers[uid] = plan.Controller{UID: uid, Replicas: replicas}
	for range pods {
		w.pod(of(uid))
	}
}

// plan plans, and keeps the status as if it had been written.
func (w *world) plan(t *testing.T) plan.Actions {
	t.Helper()
	actions := plan.Plan(w.State, now)
	if actions.Status != nil {
		w.Budget = w.Budget.DeepCopy()
		w.Budget.Status = *actions.Status
	}
	return actions
}

// status plans once and returns the status that the budget has then.
func (w *world) status(t *testing.T) policyv1.PodDisruptionBudgetStatus {
	t.Helper()
	w.plan(t)
	return w.Budget.Status
}

func of(controller types.UID) func(*corev1.Pod) {
	return func(pod *corev1.Pod) {
		isController := true
		pod.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: string(controller), UID: controller, Controller: &isController}}
	}
}

func unready(pod *corev1.Pod)       { pod.Status.Conditions[0].Status = corev1.ConditionFalse }
func failed(pod *corev1.Pod)        { pod.Status.Phase = corev1.PodFailed }
func terminating(pod *corev1.Pod)   { at := metav1.NewTime(now); pod.DeletionTimestamp = &at }
func unlabelled(pod *corev1.Pod)    { pod.Labels = nil }
func elsewhere(pod *corev1.Pod)     { pod.Namespace = "other" }
func someoneElses(pod *corev1.Pod)  { pod.Labels = map[string]string{"app": "db"} }
func ago(d time.Duration) time.Time { return now.Add(-d) }

func (w *world) evicted(name string, at time.Time) {
	if w.Budget.Status.DisruptedPods == nil {
		w.Budget.Status.DisruptedPods = map[string]metav1.Time{}
	}
	w.Budget.Status.DisruptedPods[name] = metav1.NewTime(at)
}
