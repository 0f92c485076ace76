package act_test

import (
	"context"
	"testing"

	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
	"github.com/rollcall-conformance/rollcall/impl/stale"
)

// countingWrites counts how often status is written.
func countingWrites(writes *int) interceptor.Funcs {
	return interceptor.Funcs{SubResourceUpdate: func(ctx context.Context, server client.Client, subresource string, object client.Object, options ...client.SubResourceUpdateOption) error {
		*writes++
		return server.SubResource(subresource).Update(ctx, object, options...)
	}}
}

// meanwhile changes the stored status without the actor's knowledge.
func (b *bench) meanwhile(t *testing.T, change func(*appsv1.DaemonSetStatus)) {
	t.Helper()
	ds := b.stored(t)
	change(&ds.Status)
	if err := b.Client.Status().Update(context.Background(), ds); err != nil {
		t.Fatal(err)
	}
}

func TestConditionsOfOthersSurviveAConflict(t *testing.T) {
	g := NewWithT(t)
	b := newBench(t, interceptor.Funcs{})
	theirs := appsv1.DaemonSetCondition{Type: "Theirs", Status: corev1.ConditionTrue}
	b.meanwhile(t, func(s *appsv1.DaemonSetStatus) { s.Conditions = []appsv1.DaemonSetCondition{theirs} })
	status := appsv1.DaemonSetStatus{NumberReady: 3, ObservedGeneration: 2}
	g.Expect(b.Do(context.Background(), b.ds, plan.Actions{Status: &status})).To(Succeed())
	g.Expect(b.stored(t).Status.Conditions).To(ConsistOf(theirs), "COND-005")
	g.Expect(b.stored(t).Status.NumberReady).To(Equal(int32(3)))
}

func TestStatusThatIsThereAlreadyIsNotWrittenAgain(t *testing.T) {
	g := NewWithT(t)
	writes := 0
	b := newBench(t, countingWrites(&writes))
	status := appsv1.DaemonSetStatus{NumberReady: 3, ObservedGeneration: 2}
	g.Expect(b.Do(context.Background(), b.ds, plan.Actions{Status: &status})).To(Succeed())
	before := b.stored(t).ResourceVersion
	// The cache, and with it b.ds, does not show it yet: the write meets a conflict, and finds nothing left to do.
	g.Expect(b.Do(context.Background(), b.ds, plan.Actions{Status: &status})).To(Succeed())
	g.Expect(b.stored(t).ResourceVersion).To(Equal(before), "STATUS-012")
	g.Expect(writes).To(Equal(2), "the one that worked, and the one that met the conflict")
}

func TestStatusOfAnOlderGenerationIsNotWrittenOverANewerOne(t *testing.T) {
	g := NewWithT(t)
	b := newBench(t, interceptor.Funcs{})
	b.meanwhile(t, func(s *appsv1.DaemonSetStatus) { s.ObservedGeneration, s.NumberReady = 5, 5 })
	g.Expect(b.Do(context.Background(), b.ds, plan.Actions{Status: &appsv1.DaemonSetStatus{ObservedGeneration: 2}})).To(Succeed())
	g.Expect(b.stored(t).Status.NumberReady).To(Equal(int32(5)), "STATUS-010")
}

func TestCollisionIsCountedOnce(t *testing.T) {
	g := NewWithT(t)
	b := newBench(t, interceptor.Funcs{})
	one := int32(1)
	status := appsv1.DaemonSetStatus{CollisionCount: &one}
	g.Expect(b.Do(context.Background(), b.ds, plan.Actions{Status: &status})).To(Succeed())
	g.Expect(*b.stored(t).Status.CollisionCount).To(Equal(int32(1)))
	b.meanwhile(t, func(s *appsv1.DaemonSetStatus) { two := int32(2); s.CollisionCount = &two })
	err := b.Do(context.Background(), b.ds, plan.Actions{Status: &status})
	g.Expect(stale.Only(err)).To(BeTrue(), "got %v", err)
	g.Expect(*b.stored(t).Status.CollisionCount).To(Equal(int32(2)), "HISTORY-007, API-019")
}
