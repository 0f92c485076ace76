package observe_test

import (
	"context"
	"testing"

	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/observe"
	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

func daemonSet() *appsv1.DaemonSet {
	labels := map[string]string{"app": "agent"}
	return &appsv1.DaemonSet{
		ObjectMeta: metav1.ObjectMeta{Name: "agent", Namespace: "ns", UID: "ds"},
		Spec: appsv1.DaemonSetSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}},
		},
	}
}

func controlledBy(uid types.UID) []metav1.OwnerReference {
	if uid == "" {
		return nil
	}
	ds := daemonSet()
	ds.UID = uid
	return []metav1.OwnerReference{*metav1.NewControllerRef(ds, appsv1.SchemeGroupVersion.WithKind("DaemonSet"))}
}

func pod(namespace, name string, controller types.UID) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, UID: types.UID(name), OwnerReferences: controlledBy(controller)}}
}

func revision(namespace, name string, controller types.UID) *appsv1.ControllerRevision {
	return &appsv1.ControllerRevision{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, OwnerReferences: controlledBy(controller)}}
}

func cacheWith(objects ...client.Object) client.Reader {
	return fake.NewClientBuilder().WithScheme(clientgoscheme.Scheme).WithObjects(objects...).
		WithIndex(&corev1.Pod{}, observe.ControllerIndex, observe.ControllerOf).
		WithIndex(&appsv1.ControllerRevision{}, observe.ControllerIndex, observe.ControllerOf).Build()
}

func TestStateHoldsWhatMayConcernTheDaemonSet(t *testing.T) {
	g := NewWithT(t)
	ds := daemonSet()
	taken := plan.RevisionName(ds)
	own := pod("ns", "own", "ds")
	own.Labels = map[string]string{plan.HashLabel: "lost"}
	lost := ds.Name + "-lost"
	cache := cacheWith(ds,
		&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n1"}}, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n0"}},
		own, pod("ns", "orphan", ""), pod("ns", "foreign", "other"), pod("elsewhere", "orphan", ""),
		revision("ns", "own", "ds"), revision("ns", "orphan", ""), revision("ns", "foreign", "other"), revision("ns", taken, "other"), revision("ns", lost, "other"),
		revision("elsewhere", "orphan", ""),
	)
	state, err := observe.New(cache).Observe(context.Background(), client.ObjectKeyFromObject(ds))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(state.DaemonSet.UID).To(Equal(ds.UID))
	g.Expect(names(state.Nodes)).To(Equal([]string{"n0", "n1"}), "in the order of their names, whatever the cache's")
	g.Expect(names(state.Pods)).To(ConsistOf("own", "orphan"))
	g.Expect(names(state.Revisions)).To(ConsistOf("own", "orphan", taken, lost), "HISTORY-005, HISTORY-006, HISTORY-022: who has the next name matters, and the names of its pods")
}

func names[T client.Object](objects []T) []string {
	var names []string
	for _, object := range objects {
		names = append(names, object.GetName())
	}
	return names
}

func TestMissingDaemonSetIsNotFound(t *testing.T) {
	_, err := observe.New(cacheWith()).Observe(context.Background(), types.NamespacedName{Namespace: "ns", Name: "agent"})
	NewWithT(t).Expect(apierrors.IsNotFound(err)).To(BeTrue(), "got %v", err)
}
