package disruption

import (
	"slices"
	"testing"

	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/rollcall-conformance/rollcall/impl/disruption/plan"
)

// queued returns the names of the budgets that deliver queues, of which a percentage, an integer and another namespace's.
func queued(t *testing.T, deliver func(w *watches, q queue)) []string {
	t.Helper()
	budget := func(namespace, name string, min intstr.IntOrString) *policyv1.PodDisruptionBudget {
		return &policyv1.PodDisruptionBudget{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
			Spec:       policyv1.PodDisruptionBudgetSpec{Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}, MinAvailable: &min},
		}
	}
	cache := fake.NewClientBuilder().WithScheme(clientgoscheme.Scheme).WithObjects(
		budget("ns", "share", intstr.FromString("50%")), budget("ns", "number", intstr.FromInt32(1)), budget("other", "share", intstr.FromString("50%"))).Build()
	q := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[reconcile.Request]())
	defer q.ShutDown()
	deliver(&watches{cache: cache, concerned: plan.Concerned}, q)
	var names []string
	for q.Len() > 0 {
		request, _ := q.Get()
		names = append(names, request.String())
	}
	slices.Sort(names)
	return names
}

func TestEventsOfPodsQueueBudgets(t *testing.T) {
	web := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "pod", Labels: map[string]string{"app": "web"}}}
	db := web.DeepCopy()
	db.Labels["app"] = "db"
	for name, deliver := range map[string]func(w *watches, q queue){
		"PDB-026 created": func(w *watches, q queue) { w.pods().Create(t.Context(), event.CreateEvent{Object: web}, q) },
		"PDB-026 deleted": func(w *watches, q queue) { w.pods().Delete(t.Context(), event.DeleteEvent{Object: web}, q) },
		"PDB-027 relabelled": func(w *watches, q queue) {
			w.pods().Update(t.Context(), event.UpdateEvent{ObjectOld: web, ObjectNew: db}, q)
		},
	} {
		t.Run(name, func(t *testing.T) {
			NewWithT(t).Expect(queued(t, deliver)).To(Equal([]string{"ns/number", "ns/share"}), "PDB-028")
		})
	}
	NewWithT(t).Expect(queued(t, func(w *watches, q queue) {
		w.pods().Update(t.Context(), event.UpdateEvent{ObjectOld: web, ObjectNew: web.DeepCopy()}, q)
	})).To(BeEmpty())
}

func TestEventsOfWorkloadsQueueBudgetsThatNeedAScale(t *testing.T) {
	set := func(replicas int32, changes ...func(*appsv1.ReplicaSet)) *appsv1.ReplicaSet {
		s := &appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "set"}, Spec: appsv1.ReplicaSetSpec{Replicas: &replicas}}
		for _, change := range changes {
			change(s)
		}
		return s
	}
	owned := func(s *appsv1.ReplicaSet) {
		s.OwnerReferences = []metav1.OwnerReference{{Kind: "Deployment", UID: "deployment", Controller: ptr.To(true)}}
	}
	counted := func(s *appsv1.ReplicaSet) { s.Status.Replicas = 3 }
	update := func(before, after client.Object) func(w *watches, q queue) {
		return func(w *watches, q queue) {
			w.workloads().Update(t.Context(), event.UpdateEvent{ObjectOld: before, ObjectNew: after}, q)
		}
	}
	for name, c := range map[string]struct {
		deliver func(w *watches, q queue)
		want    []string
	}{
		"PDB-007 scaled":  {update(set(2), set(3)), []string{"ns/share"}},
		"PDB-007 adopted": {update(set(2), set(2, owned)), []string{"ns/share"}},
		"PDB-007 deleted": {func(w *watches, q queue) { w.workloads().Delete(t.Context(), event.DeleteEvent{Object: set(2)}, q) }, []string{"ns/share"}},
		"its status":      {update(set(2), set(2, counted)), nil},
	} {
		t.Run(name, func(t *testing.T) { NewWithT(t).Expect(queued(t, c.deliver)).To(Equal(c.want)) })
	}
}
