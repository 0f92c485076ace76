package united

import (
	"context"
	"errors"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/events"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/observe"
	"github.com/rollcall-conformance/rollcall/impl/requeue"
	"github.com/rollcall-conformance/rollcall/impl/united/act"
	"github.com/rollcall-conformance/rollcall/impl/united/api"
	"github.com/rollcall-conformance/rollcall/impl/united/plan"
)

// server is an API server that lives in memory, and answers lists as of resource version 200. It counts those of nodes.
func server(t *testing.T, looks *int, objects ...client.Object) client.WithWatch {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := errors.Join(clientgoscheme.AddToScheme(scheme), api.AddToScheme(scheme)); err != nil {
		t.Fatal(err)
	}
	list := func(ctx context.Context, server client.WithWatch, list client.ObjectList, options ...client.ListOption) error {
		err := server.List(ctx, list, options...)
		list.SetResourceVersion("200")
		if partial, ok := list.(*metav1.PartialObjectMetadataList); ok && partial.Kind == "NodeList" {
			*looks++
		}
		return err
	}
	return fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).WithInterceptorFuncs(interceptor.Funcs{List: list}).
		WithIndex(&corev1.Pod{}, observe.ControllerIndex, observe.ControllerOf).
		WithIndex(&appsv1.ControllerRevision{}, observe.ControllerIndex, observe.ControllerOf).Build()
}

func TestNothingIsPlannedBeforeTheCacheShowsWhatThePredecessorDid(t *testing.T) {
	named := func(name, version string) metav1.ObjectMeta {
		return metav1.ObjectMeta{Namespace: "ns", Name: name, UID: types.UID(name), ResourceVersion: version}
	}
	united := &api.UnitedDaemonSet{ObjectMeta: named("united", "100")}
	rival := func(version string) client.Object { return &api.UnitedDaemonSet{ObjectMeta: named("rival", version)} }
	node := func(version string) client.Object {
		n := &corev1.Node{ObjectMeta: named("n", version)}
		n.Namespace = ""
		return n
	}
	ds := func(name, version string) client.Object { return &appsv1.DaemonSet{ObjectMeta: named(name, version)} }
	pod := func(owner, version string) client.Object {
		yes := true
		p := &corev1.Pod{ObjectMeta: named("pod-of-"+owner, version)}
		p.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "DaemonSet", Name: owner, UID: types.UID(owner), Controller: &yes}}
		return p
	}
	objects := func(objects ...client.Object) []client.Object { return objects }
	for name, c := range map[string]struct {
		live, cached []client.Object
		planned      bool
	}{
		"the same":                                {objects(node("100"), ds("d", "90"), pod("d", "95")), objects(node("100"), ds("d", "90"), pod("d", "95")), true},
		"the cache has later versions":            {objects(node("100"), ds("d", "90"), pod("d", "95")), objects(node("201"), ds("d", "202"), pod("d", "203")), true},
		"the cache has earlier labels of a node":  {objects(node("100")), objects(node("99")), false},
		"the cache misses a DaemonSet":            {objects(ds("d", "90")), nil, false},
		"the cache has an earlier DaemonSet":      {objects(ds("d", "90")), objects(ds("d", "89")), false},
		"the cache misses a pod":                  {objects(ds("d", "90"), pod("d", "95")), objects(ds("d", "90")), false},
		"the cache has a pod that is gone":        {objects(ds("d", "90")), objects(ds("d", "90"), pod("d", "95")), false},
		"the cache has a pod that came later":     {objects(ds("d", "90")), objects(ds("d", "90"), pod("d", "205")), true},
		"the cache has an earlier rival":          {objects(rival("90")), objects(rival("89")), false},
		"the cache has the rival as it is":        {objects(rival("90")), objects(rival("90")), true},
		"pods of others need not be in the cache": {objects(ds("d", "90"), pod("other", "95")), objects(ds("d", "90")), true},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			looks, planned := 0, 0
			clock, ignored := clocktesting.NewFakePassiveClock(time.Unix(1e9, 0)), 0
			live, cache := server(t, &looks, append(c.live, united.DeepCopy())...), server(t, &ignored, append(c.cached, united.DeepCopy())...)
			memory := act.NewMemory(clock)
			r := &reconciler{
				clock: clock, cache: cache, memory: memory, handover: newHandover(live), known: map[types.NamespacedName]types.UID{},
				actor: &act.Actor{Client: live, Memory: memory, Recorder: events.NewFakeRecorder(1)},
				plan: func(plan.State, time.Time) plan.Actions {
					planned++
					return plan.Actions{}
				},
			}
			want := map[bool]struct{ planned, looks int }{true: {2, 1}, false: {0, 2}}[c.planned]
			for range 2 {
				result, err := r.Reconcile(context.Background(), reconcile.Request{NamespacedName: client.ObjectKeyFromObject(united)})
				g.Expect(err).NotTo(HaveOccurred())
				g.Expect(result.RequeueAfter).To(Equal(map[bool]time.Duration{true: 0, false: requeue.StaleRetry}[c.planned]))
			}
			g.Expect(planned).To(Equal(want.planned), "UNITED-027, UNITED-041")
			g.Expect(looks).To(Equal(want.looks), "once confirmed, it does not look again")
		})
	}
}

func TestTheCacheHasToShowTheFirstLookOnly(t *testing.T) {
	g := NewWithT(t)
	ctx := context.Background()
	united := &api.UnitedDaemonSet{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "united", UID: "united", ResourceVersion: "100"}}
	at := func(version string) *corev1.Node {
		return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n", UID: "n", ResourceVersion: version}}
	}
	handover := newHandover(nil)
	for i, pass := range []struct {
		live, cached string
		confirmed    bool
	}{
		{"190", "180", false},
		{"195", "189", false},
		{"199", "192", true},
	} {
		looks := 0
		handover.live = server(t, &looks, united.DeepCopy(), at(pass.live))
		look, err := handover.look(ctx, united.UID, united.Namespace)
		g.Expect(err).NotTo(HaveOccurred())
		state := plan.State{United: united, Nodes: []*corev1.Node{at(pass.cached)}}
		g.Expect(handover.confirmed(look, state)).To(Equal(pass.confirmed), "pass %d: the node changes faster than it is listed", i+1)
	}
}

func TestNothingIsPlannedBeforeTheCacheShowsWhatWasWrittenForARival(t *testing.T) {
	g := NewWithT(t)
	ctx := context.Background()
	of := func(name string) *api.UnitedDaemonSet {
		return &api.UnitedDaemonSet{
			ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name, UID: types.UID(name), ResourceVersion: "100"},
			Spec:       api.Spec{TargetRef: api.TargetRef{Name: "daemon"}},
		}
	}
	first, second := of("first"), of("second")
	ignored := 0
	live, cache := server(t, &ignored, first.DeepCopy(), second.DeepCopy()), server(t, &ignored, first.DeepCopy(), second.DeepCopy())
	clock := clocktesting.NewFakePassiveClock(time.Unix(1e9, 0))
	memory := act.NewMemory(clock)
	var planned []string
	r := &reconciler{
		clock: clock, cache: cache, memory: memory, handover: newHandover(live), known: map[types.NamespacedName]types.UID{},
		actor: &act.Actor{Client: live, Memory: memory, Recorder: events.NewFakeRecorder(1)},
		plan: func(state plan.State, _ time.Time) plan.Actions {
			planned = append(planned, state.United.Name)
			return plan.Actions{AddFinalizer: len(state.United.Finalizers) == 0 && state.United.Name == "first"}
		},
	}
	// Both are known, so that only what was written since can hold the second one back.
	for _, united := range []*api.UnitedDaemonSet{second, first, second} {
		_, err := r.Reconcile(ctx, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(united)})
		g.Expect(err).NotTo(HaveOccurred())
	}
	g.Expect(planned).To(Equal([]string{"second", "first"}), "the finalizer of the first is not in the cache")
	g.Expect(cache.Get(ctx, client.ObjectKeyFromObject(first), first)).To(Succeed())
	first.Finalizers = []string{plan.Finalizer}
	g.Expect(cache.Update(ctx, first)).To(Succeed())
	_, err := r.Reconcile(ctx, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(second)})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(planned).To(Equal([]string{"second", "first", "second"}), "UNITED-036")
}
