package act_test

import (
	"context"
	"errors"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/rollcall-conformance/rollcall/impl/disruption/act"
	"github.com/rollcall-conformance/rollcall/impl/disruption/plan"
	"github.com/rollcall-conformance/rollcall/impl/stale"
)

func server(funcs interceptor.Funcs) client.WithWatch {
	return fake.NewClientBuilder().WithScheme(clientgoscheme.Scheme).WithInterceptorFuncs(funcs).
		WithStatusSubresource(&policyv1.PodDisruptionBudget{}, &corev1.Pod{}).
		WithObjects(
			&policyv1.PodDisruptionBudget{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "budget"}},
			&corev1.Pod{
				ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "pod"},
				Status:     corev1.PodStatus{Conditions: []corev1.PodCondition{{Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue}, {Type: corev1.PodReady, Status: corev1.ConditionTrue}}},
			},
		).Build()
}

func read[T client.Object](t *testing.T, c client.Client, object T, name string) T {
	t.Helper()
	if err := c.Get(t.Context(), client.ObjectKey{Namespace: "ns", Name: name}, object); err != nil {
		t.Fatal(err)
	}
	return object
}

func allowing(n int32) plan.Actions {
	return plan.Actions{
		Status: &policyv1.PodDisruptionBudgetStatus{DisruptionsAllowed: n},
		Events: []plan.Event{{Type: corev1.EventTypeNormal, Reason: plan.EventNoPods, Message: "none"}},
	}
}

func TestAStatusIsWrittenOverTheVersionThatItWasPlannedFrom(t *testing.T) {
	g := NewWithT(t)
	c := server(interceptor.Funcs{})
	recorder := events.NewFakeRecorder(10)
	a := &act.Actor{Client: c, Recorder: recorder}
	planned := read(t, c, &policyv1.PodDisruptionBudget{}, "budget")

	eviction := planned.DeepCopy()
	eviction.Status.DisruptedPods = map[string]metav1.Time{"pod": metav1.NewTime(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))}
	g.Expect(c.Status().Update(t.Context(), eviction)).To(Succeed())

	g.Expect(a.Do(t.Context(), planned, allowing(3))).To(MatchError(stale.ErrView), "EVICT-014")
	g.Expect(recorder.Events).To(BeEmpty(), "what was not written is not told")
	stored := read(t, c, &policyv1.PodDisruptionBudget{}, "budget")
	g.Expect(stored.Status.DisruptedPods).To(HaveKey("pod"), "EVICT-014")
	g.Expect(stored.Status.DisruptionsAllowed).To(BeZero())

	g.Expect(a.Do(t.Context(), stored, allowing(3))).To(Succeed())
	g.Expect(read(t, c, &policyv1.PodDisruptionBudget{}, "budget").Status.DisruptionsAllowed).To(Equal(int32(3)))
	g.Expect(recorder.Events).To(Receive(ContainSubstring("NoPods")))
}

func TestNothingToWriteIsNotWritten(t *testing.T) {
	g := NewWithT(t)
	c := server(interceptor.Funcs{SubResourceUpdate: func(context.Context, client.Client, string, client.Object, ...client.SubResourceUpdateOption) error {
		t.Error("it was written")
		return nil
	}})
	a := &act.Actor{Client: c, Recorder: events.NewFakeRecorder(10)}
	g.Expect(a.Do(t.Context(), read(t, c, &policyv1.PodDisruptionBudget{}, "budget"), plan.Actions{})).To(Succeed(), "PDB-024")
	g.Expect(a.Reset(t.Context(), read(t, c, &corev1.Pod{}, "pod"), plan.TargetActions{})).To(Succeed())
}

func TestAFailedWriteIsNoOutdatedView(t *testing.T) {
	g := NewWithT(t)
	broken := errors.New("broken")
	c := server(interceptor.Funcs{SubResourceUpdate: func(context.Context, client.Client, string, client.Object, ...client.SubResourceUpdateOption) error {
		return broken
	}})
	a := &act.Actor{Client: c, Recorder: events.NewFakeRecorder(10)}
	err := a.Do(t.Context(), read(t, c, &policyv1.PodDisruptionBudget{}, "budget"), allowing(1))
	g.Expect(err).To(MatchError(broken))
	g.Expect(err).NotTo(MatchError(stale.ErrView))
}

func TestAResetIsOfThePodAsItWasSeen(t *testing.T) {
	g := NewWithT(t)
	c := server(interceptor.Funcs{})
	a := &act.Actor{Client: c, Recorder: events.NewFakeRecorder(10)}
	seen := read(t, c, &corev1.Pod{}, "pod")
	reset := seen.DeepCopy()
	reset.Status.Conditions[0].Status = corev1.ConditionFalse

	changed := seen.DeepCopy()
	changed.Status.Conditions[1].Status = corev1.ConditionFalse
	g.Expect(c.Status().Update(t.Context(), changed)).To(Succeed())
	g.Expect(a.Reset(t.Context(), seen, plan.TargetActions{Pod: reset})).To(MatchError(stale.ErrView))

	reset = changed.DeepCopy()
	reset.Status.Conditions[0].Status = corev1.ConditionFalse
	g.Expect(a.Reset(t.Context(), changed, plan.TargetActions{Pod: reset})).To(Succeed(), "PDB-034")
	g.Expect(read(t, c, &corev1.Pod{}, "pod").Status.Conditions).To(Equal(reset.Status.Conditions))
}
