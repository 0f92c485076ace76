package daemonset

import (
	"context"
	"testing"

	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/act"
	"github.com/rollcall-conformance/rollcall/impl/daemonset/observe"
	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
	"github.com/rollcall-conformance/rollcall/impl/toy"
)

// toys is an API server that has Daemons.
func toys(t *testing.T, objects ...client.Object) client.Client {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, toy.API().AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	return fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).WithStatusSubresource(&toy.Daemon{}).
		WithIndex(&corev1.Pod{}, observe.ControllerIndex, observe.ControllerOf).
		WithIndex(&appsv1.ControllerRevision{}, observe.ControllerIndex, observe.ControllerOf).Build()
}

// daemon is agent's DaemonSet as a Daemon, without a history.
func daemon(t *testing.T) *toy.Daemon {
	t.Helper()
	ds, _, _ := agent(t)
	ds.Status = appsv1.DaemonSetStatus{}
	return toy.API().FromDaemonSet(ds).(*toy.Daemon)
}

func TestAnotherAPIsObjectsAreReconciledUnderTheirOwnName(t *testing.T) {
	g := NewWithT(t)
	ctx, api := context.Background(), toy.API()
	orphan := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "orphan", UID: "orphan", Labels: map[string]string{"app": "agent"}},
		Spec:       corev1.PodSpec{NodeName: "n0"},
	}
	server := toys(t, daemon(t), orphan,
		&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n0"}}, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n1"}})
	r := reconciler(t, api.Reader(server), api.Client(server))
	w := &watches{cache: api.Reader(server), api: api, seen: r.writes.Seen}
	for range 5 {
		_, err := r.Reconcile(ctx, reconcile.Request{NamespacedName: client.ObjectKey{Namespace: "ns", Name: "agent"}})
		g.Expect(err).NotTo(HaveOccurred())
		for _, list := range []client.ObjectList{&corev1.PodList{}, &appsv1.ControllerRevisionList{}} {
			g.Expect(server.List(ctx, list)).To(Succeed())
			tell(w, list)
		}
	}

	var revisions appsv1.ControllerRevisionList
	g.Expect(server.List(ctx, &revisions)).To(Succeed())
	g.Expect(revisions.Items).To(HaveLen(1))
	hash := plan.TemplateHash(&daemon(t).Spec.Template, nil)
	var pods corev1.PodList
	g.Expect(server.List(ctx, &pods)).To(Succeed())
	g.Expect(pods.Items).To(HaveLen(2), "one adopted, one created")
	owned := []metav1.ObjectMeta{revisions.Items[0].ObjectMeta}
	for _, pod := range pods.Items {
		owned = append(owned, pod.ObjectMeta)
	}
	for _, object := range owned {
		g.Expect(object.OwnerReferences).To(ConsistOf(*metav1.NewControllerRef(daemon(t), api.GroupVersionKind)), object.Name)
		g.Expect(object.Labels).NotTo(HaveKey(plan.HashLabel), object.Name)
		if object.Name != orphan.Name {
			g.Expect(object.Labels).To(HaveKeyWithValue(api.RevisionLabel, hash), object.Name)
		}
	}
	stored := daemon(t)
	g.Expect(server.Get(ctx, client.ObjectKeyFromObject(stored), stored)).To(Succeed())
	g.Expect(stored.Status.DesiredNumberScheduled).To(Equal(int32(2)))
	g.Expect(stored.Status.UpdatedNumberScheduled).To(Equal(int32(1)), "the adopted pod is of no revision")
}

// tell has the watches see what is listed.
func tell(w *watches, list client.ObjectList) {
	queued(func(q queue) {
		switch list := list.(type) {
		case *corev1.PodList:
			for i := range list.Items {
				w.pods().Create(context.Background(), event.CreateEvent{Object: &list.Items[i]}, q)
			}
		case *appsv1.ControllerRevisionList:
			for i := range list.Items {
				w.revisions().Create(context.Background(), event.CreateEvent{Object: &list.Items[i]}, q)
			}
		}
	})
}

func TestEventsConcernAnotherAPIsObjectsOnly(t *testing.T) {
	g := NewWithT(t)
	api := toy.API()
	w := &watches{cache: api.Reader(toys(t, daemon(t))), api: api, seen: func(act.Kind, string) {}}
	ofDaemon := podOf("agent", "agent")
	ofDaemon.OwnerReferences[0].APIVersion, ofDaemon.OwnerReferences[0].Kind = api.GroupVersionKind.ToAPIVersionAndKind()
	for _, c := range []struct {
		pod  *corev1.Pod
		want []string
	}{{ofDaemon, []string{"ns/agent"}}, {podOf("agent", ""), []string{"ns/agent"}}, {podOf("agent", "agent"), []string{}}} {
		g.Expect(queued(func(q queue) { w.pods().Create(context.Background(), event.CreateEvent{Object: c.pod}, q) })).To(Equal(c.want))
	}
}
