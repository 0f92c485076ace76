package daemonset

import (
	"context"
	"testing"

	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/act"
)

// cluster has the DaemonSets ns/a, ns/b and other/a, each selecting the pods with its own name, all nodes but ns/b's pool=b.
func cluster() *watches {
	var objects []client.Object
	for _, key := range []types.NamespacedName{{Namespace: "ns", Name: "a"}, {Namespace: "ns", Name: "b"}, {Namespace: "other", Name: "a"}} {
		ds := &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name, UID: types.UID(key.String())}}
		ds.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"app": key.Name}}
		if key.Name == "b" {
			ds.Spec.Template.Spec.NodeSelector = map[string]string{"pool": "b"}
		}
		objects = append(objects, ds)
	}
	return &watches{
		cache: fake.NewClientBuilder().WithScheme(clientgoscheme.Scheme).WithObjects(objects...).Build(),
		seen:  func(act.Kind, string) {},
	}
}

// queued returns what do puts into a queue.
func queued(do func(q queue)) []string {
	q := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[reconcile.Request]())
	defer q.ShutDown()
	do(q)
	keys := []string{}
	for q.Len() > 0 {
		request, _ := q.Get()
		keys = append(keys, request.String())
	}
	return keys
}

func podOf(app, controller string) *corev1.Pod {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "p", Labels: map[string]string{"app": app}}}
	if controller != "" {
		owner := &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Name: controller, UID: types.UID(controller)}}
		pod.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(owner, appsv1.SchemeGroupVersion.WithKind("DaemonSet"))}
	}
	return pod
}

func TestPodEventsConcern(t *testing.T) {
	ctx := context.Background()
	ofReplicaSet := podOf("a", "a")
	ofReplicaSet.OwnerReferences[0].Kind = "ReplicaSet"
	ofKruise := podOf("a", "a")
	ofKruise.OwnerReferences[0].APIVersion = "apps.kruise.io/v1alpha1"
	former := podOf("b", "a")
	former.OwnerReferences[0].APIVersion = "extensions/v1beta1"
	for name, c := range map[string]struct {
		do   func(w *watches, q queue)
		want []string
	}{
		"its controller, by its former group":   {func(w *watches, q queue) { w.pods().Create(ctx, event.CreateEvent{Object: former}, q) }, []string{"ns/a"}},
		"its controller":                        {func(w *watches, q queue) { w.pods().Create(ctx, event.CreateEvent{Object: podOf("b", "a")}, q) }, []string{"ns/a"}},
		"who may adopt it":                      {func(w *watches, q queue) { w.pods().Create(ctx, event.CreateEvent{Object: podOf("b", "")}, q) }, []string{"ns/b"}},
		"nobody":                                {func(w *watches, q queue) { w.pods().Create(ctx, event.CreateEvent{Object: podOf("c", "")}, q) }, []string{}},
		"nobody, for a ReplicaSet's":            {func(w *watches, q queue) { w.pods().Create(ctx, event.CreateEvent{Object: ofReplicaSet}, q) }, []string{}},
		"nobody, for another API's DaemonSet's": {func(w *watches, q queue) { w.pods().Create(ctx, event.CreateEvent{Object: ofKruise}, q) }, []string{}},
		"who had it and who has it": {func(w *watches, q queue) {
			w.pods().Update(ctx, event.UpdateEvent{ObjectOld: podOf("a", "a"), ObjectNew: podOf("a", "b")}, q)
		}, []string{"ns/b", "ns/a"}},
		"whoever had it when it goes": {func(w *watches, q queue) { w.pods().Delete(ctx, event.DeleteEvent{Object: podOf("a", "a")}, q) }, []string{"ns/a"}},
	} {
		t.Run(name, func(t *testing.T) {
			NewWithT(t).Expect(queued(func(q queue) { c.do(cluster(), q) })).To(Equal(c.want))
		})
	}
}

func TestEventsAreNotedBeforeTheyAreQueued(t *testing.T) {
	g := NewWithT(t)
	w := cluster()
	pod := podOf("a", "a")
	pod.ResourceVersion = "42"
	revision := &appsv1.ControllerRevision{ObjectMeta: *pod.ObjectMeta.DeepCopy()}
	revision.ResourceVersion = "41"
	noted := map[act.Kind]string{}
	queued(func(q queue) {
		w.seen = func(kind act.Kind, version string) {
			noted[kind] = version
			g.Expect(q.Len()).To(BeZero())
		}
		w.pods().Create(context.Background(), event.CreateEvent{Object: pod}, q)
		g.Expect(q.Len()).To(Equal(1))
	})
	queued(func(q queue) { w.revisions().Create(context.Background(), event.CreateEvent{Object: revision}, q) })
	g.Expect(noted).To(Equal(map[act.Kind]string{act.Pods: "42", act.Revisions: "41"}), "RECOVERY-005, HISTORY-003")
}

func TestNodeEventsConcern(t *testing.T) {
	ctx := context.Background()
	node := func(change func(*corev1.Node)) *corev1.Node {
		n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}}
		change(n)
		return n
	}
	plain := node(func(*corev1.Node) {})
	repelling := node(func(n *corev1.Node) { n.Spec.Taints = []corev1.Taint{{Key: "x", Effect: corev1.TaintEffectNoSchedule}} })
	evicting := node(func(n *corev1.Node) { n.Spec.Taints = []corev1.Taint{{Key: "x", Effect: corev1.TaintEffectNoExecute}} })
	update := func(before, after *corev1.Node) func(w *watches, q queue) {
		return func(w *watches, q queue) {
			w.nodes().Update(ctx, event.UpdateEvent{ObjectOld: before, ObjectNew: after}, q)
		}
	}
	for name, c := range map[string]struct {
		do   func(w *watches, q queue)
		want []string
	}{
		"new node: everybody":            {func(w *watches, q queue) { w.nodes().Create(ctx, event.CreateEvent{Object: plain}, q) }, []string{"ns/a", "ns/b", "other/a"}},
		"node gone: everybody":           {func(w *watches, q queue) { w.nodes().Delete(ctx, event.DeleteEvent{Object: plain}, q) }, []string{"ns/a", "ns/b", "other/a"}},
		"taint added: who is repelled":   {update(plain, repelling), []string{"ns/a", "other/a"}},
		"taint removed: who may come":    {update(repelling, plain), []string{"ns/a", "other/a"}},
		"repelled, then evicted":         {update(repelling, evicting), []string{"ns/a", "other/a"}},
		"label added: who waited for it": {update(plain, node(func(n *corev1.Node) { n.Labels = map[string]string{"pool": "b"} })), []string{"ns/b"}},
		"cordoned: nobody": {update(plain, node(func(n *corev1.Node) {
			n.Spec.Taints = []corev1.Taint{{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule}}
		})), []string{}},
		"heartbeat: nobody":                  {update(plain, node(func(n *corev1.Node) { n.Status.Phase = corev1.NodeRunning })), []string{}},
		"label that matters to no DaemonSet": {update(plain, node(func(n *corev1.Node) { n.Labels = map[string]string{"pool": "c"} })), []string{}},
	} {
		t.Run(name, func(t *testing.T) {
			NewWithT(t).Expect(queued(func(q queue) { c.do(cluster(), q) })).To(ConsistOf(c.want), "STATUS-003, STATUS-014")
		})
	}
}
