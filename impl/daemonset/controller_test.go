package daemonset

import (
	"context"
	"errors"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"github.com/prometheus/client_golang/prometheus"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/events"
	clocktesting "k8s.io/utils/clock/testing"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/act"
	"github.com/rollcall-conformance/rollcall/impl/daemonset/observe"
	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
	"github.com/rollcall-conformance/rollcall/impl/requeue"
)

// server is an API server that lives in memory. Only the cache needs its indexes.
func server(funcs interceptor.Funcs, objects ...client.Object) client.WithWatch {
	return fake.NewClientBuilder().WithScheme(clientgoscheme.Scheme).WithInterceptorFuncs(funcs).WithObjects(objects...).
		WithStatusSubresource(&appsv1.DaemonSet{}).
		WithIndex(&corev1.Pod{}, observe.ControllerIndex, observe.ControllerOf).
		WithIndex(&appsv1.ControllerRevision{}, observe.ControllerIndex, observe.ControllerOf).Build()
}

func reconciler(t *testing.T, cache client.Reader, live client.Client) *Reconciler {
	t.Helper()
	metrics, err := act.NewMetrics(prometheus.NewRegistry())
	if err != nil {
		t.Fatal(err)
	}
	clock := clocktesting.NewFakePassiveClock(time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC))
	handover := observe.NewHandover(live)
	writes := act.NewOwnWrites(clock, handover.Doubt)
	return &Reconciler{
		plan:  plan.Plan,
		clock: clock, observer: observe.New(cache), handover: handover, writes: writes, backoffs: newBackoffs(), retries: requeue.NewRetries(), metrics: metrics,
		actor: &act.Actor{Client: live, Live: live, Recorder: events.NewFakeRecorder(100), Writes: writes, Metrics: metrics},
	}
}

// agent is a DaemonSet whose status says that it once had pods on three nodes, its revision, and one of the pods.
func agent(t *testing.T) (*appsv1.DaemonSet, *appsv1.ControllerRevision, *corev1.Pod) {
	t.Helper()
	labels := map[string]string{"app": "agent"}
	ds := &appsv1.DaemonSet{
		ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "agent", UID: "agent", Generation: 1},
		Spec: appsv1.DaemonSetSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}},
		},
		Status: appsv1.DaemonSetStatus{ObservedGeneration: 1, DesiredNumberScheduled: 3, CurrentNumberScheduled: 3},
	}
	revision, err := plan.NewRevision(ds, 1)
	if err != nil {
		t.Fatal(err)
	}
	revision.UID = "revision"
	pod := plan.NewPod(ds, revision.Labels[plan.HashLabel], "n0")
	pod.Name, pod.UID = "agent-0", "agent-0"
	return ds, revision, pod
}

func TestNothingIsWrittenBeforeTheCacheShowsWhatThePredecessorDid(t *testing.T) {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n0"}}
	ds, revision, pod := agent(t)
	for name, cached := range map[string][]client.Object{
		"the pod is missing":      {ds, node, revision},
		"the revision is missing": {ds, node, pod},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			live := server(interceptor.Funcs{
				Create: func(context.Context, client.WithWatch, client.Object, ...client.CreateOption) error {
					return errors.New("written on a stale view")
				},
				SubResourceUpdate: func(context.Context, client.Client, string, client.Object, ...client.SubResourceUpdateOption) error {
					return errors.New("reported on a stale view")
				},
			}, ds.DeepCopy(), node.DeepCopy(), revision.DeepCopy(), pod.DeepCopy())
			r := reconciler(t, server(interceptor.Funcs{}, cached...), live)
			result, err := r.Reconcile(context.Background(), reconcile.Request{NamespacedName: client.ObjectKeyFromObject(ds)})
			g.Expect(err).NotTo(HaveOccurred(), "RECOVERY-002, STATUS-012: the numbers would go back and forth")
			g.Expect(result.RequeueAfter).To(Equal(handoverRetry))
		})
	}
}

func TestAPassOverACacheThatHasCaughtUpWritesTheStatus(t *testing.T) {
	g := NewWithT(t)
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n0"}}
	ds, revision, pod := agent(t)
	same := server(interceptor.Funcs{}, ds, node, revision, pod)
	result, err := reconciler(t, same, same).Reconcile(context.Background(), reconcile.Request{NamespacedName: client.ObjectKeyFromObject(ds)})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(result).To(BeZero())
	g.Expect(same.Get(context.Background(), client.ObjectKeyFromObject(ds), ds)).To(Succeed())
	g.Expect(ds.Status.DesiredNumberScheduled).To(Equal(int32(1)), "STATUS-001")
}

func TestWhatIsAwaitedInVainIsLookedUp(t *testing.T) {
	for name, row := range map[string]struct {
		// hidden: the cache does not show a pod that the API server has.
		hidden bool
		want   time.Duration
		pods   int
	}{
		"the pod is gone, no watch has shown it": {false, 0, 2},
		"the cache is behind":                    {true, handoverRetry, 1},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			ds, revision, pod := agent(t)
			live := server(interceptor.Funcs{}, ds, revision, pod,
				&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n0"}}, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n1"}})
			cache := client.Reader(live)
			if row.hidden {
				cache = server(interceptor.Funcs{}, ds.DeepCopy(), revision.DeepCopy(), &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n0"}})
			}
			r := reconciler(t, cache, live)
			pass := func() time.Duration {
				result, err := r.Reconcile(context.Background(), reconcile.Request{NamespacedName: client.ObjectKeyFromObject(ds)})
				g.Expect(err).NotTo(HaveOccurred())
				return result.RequeueAfter
			}
			r.writes.Wrote(ds.UID, act.Pods, "1000000")
			if !row.hidden {
				g.Expect(pass()).To(Equal(act.OwnWriteTimeout), "SURGE-010: it may be on its way")
			}
			r.clock.(*clocktesting.FakePassiveClock).SetTime(r.clock.Now().Add(act.OwnWriteTimeout))
			g.Expect(pass()).To(Equal(row.want), "RECOVERY-013")
			var pods corev1.PodList
			g.Expect(live.List(context.Background(), &pods)).To(Succeed())
			g.Expect(pods.Items).To(HaveLen(row.pods))
		})
	}
}

func TestARefusedDeletionIsRememberedUntilThePodIsDeleted(t *testing.T) {
	g := NewWithT(t)
	ds, revision, pod := agent(t)
	ds.Spec.Template.Annotations = map[string]string{"version": "2"}
	ds.Spec.UpdateStrategy = appsv1.DaemonSetUpdateStrategy{
		Type: appsv1.RollingUpdateDaemonSetStrategyType, RollingUpdate: &appsv1.RollingUpdateDaemonSet{MaxUnavailable: ptr.To(intstr.FromInt32(1))},
	}
	newer, err := plan.NewRevision(ds, 2)
	g.Expect(err).NotTo(HaveOccurred())
	newer.UID = "newer"
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n0"}}
	refuses := true
	same := server(interceptor.Funcs{
		Delete: func(ctx context.Context, c client.WithWatch, object client.Object, options ...client.DeleteOption) error {
			if !refuses {
				return c.Delete(ctx, object, options...)
			}
			return apierrors.NewForbidden(corev1.Resource("pods"), object.GetName(), errors.New("denied by policy"))
		},
	}, ds, node, revision, newer, pod)
	r := reconciler(t, same, same)
	var seen []map[string]plan.Refusal
	r.plan = func(state plan.State, now time.Time) plan.Actions {
		seen = append(seen, state.RefusedDeletions)
		return plan.Plan(state, now)
	}
	key := client.ObjectKeyFromObject(ds)
	pass := func() (reconcile.Result, error) {
		return r.Reconcile(context.Background(), reconcile.Request{NamespacedName: key})
	}
	_, err = pass()
	g.Expect(err).To(MatchError(ContainSubstring("denied by policy")), "RECOVERY-014: it is tried again")
	// When the rollout counts as stalled is due by the clock.
	result, err := pass()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(result.RequeueAfter).To(And(BeNumerically(">", 0), BeNumerically("<", time.Second)), "RECOVERY-014: it is tried again")
	g.Expect(seen).To(HaveExactElements(BeEmpty(), HaveKeyWithValue("n0", And(
		HaveField("Since", r.clock.Now()), HaveField("Words", ContainSubstring("denied by policy"))))), "COND-001")
	remembered := func() map[string]plan.Refusal {
		state := plan.State{DaemonSet: ds}
		r.backoffs.recall(key, &state)
		return state.RefusedDeletions
	}
	r.backoffs.tried(key, plan.Actions{PutOff: []plan.PodDeletion{{Pod: pod, Node: "n0"}}}, nil, r.clock.Now())
	g.Expect(remembered()).To(HaveKey("n0"), "COND-001: nothing has changed while the next attempt waits")
	refuses = false
	_, err = pass()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(remembered()).To(BeEmpty(), "COND-003")
}

func TestARefusalIsRememberedUntilAPodIsCreatedOrNoneIsWanted(t *testing.T) {
	g := NewWithT(t)
	ds, revision, pod := agent(t)
	first, second := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n0"}}, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n1"}}
	words := `pods "agent-x" is forbidden: exceeded quota: compute`
	same := server(interceptor.Funcs{
		Create: func(ctx context.Context, c client.WithWatch, object client.Object, options ...client.CreateOption) error {
			if words == "" {
				return c.Create(ctx, object, options...)
			}
			return apierrors.NewGenericServerResponse(403, "create", corev1.Resource("pods"), "", words, 0, true)
		},
	}, ds, first, second, revision, pod)
	r := reconciler(t, same, same)
	var seen []*plan.Refusal
	r.plan = func(state plan.State, now time.Time) plan.Actions {
		seen = append(seen, state.Refused)
		return plan.Plan(state, now)
	}
	key := client.ObjectKeyFromObject(ds)
	pass := func() (reconcile.Result, error) {
		return r.Reconcile(context.Background(), reconcile.Request{NamespacedName: key})
	}
	_, err := pass()
	g.Expect(err).To(MatchError(ContainSubstring("exceeded quota")), "RECOVERY-006: it is tried again")
	// When the rollout counts as stalled is due by the clock.
	result, err := pass()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(result.RequeueAfter).To(And(BeNumerically(">", 0), BeNumerically("<", time.Second)), "RECOVERY-006: it is tried again")
	g.Expect(seen).To(HaveExactElements(BeNil(), HaveValue(And(
		HaveField("Since", r.clock.Now()), HaveField("Words", Not(ContainSubstring("agent-x"))), HaveField("Nodes", HaveLen(1))))), "COND-001: the words are the same every time")
	words = ""
	_, err = pass()
	g.Expect(err).NotTo(HaveOccurred())
	after := plan.State{DaemonSet: ds}
	r.backoffs.recall(key, &after)
	g.Expect(after.Refused).To(BeNil(), "COND-003")
}
