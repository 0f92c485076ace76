package act_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/events"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/rollcall-conformance/rollcall/impl/stale"
	"github.com/rollcall-conformance/rollcall/impl/united/act"
	"github.com/rollcall-conformance/rollcall/impl/united/api"
	"github.com/rollcall-conformance/rollcall/impl/united/plan"
)

// bench is an Actor over an API server that lives in memory, with a UnitedDaemonSet and a node.
type bench struct {
	*act.Actor
	*WithT
	clock    *clocktesting.FakeClock
	recorder *events.FakeRecorder
	united   *api.UnitedDaemonSet
	node     *corev1.Node
}

func newBench(t *testing.T, funcs interceptor.Funcs) *bench {
	t.Helper()
	b := &bench{
		WithT: NewWithT(t), clock: clocktesting.NewFakeClock(time.Now()), recorder: events.NewFakeRecorder(10), node: &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n", UID: "n"}},
		united: &api.UnitedDaemonSet{ObjectMeta: metav1.ObjectMeta{Name: "united", Namespace: "ns", UID: "united", Generation: 1}},
	}
	scheme := runtime.NewScheme()
	b.Expect(errors.Join(clientgoscheme.AddToScheme(scheme), api.AddToScheme(scheme))).To(Succeed())
	server := fake.NewClientBuilder().WithScheme(scheme).WithInterceptorFuncs(funcs).WithStatusSubresource(b.united).WithObjects(b.united, b.node).Build()
	b.Actor = &act.Actor{Client: server, Memory: act.NewMemory(b.clock), Recorder: b.recorder}
	b.read(b.united)
	b.read(b.node)
	return b
}

func (b *bench) read(object client.Object) {
	b.Expect(b.Client.Get(context.Background(), client.ObjectKeyFromObject(object), object)).To(Succeed())
}

func (b *bench) do(actions plan.Actions) error { return b.Do(context.Background(), b.united, actions) }

// shown reports whether a cache that has these objects shows everything that was written.
func (b *bench) shown(cached ...client.Object) bool {
	shown, err := b.Memory.Shown(context.Background(), fake.NewClientBuilder().WithScheme(b.Client.Scheme()).WithObjects(cached...).Build(), b.united.UID)
	b.Expect(err).NotTo(HaveOccurred())
	return shown
}

// filled is the state with what is remembered, and for how long that counts.
func (b *bench) filled() (plan.State, time.Duration) {
	state := plan.State{United: b.united}
	left := b.Memory.Fill(&state)
	return state, left
}

func labelling(node *corev1.Node) plan.Actions {
	home := "first"
	return plan.Actions{LabelNodes: []plan.NodeLabels{{Node: node, Labels: map[string]*string{"home": &home, "gone": nil}}}}
}

func writing(subset string) plan.Actions {
	ds := &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Name: "of-" + subset, Namespace: "ns"}}
	return plan.Actions{Subsets: []plan.SubsetWrite{{Subset: subset, DaemonSet: ds, Hash: "hash-of-" + subset}}}
}

func TestANodeIsLabelledOnlyAsItWasSeen(t *testing.T) {
	b := newBench(t, interceptor.Funcs{})
	b.node.Labels = map[string]string{"gone": "soon", "kept": "true"}
	b.Expect(b.Client.Update(context.Background(), b.node)).To(Succeed())
	seen := b.node.DeepCopy()
	b.Expect(b.do(labelling(seen))).To(Succeed())
	b.read(b.node)
	b.Expect(b.node.Labels).To(Equal(map[string]string{"home": "first", "kept": "true"}))
	b.Expect(b.shown(seen)).To(BeFalse(), "the cache has the node from before")
	b.Expect(b.shown(b.node)).To(BeTrue())

	err := b.do(labelling(seen))
	b.Expect(err).To(MatchError(stale.ErrView))
	b.Expect(stale.Only(err)).To(BeTrue(), "a conflict shows no more than an outdated plan")
}

func TestOnlyOutdatedPlansAreOnlyStale(t *testing.T) {
	b := newBench(t, interceptor.Funcs{})
	b.node.Name = "gone"
	both := labelling(b.node)
	both.Delete = []*appsv1.DaemonSet{{ObjectMeta: metav1.ObjectMeta{Name: "gone", Namespace: "ns", UID: "gone"}}}
	b.Expect(stale.Only(b.do(both))).To(BeTrue(), "both are gone")

	b = newBench(t, interceptor.Funcs{Create: func(context.Context, client.WithWatch, client.Object, ...client.CreateOption) error {
		return errors.New("no route")
	}})
	b.node.Name = "gone"
	mixed := labelling(b.node)
	mixed.Subsets = writing("first").Subsets
	err := b.do(mixed)
	b.Expect(err).To(MatchError(ContainSubstring("write DaemonSet of-first of subset first: no route")))
	b.Expect(stale.Only(err)).To(BeFalse())
}

func TestAStatusIsWrittenOnlyWhenAllElseWas(t *testing.T) {
	b := newBench(t, interceptor.Funcs{})
	b.Expect(b.do(plan.Actions{Status: &api.Status{ObservedGeneration: 1}})).To(Succeed())
	b.read(b.united)
	b.Expect(b.united.Status.ObservedGeneration).To(BeEquivalentTo(1))
	b.node.Name = "gone"
	failing := labelling(b.node)
	failing.Status = &api.Status{ObservedGeneration: 2}
	b.Expect(b.do(failing)).NotTo(Succeed())
	b.read(b.united)
	b.Expect(b.united.Status.ObservedGeneration).To(BeEquivalentTo(1))
}

func TestEventsSayWhatTheConditionsCameTo(t *testing.T) {
	b := newBench(t, interceptor.Funcs{})
	for _, c := range []struct {
		conditions []metav1.Condition
		events     []string
	}{
		{
			[]metav1.Condition{
				{Type: api.Effective, Status: metav1.ConditionTrue, Reason: "TargetFound"},
				{Type: api.Overlapping, Status: metav1.ConditionFalse, Reason: "Disjoint"},
				{Type: api.Settled, Status: metav1.ConditionFalse, Reason: "Moving", Message: "to be moved: n"},
			},
			[]string{"Normal Moving to be moved: n"},
		},
		{[]metav1.Condition{{Type: api.Settled, Status: metav1.ConditionFalse, Reason: "Moving", Message: "to be moved: m"}}, nil},
		{
			[]metav1.Condition{
				{Type: api.Settled, Status: metav1.ConditionTrue, Reason: "Settled", Message: "every node"},
				{Type: api.SubsetsValid, Status: metav1.ConditionFalse, Reason: "InvalidSubset", Message: "subset first"},
				{Type: api.Overlapping, Status: metav1.ConditionTrue, Reason: "FirstSubsetWins", Message: "node n"},
			},
			[]string{"Normal Settled every node", "Warning InvalidSubset subset first", "Warning FirstSubsetWins node n"},
		},
		{[]metav1.Condition{{Type: api.Overlapping, Status: metav1.ConditionFalse, Reason: "Disjoint", Message: "none"}}, []string{"Normal Disjoint none"}},
	} {
		b.Expect(b.do(plan.Actions{Status: &api.Status{Conditions: c.conditions}})).To(Succeed())
		b.read(b.united)
		for _, event := range c.events {
			b.Expect(b.recorder.Events).To(Receive(Equal(event)))
		}
		b.Expect(b.recorder.Events).NotTo(Receive())
	}
}

func TestTheFinalizerIsPutAndTaken(t *testing.T) {
	b := newBench(t, interceptor.Funcs{})
	before := b.united.DeepCopy()
	b.Expect(b.do(plan.Actions{AddFinalizer: true})).To(Succeed())
	b.Expect(b.shown(before)).To(BeFalse(), "the cache does not have the finalizer")
	b.read(b.united)
	b.Expect(b.united.Finalizers).To(ConsistOf(plan.Finalizer))
	b.Expect(b.shown(b.united)).To(BeTrue())
	b.Expect(b.do(plan.Actions{DropFinalizer: true})).To(Succeed())
	b.read(b.united)
	b.Expect(b.united.Finalizers).To(BeEmpty())
}

func TestADaemonSetIsAwaitedUntilTheCacheHasIt(t *testing.T) {
	b := newBench(t, interceptor.Funcs{Create: func(ctx context.Context, server client.WithWatch, object client.Object, options ...client.CreateOption) error {
		object.SetUID("made")
		object.SetGeneration(1)
		object.SetCreationTimestamp(metav1.Now())
		return server.Create(ctx, object, options...)
	}})
	b.Expect(b.do(writing("first"))).To(Succeed())
	b.Expect(b.shown()).To(BeFalse())
	state, _ := b.filled()
	b.Expect(state.Written).To(HaveKeyWithValue(BeEquivalentTo("made"), plan.Written{Hash: "hash-of-first", Generation: 1}))
	b.clock.Step(10 * time.Second)
	b.Expect(b.shown()).To(BeTrue(), "it is gone again")
	b.Memory.Forget(b.united.UID)
	state, _ = b.filled()
	b.Expect(state.Written).To(BeEmpty())
}

func TestWhatIsRefusedIsNotTriedAgainForAWhile(t *testing.T) {
	b := newBench(t, interceptor.Funcs{Create: func(_ context.Context, _ client.WithWatch, object client.Object, _ ...client.CreateOption) error {
		return apierrors.NewForbidden(appsv1.Resource("daemonsets"), object.GetName(), fmt.Errorf("quota"))
	}})
	b.Expect(b.do(writing("first"))).NotTo(Succeed())
	b.clock.Step(10 * time.Second)
	b.Expect(b.do(writing("second"))).NotTo(Succeed())
	state, left := b.filled()
	b.Expect(state.Refused).To(HaveLen(2))
	b.Expect(state.Refused["first"].Hash).To(Equal("hash-of-first"))
	b.Expect(state.Refused["first"].Why).To(ContainSubstring("quota"))
	b.Expect(left).To(Equal(act.RefusedFor-10*time.Second), "the first is to be tried again before the second")
	b.clock.Step(left)
	state, left = b.filled()
	b.Expect(state.Refused).To(HaveLen(1))
	b.Expect(state.Refused).To(HaveKey("second"))
	b.Expect(left).To(Equal(10 * time.Second))
	b.clock.Step(left)
	state, left = b.filled()
	b.Expect(state.Refused).To(BeEmpty())
	b.Expect(left).To(BeZero())
}
