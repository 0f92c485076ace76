package act_test

import (
	"context"
	"testing"

	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/rollcall-conformance/rollcall/impl/inplace"
	"github.com/rollcall-conformance/rollcall/impl/stale"
	"github.com/rollcall-conformance/rollcall/impl/statefulset/act"
	"github.com/rollcall-conformance/rollcall/impl/statefulset/plan"
)

func named(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Namespace: "data", Name: name} }

func server(funcs interceptor.Funcs) client.WithWatch {
	return fake.NewClientBuilder().WithScheme(clientgoscheme.Scheme).WithInterceptorFuncs(funcs).WithStatusSubresource(&appsv1.StatefulSet{}).WithObjects(
		&appsv1.StatefulSet{ObjectMeta: named("db")},
		&corev1.PersistentVolumeClaim{ObjectMeta: named("data-db-0")},
		&corev1.Pod{ObjectMeta: named("db-1"), Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "db", Image: "db:v1"}}}},
	).Build()
}

func read[T client.Object](t *testing.T, c client.Client, object T, name string) T {
	t.Helper()
	if err := c.Get(t.Context(), client.ObjectKey{Namespace: "data", Name: name}, object); err != nil {
		t.Fatal(err)
	}
	return object
}

func update(pod *corev1.Pod) plan.Actions {
	return plan.Actions{UpdatePods: []plan.PodUpdate{{
		Pod: pod, Images: map[string]string{"db": "db:v2"}, Labels: map[string]string{plan.RevisionLabel: "two"}, Annotations: map[string]string{"record": "x"},
	}}}
}

func TestClaimsAreThereBeforeTheirPods(t *testing.T) {
	g := NewWithT(t)
	var created []string
	c := server(interceptor.Funcs{Create: func(ctx context.Context, c client.WithWatch, object client.Object, options ...client.CreateOption) error {
		created = append(created, object.GetName())
		return c.Create(ctx, object, options...)
	}})
	a := &act.Actor{Client: c, Recorder: events.NewFakeRecorder(10)}
	g.Expect(a.Do(t.Context(), read(t, c, &appsv1.StatefulSet{}, "db"), plan.Actions{
		CreateRevision: &appsv1.ControllerRevision{ObjectMeta: named("db-one")},
		// One of them is there already.
		CreateClaims: []*corev1.PersistentVolumeClaim{{ObjectMeta: named("data-db-0")}, {ObjectMeta: named("more-db-0")}},
		CreatePods:   []*corev1.Pod{{ObjectMeta: named("db-0")}},
		Status:       &appsv1.StatefulSetStatus{Replicas: 7},
	})).To(Succeed())
	g.Expect(created).To(Equal([]string{"db-one", "data-db-0", "more-db-0", "db-0"}))
	g.Expect(read(t, c, &appsv1.StatefulSet{}, "db").Status.Replicas).To(BeEquivalentTo(7))
}

func TestAPodIsUpdatedOnlyAsItWasSeen(t *testing.T) {
	g := NewWithT(t)
	c := server(interceptor.Funcs{})
	a := &act.Actor{Client: c, Recorder: events.NewFakeRecorder(10)}
	set, seen := read(t, c, &appsv1.StatefulSet{}, "db"), read(t, c, &corev1.Pod{}, "db-1")
	g.Expect(a.Do(t.Context(), set, update(seen))).To(Succeed())
	now := read(t, c, &corev1.Pod{}, "db-1")
	g.Expect(now.Spec.Containers[0].Image).To(Equal("db:v2"))
	g.Expect(now.Labels).To(HaveKeyWithValue(plan.RevisionLabel, "two"), "INPLACE-034")
	g.Expect(now.Annotations).To(HaveKeyWithValue("record", "x"))
	for name, outdated := range map[string]plan.Actions{"update": update(seen), "delete": {DeletePods: []*corev1.Pod{seen}}} {
		err := a.Do(t.Context(), set, outdated)
		g.Expect(stale.Only(err)).To(BeTrue(), "%s: it is not as it was seen: %v", name, err)
	}
	g.Expect(read(t, c, &corev1.Pod{}, "db-1").Spec.Containers[0].Image).To(Equal("db:v2"))
}

func TestAProofIsWrittenOnItsPodAlone(t *testing.T) {
	g := NewWithT(t)
	var refusal error
	c := server(interceptor.Funcs{Patch: func(ctx context.Context, c client.WithWatch, object client.Object, patch client.Patch, options ...client.PatchOption) error {
		if refusal != nil {
			return refusal
		}
		return c.Patch(ctx, object, patch, options...)
	}})
	a := &act.Actor{Client: c, Recorder: events.NewFakeRecorder(10)}
	set, pod := read(t, c, &appsv1.StatefulSet{}, "db"), read(t, c, &corev1.Pod{}, "db-1")
	proves := func(pod *corev1.Pod) plan.Actions {
		return plan.Actions{ProvePods: []inplace.PodProof{{Pod: pod, Value: "done"}}}
	}
	gone := pod.DeepCopy()
	gone.Name = "db-7"
	g.Expect(a.Do(t.Context(), set, proves(gone))).To(Succeed(), "it needs no proof")
	g.Expect(a.Do(t.Context(), set, proves(pod))).To(Succeed())
	g.Expect(read(t, c, &corev1.Pod{}, "db-1").Annotations).To(HaveKeyWithValue(inplace.Proof, "done"))
	refusal = apierrors.NewForbidden(corev1.Resource("pods"), "db-1", nil)
	g.Expect(a.Do(t.Context(), set, proves(pod))).To(MatchError(ContainSubstring("forbidden")))
}

func TestAPodThatTheAPIServerRefusesToUpdateStays(t *testing.T) {
	g := NewWithT(t)
	c := server(interceptor.Funcs{Patch: func(context.Context, client.WithWatch, client.Object, client.Patch, ...client.PatchOption) error {
		return apierrors.NewInvalid(corev1.SchemeGroupVersion.WithKind("Pod").GroupKind(), "db-1", nil)
	}})
	recorder := events.NewFakeRecorder(10)
	a := &act.Actor{Client: c, Recorder: recorder}
	err := a.Do(t.Context(), read(t, c, &appsv1.StatefulSet{}, "db"), update(read(t, c, &corev1.Pod{}, "db-1")))
	g.Expect(err).To(MatchError(ContainSubstring("is invalid")))
	g.Expect(stale.Only(err)).To(BeFalse())
	g.Expect(recorder.Events).To(Receive(ContainSubstring(act.EventFailedUpdate)))
	g.Expect(read(t, c, &corev1.Pod{}, "db-1").Spec.Containers[0].Image).To(Equal("db:v1"))
}

func TestWhatCannotBeSeenToIsSaid(t *testing.T) {
	g := NewWithT(t)
	recorder := events.NewFakeRecorder(10)
	c := server(interceptor.Funcs{})
	a := &act.Actor{Client: c, Recorder: recorder}
	g.Expect(a.Do(t.Context(), read(t, c, &appsv1.StatefulSet{}, "db"), plan.Actions{Err: context.Canceled})).To(Succeed())
	g.Expect(recorder.Events).To(Receive(ContainSubstring("InvalidStatefulSet")))
}
