package disruption

import (
	"context"
	"errors"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/events"
	clocktesting "k8s.io/utils/clock/testing"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/rollcall-conformance/rollcall/impl/disruption/act"
	"github.com/rollcall-conformance/rollcall/impl/disruption/observe"
	"github.com/rollcall-conformance/rollcall/impl/disruption/plan"
	"github.com/rollcall-conformance/rollcall/impl/requeue"
)

var now = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

// noScales fails every question about a scale.
type noScales struct{}

var errTimeout = errors.New("timeout")

func (noScales) Scale(context.Context, string, *metav1.OwnerReference) (observe.Scale, error) {
	return observe.Scale{}, errTimeout
}

func server(funcs interceptor.Funcs, objects ...client.Object) client.WithWatch {
	return fake.NewClientBuilder().WithScheme(clientgoscheme.Scheme).WithInterceptorFuncs(funcs).
		WithStatusSubresource(&policyv1.PodDisruptionBudget{}, &corev1.Pod{}).WithObjects(objects...).Build()
}

func reconciler(c client.Client) *Reconciler {
	options := Options{Clock: clocktesting.NewFakePassiveClock(now)}
	return NewReconciler(options, &observe.Observer{Cache: c, Scales: noScales{}}, c, events.NewFakeRecorder(10))
}

func objects() []client.Object {
	return []client.Object{
		&policyv1.PodDisruptionBudget{
			ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "budget", Generation: 2},
			Spec:       policyv1.PodDisruptionBudgetSpec{Selector: &metav1.LabelSelector{}, MinAvailable: ptr.To(intstr.FromInt32(0))},
		},
		&corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "pod", UID: "pod", OwnerReferences: []metav1.OwnerReference{
				{APIVersion: "example.test/v1", Kind: "Web", Name: "web", UID: "web", Controller: ptr.To(true)}}},
			Status: corev1.PodStatus{Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}},
		},
	}
}

var request = reconcile.Request{NamespacedName: types.NamespacedName{Namespace: "ns", Name: "budget"}}

func stored(g *WithT, c client.Client) *policyv1.PodDisruptionBudget {
	budget := &policyv1.PodDisruptionBudget{}
	g.Expect(c.Get(context.Background(), request.NamespacedName, budget)).To(Succeed())
	return budget
}

func TestABudgetIsComputedAndWritten(t *testing.T) {
	g := NewWithT(t)
	c := server(interceptor.Funcs{}, objects()...)
	g.Expect(reconciler(c).Reconcile(t.Context(), request)).To(Equal(reconcile.Result{}))
	first := stored(g, c)
	g.Expect(first.Status.DisruptionsAllowed).To(Equal(int32(1)))
	g.Expect(reconciler(c).Reconcile(t.Context(), request)).To(Equal(reconcile.Result{}))
	g.Expect(stored(g, c).ResourceVersion).To(Equal(first.ResourceVersion), "PDB-024")
}

func TestABudgetThatIsGoneIsNoError(t *testing.T) {
	NewWithT(t).Expect(reconciler(server(interceptor.Funcs{})).Reconcile(t.Context(), request)).To(Equal(reconcile.Result{}))
}

func TestAnEvictionMeanwhileIsPlannedAgain(t *testing.T) {
	g := NewWithT(t)
	c := server(interceptor.Funcs{SubResourceUpdate: func(ctx context.Context, c client.Client, _ string, object client.Object, _ ...client.SubResourceUpdateOption) error {
		budget := stored(g, c)
		budget.Status.DisruptedPods = map[string]metav1.Time{"pod": metav1.NewTime(now)}
		g.Expect(c.Status().Update(ctx, budget)).To(Succeed())
		return c.Status().Update(ctx, object)
	}}, objects()...)
	g.Expect(reconciler(c).Reconcile(t.Context(), request)).To(Equal(reconcile.Result{RequeueAfter: requeue.StaleRetry}), "EVICT-014")
	g.Expect(stored(g, c).Status.DisruptedPods).To(HaveKey("pod"), "EVICT-014")
}

func TestAFailureIsWrittenAndTriedAgain(t *testing.T) {
	g := NewWithT(t)
	all := objects()
	all[0].(*policyv1.PodDisruptionBudget).Spec.MinAvailable = ptr.To(intstr.FromString("50%"))
	c := server(interceptor.Funcs{}, all...)
	result, err := reconciler(c).Reconcile(t.Context(), request)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(result.RequeueAfter).To(And(BeNumerically(">", 0), BeNumerically("<", time.Second)))
	g.Expect(stored(g, c).Status.Conditions[0]).To(And(HaveField("Reason", policyv1.SyncFailedReason), HaveField("Message", ContainSubstring(errTimeout.Error()))), "PDB-018")
}

func TestAnEvictionIsGivenUpInTimeWhileAScaleCannotBeRead(t *testing.T) {
	g := NewWithT(t)
	all := objects()
	budget := all[0].(*policyv1.PodDisruptionBudget)
	budget.Spec.MinAvailable = ptr.To(intstr.FromString("50%"))
	budget.Status.DisruptedPods = map[string]metav1.Time{"pod": metav1.NewTime(now.Add(5*time.Second - plan.DeletionTimeout))}
	r := reconciler(server(interceptor.Funcs{}, all...))
	for range 20 {
		g.Expect(r.Reconcile(t.Context(), request)).To(HaveField("RequeueAfter", And(BeNumerically(">", 0), BeNumerically("<=", 5*time.Second))), "PDB-015")
	}
}

func TestTheConditionOfAPodIsResetInTime(t *testing.T) {
	g := NewWithT(t)
	pod := objects()[1].(*corev1.Pod)
	pod.Status.Conditions = append(pod.Status.Conditions, corev1.PodCondition{
		Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue, LastTransitionTime: metav1.NewTime(now.Add(-time.Minute)),
	})
	g.Expect(plan.MayBeStale(pod)).To(BeTrue())
	c := server(interceptor.Funcs{}, pod)
	clock := clocktesting.NewFakePassiveClock(now)
	r := &targets{cache: c, reset: plan.Reset, clock: clock, actor: &act.Actor{Client: c, Recorder: events.NewFakeRecorder(1)}}
	of := reconcile.Request{NamespacedName: client.ObjectKeyFromObject(pod)}
	g.Expect(r.Reconcile(t.Context(), of)).To(Equal(reconcile.Result{RequeueAfter: time.Minute}), "PDB-034")
	clock.SetTime(now.Add(time.Minute))
	g.Expect(r.Reconcile(t.Context(), of)).To(Equal(reconcile.Result{}))
	g.Expect(c.Get(t.Context(), of.NamespacedName, pod)).To(Succeed())
	g.Expect(pod.Status.Conditions[1].Status).To(Equal(corev1.ConditionFalse), "PDB-034")
	of.Name = "gone"
	g.Expect(r.Reconcile(t.Context(), of)).To(Equal(reconcile.Result{}))
}
