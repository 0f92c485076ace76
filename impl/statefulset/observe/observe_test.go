package observe_test

import (
	"context"
	"errors"
	"testing"

	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/rollcall-conformance/rollcall/impl/statefulset/observe"
	"github.com/rollcall-conformance/rollcall/impl/statefulset/plan"
)

func statefulSet(uid types.UID) *appsv1.StatefulSet {
	return &appsv1.StatefulSet{
		ObjectMeta: metav1.ObjectMeta{Name: "store", Namespace: "ns", UID: uid},
		Status:     appsv1.StatefulSetStatus{CurrentRevision: "current", UpdateRevision: "update"},
	}
}

// meta is the metadata of an object that the StatefulSet with the UID controls.
func meta(name string, controller types.UID) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: name, Namespace: "ns", OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(statefulSet(controller), plan.Kind())}}
}

func podOf(revision string) *corev1.Pod {
	pod := &corev1.Pod{ObjectMeta: meta("pod-of-"+revision, "own")}
	if revision != "" {
		pod.Labels = map[string]string{plan.RevisionLabel: revision}
	}
	return pod
}

func revision(name string, controller types.UID) *appsv1.ControllerRevision {
	return &appsv1.ControllerRevision{ObjectMeta: meta(name, controller)}
}

func holding(objects ...client.Object) *fake.ClientBuilder {
	return fake.NewClientBuilder().WithScheme(clientgoscheme.Scheme).WithObjects(objects...)
}

func TestRevisionsInUseAreReadWhereTheCacheIsBehind(t *testing.T) {
	g := NewWithT(t)
	cache := holding(statefulSet("own"), podOf(""), podOf("cached"), podOf("late"), podOf("lost"), podOf("taken"), revision("cached", "own"), revision("foreign", "other")).Build()
	live := holding(revision("cached", "own"), revision("late", "own"), revision("taken", "other"), revision("update", "own"), revision("unused", "own")).Build()
	state, err := observe.Observe(context.Background(), cache, live, types.NamespacedName{Namespace: "ns", Name: "store"})
	g.Expect(err).NotTo(HaveOccurred())
	var names []string
	for _, revision := range state.Revisions {
		names = append(names, revision.Name)
	}
	g.Expect(names).To(ConsistOf("cached", "late", "update"), "INPLACE-031: one that is gone, or somebody else's, is none")
	g.Expect(state.Pods).To(HaveLen(5))
}

func TestARevisionThatCannotBeReadIsNotTakenForLost(t *testing.T) {
	g := NewWithT(t)
	refused := errors.New("the API server is down")
	live := holding().WithInterceptorFuncs(interceptor.Funcs{
		Get: func(context.Context, client.WithWatch, client.ObjectKey, client.Object, ...client.GetOption) error {
			return refused
		},
	}).Build()
	_, err := observe.Observe(context.Background(), holding(statefulSet("own"), podOf("late")).Build(), live, types.NamespacedName{Namespace: "ns", Name: "store"})
	g.Expect(err).To(MatchError(refused))
}
