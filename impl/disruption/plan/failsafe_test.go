package plan_test

import (
	"errors"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/impl/disruption/plan"
)

func TestABudgetThatCannotBeComputedAllowsNothing(t *testing.T) {
	lacking := errors.New("daemonsets.apps does not implement the scale subresource")
	for name, c := range map[string]struct {
		spec   func(*policyv1.PodDisruptionBudgetSpec)
		pods   func(w *world)
		says   string
		events []string
	}{
		"PDB-020, PDB-021 no scale": {maxUnavailable("1"), func(w *world) {
			w.set("a", 0, 2)
			w.Controllers["a"] = plan.Controller{UID: "a", Err: lacking}
		}, lacking.Error(), []string{plan.EventCalculateExpectedPodCountFailed}},
		"PDB-018 not known, also for a pod on its way out": {minAvailable("50%"), func(w *world) {
			w.set("b", 2, 2)
			w.pod(of("a"), terminating)
			w.Controllers["a"] = plan.Controller{UID: "a", Err: errors.New("timeout"), Temporary: true}
		}, "timeout", []string{plan.EventCalculateExpectedPodCountFailed}},
		"PDB-018 a controller that is gone": {maxUnavailable("1"), func(w *world) { w.set("b", 2, 2); w.pod(of("a")) },
			"pod pod-2 has a controller that does not exist: ReplicaSet a", []string{plan.EventCalculateExpectedPodCountFailed}},
		"PDB-022, PDB-023 bare pods among others": {maxUnavailable("1"), func(w *world) { w.set("a", 3, 3); w.pod(); w.pod() },
			"pod pod-3 (and 1 more) has no controller", []string{plan.EventUnmanagedPods}},
		"both": {minAvailable("10%"), func(w *world) { w.pod(); w.pod(of("a")) },
			"pod pod-0 has no controller", []string{plan.EventUnmanagedPods, plan.EventCalculateExpectedPodCountFailed}},
		"PDB-018 no percentage": {maxUnavailable("some"), func(w *world) { w.set("a", 3, 3) }, "spec.maxUnavailable", []string{plan.EventCalculateExpectedPodCountFailed}},
		"PDB-018 no selector that can be read": {func(spec *policyv1.PodDisruptionBudgetSpec) {
			minAvailable("1")(spec)
			spec.Selector = &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "app", Operator: "Near"}}}
		}, func(w *world) { w.pod() }, "spec.selector", []string{plan.EventNoPods}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			w := newWorld(c.spec)
			c.pods(w)
			w.Budget.Status = policyv1.PodDisruptionBudgetStatus{CurrentHealthy: 9, DesiredHealthy: 3, ExpectedPods: 9, DisruptionsAllowed: 6}
			actions := w.plan(t)
			status := w.Budget.Status
			g.Expect(status.DisruptionsAllowed).To(BeZero(), "PDB-018")
			g.Expect(status.DesiredHealthy).To(BeZero(), "EVICT-025: or unready pods would be let through")
			g.Expect(status.ObservedGeneration).To(Equal(int64(3)), "PDB-011")
			condition := status.Conditions[0]
			g.Expect([]string{string(condition.Status), condition.Reason}).To(Equal([]string{"False", policyv1.SyncFailedReason}), "PDB-018")
			g.Expect(condition.Message).To(ContainSubstring(c.says))
			g.Expect(reasons(actions)).To(Equal(c.events), "PDB-035")
			g.Expect(actions.RequeueAfter).To(Equal(plan.ScaleRecheck))
			again := w.plan(t)
			g.Expect(again.Status).To(BeNil(), "PDB-024")
			g.Expect(again.Events).To(BeEmpty(), "PDB-035: at a bounded rate")
		})
	}
}

func TestWhatMayPassIsTriedAgain(t *testing.T) {
	g := NewWithT(t)
	w := newWorld(maxUnavailable("1"))
	w.set("a", 0, 2)
	timeout := errors.New("timeout")
	w.Controllers["a"] = plan.Controller{UID: "a", Err: timeout, Temporary: true}
	g.Expect(w.plan(t).Retry).To(MatchError(timeout))
	g.Expect(w.plan(t).Retry).To(MatchError(timeout), "also when there is nothing new to write")
	w.Controllers["a"] = plan.Controller{UID: "a", Replicas: 2, Polled: true}
	actions := w.plan(t)
	g.Expect(in(w.Budget.Status)).To(Equal(numbers{2, 1, 2, 1}))
	g.Expect(actions.Retry).NotTo(HaveOccurred())
	g.Expect(actions.RequeueAfter).To(Equal(plan.ScaleRecheck), "nothing tells when that scale changes")
}

func TestFailuresAreToldWhenTheyBeginAndWhenTheyChange(t *testing.T) {
	g := NewWithT(t)
	w := newWorld(maxUnavailable("1"))
	w.set("a", 3, 3)
	bare := w.pod()
	g.Expect(reasons(w.plan(t))).To(Equal([]string{plan.EventUnmanagedPods}))
	since := w.Budget.Status.Conditions[0].LastTransitionTime
	w.pod(of("a"))
	g.Expect(reasons(w.plan(t))).To(BeEmpty(), "the number of healthy pods is written, the failure is the same")
	w.pod()
	g.Expect(reasons(w.plan(t))).To(Equal([]string{plan.EventUnmanagedPods}), "another message")
	g.Expect(w.Budget.Status.Conditions[0].LastTransitionTime).To(Equal(since))
	w.Pods = w.Pods[:3]
	g.Expect(w.Pods).NotTo(ContainElement(bare))
	g.Expect(reasons(w.plan(t))).To(BeEmpty())
	g.Expect(in(w.Budget.Status)).To(Equal(numbers{3, 2, 3, 1}))
}

func TestNoPodsAreTold(t *testing.T) {
	g := NewWithT(t)
	w := newWorld(minAvailable("1"))
	actions := w.plan(t)
	g.Expect(reasons(actions)).To(Equal([]string{plan.EventNoPods}), "PDB-035")
	g.Expect(actions.RequeueAfter).To(Equal(time.Duration(0)))
	g.Expect(reasons(w.plan(t))).To(BeEmpty())
}

func TestConditionsOfOthersSurvive(t *testing.T) {
	g := NewWithT(t)
	w := newWorld(minAvailable("1"))
	others := metav1.Condition{Type: "Others", Status: metav1.ConditionTrue, Reason: "Because", LastTransitionTime: metav1.NewTime(ago(time.Hour))}
	w.Budget.Status.Conditions = []metav1.Condition{others}
	w.pod()
	g.Expect(w.status(t).Conditions).To(ContainElement(others), "PDB-031")
	g.Expect(w.Budget.Status.Conditions).To(HaveLen(2))
}

func reasons(actions plan.Actions) []string {
	var all []string
	for _, event := range actions.Events {
		all = append(all, event.Reason)
	}
	return all
}
