package act_test

import (
	"context"
	"errors"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/act"
	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
	"github.com/rollcall-conformance/rollcall/impl/inplace"
	"github.com/rollcall-conformance/rollcall/impl/stale"
)

// running is a pod with two containers.
func running() *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "pod", Namespace: "ns", UID: "pod-uid", Labels: map[string]string{"app": "agent", plan.HashLabel: "one"}},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "agent", Image: "agent:v1"}, {Name: "sidecar", Image: "sidecar:v1"}}},
	}
}

func updateOf(pod *corev1.Pod) plan.PodUpdate {
	return plan.PodUpdate{
		Pod: pod, Node: "n0", Reason: plan.ReasonOutdated, Images: map[string]string{"agent": "agent:v2"},
		Labels: map[string]string{plan.HashLabel: "two"}, Annotations: map[string]string{inplace.Record: "{}"},
	}
}

func (b *bench) pod(t *testing.T) *corev1.Pod {
	t.Helper()
	pod := &corev1.Pod{}
	if err := b.Live.Get(context.Background(), client.ObjectKey{Namespace: "ns", Name: "pod"}, pod); err != nil {
		t.Fatal(err)
	}
	return pod
}

func TestAnUpdateInPlaceIsOneWriteOfThePodAsItWasSeen(t *testing.T) {
	g := NewWithT(t)
	writes := 0
	b := newBench(t, interceptor.Funcs{Patch: func(ctx context.Context, server client.WithWatch, object client.Object, patch client.Patch, options ...client.PatchOption) error {
		writes++
		return server.Patch(ctx, object, patch, options...)
	}}, running())
	seen := b.pod(t)
	g.Expect(b.Do(context.Background(), b.ds, plan.Actions{UpdatePods: []plan.PodUpdate{updateOf(seen)}})).To(Succeed())
	now := b.pod(t)
	g.Expect(writes).To(Equal(1))
	g.Expect(now.Spec.Containers[0].Image).To(Equal("agent:v2"))
	g.Expect(now.Spec.Containers[1].Image).To(Equal("sidecar:v1"))
	g.Expect(now.Labels).To(Equal(map[string]string{"app": "agent", plan.HashLabel: "two"}))
	g.Expect(now.Annotations).To(HaveKey(inplace.Record))
	g.Expect(b.awaited(seen)).NotTo(BeZero(), "the cache has yet to show it")

	err := b.Do(context.Background(), b.ds, plan.Actions{UpdatePods: []plan.PodUpdate{updateOf(seen)}})
	g.Expect(stale.Only(err)).To(BeTrue(), "it is not as it was seen: %v", err)
}

func TestAProofIsWrittenOnItsPodAloneAndNothingWaitsForIt(t *testing.T) {
	g := NewWithT(t)
	var refusal error
	b := newBench(t, interceptor.Funcs{Patch: func(ctx context.Context, server client.WithWatch, object client.Object, patch client.Patch, options ...client.PatchOption) error {
		if refusal != nil {
			return refusal
		}
		return server.Patch(ctx, object, patch, options...)
	}}, running())
	seen := b.pod(t)
	proves := func(pod *corev1.Pod) plan.Actions {
		return plan.Actions{ProvePods: []inplace.PodProof{{Pod: pod, Value: "done"}}, CreatePods: b.creations(1)}
	}
	gone := seen.DeepCopy()
	gone.Name = "gone"
	g.Expect(b.Do(context.Background(), b.ds, plan.Actions{ProvePods: proves(gone).ProvePods})).To(Succeed(), "it needs no proof")
	g.Expect(b.Do(context.Background(), b.ds, plan.Actions{ProvePods: proves(seen).ProvePods})).To(Succeed())
	g.Expect(b.pod(t).Annotations).To(HaveKeyWithValue(inplace.Proof, "done"))
	g.Expect(b.awaited(seen)).NotTo(BeZero(), "the cache has yet to show it")

	refusal = apierrors.NewForbidden(corev1.Resource("pods"), "pod", nil)
	g.Expect(b.Do(context.Background(), b.ds, proves(seen))).To(MatchError(ContainSubstring("forbidden")))
	pods := &corev1.PodList{}
	g.Expect(b.Live.List(context.Background(), pods)).To(Succeed())
	g.Expect(pods.Items).To(HaveLen(2), "what else was planned is done")
}

func TestAPodThatTheAPIServerRefusesToUpdateStays(t *testing.T) {
	g := NewWithT(t)
	b := newBench(t, interceptor.Funcs{Patch: func(context.Context, client.WithWatch, client.Object, client.Patch, ...client.PatchOption) error {
		return apierrors.NewInvalid(corev1.SchemeGroupVersion.WithKind("Pod").GroupKind(), "pod", nil)
	}}, running())
	err := b.Do(context.Background(), b.ds, plan.Actions{UpdatePods: []plan.PodUpdate{updateOf(b.pod(t))}})
	g.Expect(act.Refusals(err)).To(HaveKeyWithValue("n0", ContainSubstring("is invalid")))
	g.Expect(errors.Is(err, act.ErrUnknownOutcome)).To(BeFalse(), "a refusal is an answer")
	g.Expect(stale.Only(err)).To(BeFalse())
	g.Expect(b.pod(t).DeletionTimestamp).To(BeNil())
	g.Expect(b.recorder.Events).To(Receive(ContainSubstring(act.EventFailedUpdate)))
}

func TestNoAnswerIsNoRefusal(t *testing.T) {
	g := NewWithT(t)
	b := newBench(t, interceptor.Funcs{Patch: func(context.Context, client.WithWatch, client.Object, client.Patch, ...client.PatchOption) error {
		return errors.New("connection reset")
	}}, running())
	err := b.Do(context.Background(), b.ds, plan.Actions{UpdatePods: []plan.PodUpdate{updateOf(b.pod(t))}})
	g.Expect(act.Refusals(err)).To(BeEmpty())
	g.Expect(errors.Is(err, act.ErrUnknownOutcome)).To(BeTrue())
}
