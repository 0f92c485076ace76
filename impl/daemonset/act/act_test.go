package act_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"github.com/prometheus/client_golang/prometheus"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/act"
	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
	"github.com/rollcall-conformance/rollcall/impl/stale"
)

// bench is an Actor over an API server that lives in memory.
type bench struct {
	*act.Actor
	ds       *appsv1.DaemonSet
	recorder *events.FakeRecorder
}

func newBench(t *testing.T, funcs interceptor.Funcs, objects ...client.Object) *bench {
	t.Helper()
	ds := &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Name: "agent", Namespace: "ns", UID: "ds-uid", Generation: 2}}
	server := fake.NewClientBuilder().WithScheme(clientgoscheme.Scheme).WithInterceptorFuncs(funcs).
		WithStatusSubresource(&appsv1.DaemonSet{}).WithObjects(append(objects, ds)...).Build()
	metrics, err := act.NewMetrics(prometheus.NewRegistry())
	if err != nil {
		t.Fatal(err)
	}
	recorder := events.NewFakeRecorder(100)
	b := &bench{ds: &appsv1.DaemonSet{}, recorder: recorder, Actor: &act.Actor{
		Client: server, Live: server, Recorder: recorder, Metrics: metrics,
		Writes: act.NewOwnWrites(clock.RealClock{}, func(types.UID) { t.Error("a write was awaited in vain") }),
	}}
	if err := server.Get(context.Background(), client.ObjectKeyFromObject(ds), b.ds); err != nil {
		t.Fatal(err)
	}
	return b
}

func (b *bench) creations(n int) []plan.PodCreation {
	var creations []plan.PodCreation
	for i := range n {
		node := fmt.Sprintf("n%d", i)
		creations = append(creations, plan.PodCreation{Node: node, Hash: "h", Reason: plan.ReasonMissing, Pod: plan.NewPod(b.ds, "h", node)})
	}
	return creations
}

func (b *bench) stored(t *testing.T) *appsv1.DaemonSet {
	t.Helper()
	ds := &appsv1.DaemonSet{}
	if err := b.Live.Get(context.Background(), client.ObjectKeyFromObject(b.ds), ds); err != nil {
		t.Fatal(err)
	}
	return ds
}

// awaited is how long to wait for a cache that shows pods, and has seen nothing since it was started.
func (b *bench) awaited(pods ...*corev1.Pod) time.Duration {
	return b.Writes.Awaited(plan.State{DaemonSet: b.ds, Pods: pods}, b.Writes.Mark())
}

var podKind = schema.GroupResource{Resource: "pods"}

func TestCreationSlowsDownWhenItFails(t *testing.T) {
	for name, c := range map[string]struct{ quota, attempts, pods int }{
		"no quota: all of them":                     {100, 20, 20},
		"quota of none: one attempt":                {0, 1, 0},
		"quota of five: stops in the batch of four": {5, 7, 5},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			var mu sync.Mutex
			attempts := 0
			b := newBench(t, interceptor.Funcs{Create: func(ctx context.Context, server client.WithWatch, object client.Object, options ...client.CreateOption) error {
				mu.Lock()
				defer mu.Unlock()
				attempts++
				if attempts > c.quota {
					return apierrors.NewForbidden(podKind, "", errors.New("exceeded quota"))
				}
				return server.Create(ctx, object, options...)
			}})
			status := appsv1.DaemonSetStatus{DesiredNumberScheduled: 20}
			err := b.Do(context.Background(), b.ds, plan.Actions{CreatePods: b.creations(20), Status: &status})

			g.Expect(attempts).To(Equal(c.attempts), "RECOVERY-006: 1, 2, 4, …")
			var pods corev1.PodList
			g.Expect(b.Client.List(context.Background(), &pods)).To(Succeed())
			g.Expect(pods.Items).To(HaveLen(c.pods))
			g.Expect(err != nil).To(Equal(c.pods < 20))
			g.Expect(errors.Is(err, act.ErrUnknownOutcome)).To(BeFalse(), "a refusal is an answer")
			g.Expect(b.stored(t).Status.DesiredNumberScheduled).To(Equal(int32(20)), "STATUS-011")
			if c.pods == 0 {
				g.Expect(b.awaited()).To(BeZero(), "RECOVERY-006: what failed is not awaited")
				g.Expect(<-b.recorder.Events).To(ContainSubstring("Warning FailedCreate"))
				return
			}
			g.Expect(b.awaited()).NotTo(BeZero())
			g.Expect(<-b.recorder.Events).To(ContainSubstring("Normal SuccessfulCreate"), "COND-004")
		})
	}
}

func TestCreationWithoutAnAnswerIsInDoubt(t *testing.T) {
	g := NewWithT(t)
	b := newBench(t, interceptor.Funcs{Create: func(context.Context, client.WithWatch, client.Object, ...client.CreateOption) error {
		return errors.New("connection reset by peer")
	}})
	err := b.Do(context.Background(), b.ds, plan.Actions{CreatePods: b.creations(1)})
	g.Expect(err).To(MatchError(act.ErrUnknownOutcome), "the pod may exist")
}

func TestPodThatChangedSinceItWasSeenIsNotDeleted(t *testing.T) {
	g := NewWithT(t)
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p", Namespace: "ns", UID: "p"}}
	b := newBench(t, interceptor.Funcs{}, pod)
	seen := &corev1.Pod{}
	g.Expect(b.Live.Get(context.Background(), client.ObjectKeyFromObject(pod), seen)).To(Succeed())
	changed := seen.DeepCopy()
	changed.Labels = map[string]string{"now": "ready"}
	g.Expect(b.Client.Update(context.Background(), changed)).To(Succeed())

	err := b.Do(context.Background(), b.ds, plan.Actions{
		DeletePods: []plan.PodDeletion{{Pod: seen, Node: "n0", Reason: plan.ReasonOldUnavailable}}, CreatePods: b.creations(1)})
	g.Expect(stale.Only(err)).To(BeTrue(), "got %v", err)
	var all corev1.PodList
	g.Expect(b.Client.List(context.Background(), &all)).To(Succeed())
	g.Expect(all.Items).To(HaveLen(1), "SURGE-002: nor is anything created on that view")
	g.Expect(b.Live.Get(context.Background(), client.ObjectKeyFromObject(pod), seen)).To(Succeed(), "ROLLING-002, SURGE-016: it may be available by now")

	g.Expect(b.Do(context.Background(), b.ds, plan.Actions{DeletePods: []plan.PodDeletion{{Pod: seen, Node: "n0", Reason: plan.ReasonOutdated}}})).To(Succeed())
	g.Expect(b.awaited(seen)).NotTo(BeZero())
	g.Expect(<-b.recorder.Events).To(ContainSubstring("Normal SuccessfulDelete"), "COND-004")
}

func TestNothingIsAdoptedForADaemonSetThatIsGoing(t *testing.T) {
	g := NewWithT(t)
	orphan := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p", Namespace: "ns", UID: "p"}}
	b := newBench(t, interceptor.Funcs{Get: func(ctx context.Context, server client.WithWatch, key client.ObjectKey, object client.Object, options ...client.GetOption) error {
		err := server.Get(ctx, key, object, options...)
		if ds, ok := object.(*appsv1.DaemonSet); ok {
			ds.DeletionTimestamp = &metav1.Time{}
		}
		return err
	}}, orphan)
	err := b.Do(context.Background(), b.ds, plan.Actions{PatchPods: []plan.PodPatch{{Pod: orphan, Adopt: true}}, CreatePods: b.creations(1)})
	g.Expect(stale.Only(err)).To(BeTrue(), "got %v", err)
	var pods corev1.PodList
	g.Expect(b.Client.List(context.Background(), &pods)).To(Succeed())
	g.Expect(pods.Items).To(HaveLen(1))
	g.Expect(pods.Items[0].OwnerReferences).To(BeEmpty(), "HISTORY-015")
}

func TestAdoptRelabelAndRelease(t *testing.T) {
	g := NewWithT(t)
	theirs := metav1.OwnerReference{APIVersion: "v1", Kind: "ConfigMap", Name: "c", UID: "c"}
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p", Namespace: "ns", UID: "p", OwnerReferences: []metav1.OwnerReference{theirs}, Labels: map[string]string{"app": "agent"}}}
	b := newBench(t, interceptor.Funcs{}, pod)
	got := &corev1.Pod{}

	g.Expect(b.Do(context.Background(), b.ds, plan.Actions{PatchPods: []plan.PodPatch{{Pod: pod, Adopt: true, Hash: "h"}}})).To(Succeed())
	g.Expect(b.Live.Get(context.Background(), client.ObjectKeyFromObject(pod), got)).To(Succeed())
	g.Expect(metav1.IsControlledBy(got, b.ds)).To(BeTrue())
	g.Expect(got.OwnerReferences).To(ContainElement(theirs))
	g.Expect(got.Labels).To(Equal(map[string]string{"app": "agent", "controller-revision-hash": "h"}))

	g.Expect(b.Do(context.Background(), b.ds, plan.Actions{PatchPods: []plan.PodPatch{{Pod: pod, Release: true}}})).To(Succeed())
	g.Expect(b.Live.Get(context.Background(), client.ObjectKeyFromObject(pod), got)).To(Succeed())
	g.Expect(got.OwnerReferences).To(ConsistOf(theirs))
}

func TestNameOfARevisionThatIsTakenStopsThePass(t *testing.T) {
	g := NewWithT(t)
	taken := &appsv1.ControllerRevision{ObjectMeta: metav1.ObjectMeta{Name: "agent-h", Namespace: "ns"}}
	b := newBench(t, interceptor.Funcs{}, taken)
	status := appsv1.DaemonSetStatus{NumberReady: 1}
	err := b.Do(context.Background(), b.ds, plan.Actions{CreateRevision: taken.DeepCopy(), CreatePods: b.creations(1), Status: &status})
	g.Expect(err).To(HaveOccurred())
	var pods corev1.PodList
	g.Expect(b.Client.List(context.Background(), &pods)).To(Succeed())
	g.Expect(pods.Items).To(BeEmpty(), "HISTORY-008")
	g.Expect(b.stored(t).Status.NumberReady).To(Equal(int32(1)), "STATUS-011")
}

func TestGenerationWhoseHistoryCouldNotBeWrittenIsNotObserved(t *testing.T) {
	revision := &appsv1.ControllerRevision{ObjectMeta: metav1.ObjectMeta{Name: "agent-h", Namespace: "ns", ResourceVersion: "7"}, Revision: 8}
	orphan := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p", Namespace: "ns", UID: "p"}}
	for name, c := range map[string]struct {
		actions plan.Actions
		refuse  error
		want    int64
	}{
		"revision written":           {plan.Actions{UpdateRevisions: []plan.RevisionUpdate{{Revision: revision}}}, nil, 2},
		"revision changed meanwhile": {plan.Actions{UpdateRevisions: []plan.RevisionUpdate{{Revision: revision}}}, apierrors.NewConflict(schema.GroupResource{}, "", nil), 1},
		"revision refused":           {plan.Actions{UpdateRevisions: []plan.RevisionUpdate{{Revision: revision}}}, errors.New("no route to host"), 1},
		"revision not created":       {plan.Actions{CreateRevision: &appsv1.ControllerRevision{ObjectMeta: metav1.ObjectMeta{Name: "agent-i", Namespace: "ns"}}}, errors.New("no route to host"), 1},
		"pod not adopted":            {plan.Actions{PatchPods: []plan.PodPatch{{Pod: orphan, Adopt: true}}}, errors.New("no route to host"), 1},
		"pod not created: no matter": {plan.Actions{CreatePods: []plan.PodCreation{{Node: "n0", Pod: orphan}}}, errors.New("no route to host"), 2},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			b := newBench(t, interceptor.Funcs{
				Create: func(context.Context, client.WithWatch, client.Object, ...client.CreateOption) error { return c.refuse },
				Update: func(context.Context, client.WithWatch, client.Object, ...client.UpdateOption) error { return c.refuse },
				Patch: func(context.Context, client.WithWatch, client.Object, client.Patch, ...client.PatchOption) error {
					return c.refuse
				},
			})
			b.ds.Status.ObservedGeneration = 1
			c.actions.Status = &appsv1.DaemonSetStatus{ObservedGeneration: 2, NumberReady: 3}
			err := b.Do(context.Background(), b.ds, c.actions)
			g.Expect(err != nil).To(Equal(c.refuse != nil))
			g.Expect(b.stored(t).Status.ObservedGeneration).To(Equal(c.want), "HISTORY-010, STATUS-010")
			g.Expect(b.stored(t).Status.NumberReady).To(Equal(int32(3)), "STATUS-011")
		})
	}
}
