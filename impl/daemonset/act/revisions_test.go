package act_test

import (
	"context"
	"testing"

	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

func TestRevisionsThatWereWrittenAreAwaited(t *testing.T) {
	stored := &appsv1.ControllerRevision{ObjectMeta: metav1.ObjectMeta{Name: "agent-a", Namespace: "ns", UID: "a"}, Revision: 1}
	for name, actionsOn := range map[string]func(seen *appsv1.ControllerRevision) plan.Actions{
		"created": func(*appsv1.ControllerRevision) plan.Actions {
			return plan.Actions{CreateRevision: &appsv1.ControllerRevision{ObjectMeta: metav1.ObjectMeta{Name: "agent-b", Namespace: "ns"}}}
		},
		"renumbered": func(seen *appsv1.ControllerRevision) plan.Actions {
			renumbered := seen.DeepCopy()
			renumbered.Revision = 2
			return plan.Actions{UpdateRevisions: []plan.RevisionUpdate{{Revision: renumbered}}}
		},
		"deleted": func(seen *appsv1.ControllerRevision) plan.Actions {
			return plan.Actions{DeleteRevisions: []*appsv1.ControllerRevision{seen}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			b := newBench(t, interceptor.Funcs{}, stored.DeepCopy())
			seen := &appsv1.ControllerRevision{}
			g.Expect(b.Live.Get(context.Background(), client.ObjectKeyFromObject(stored), seen)).To(Succeed())
			state := plan.State{DaemonSet: b.ds, Revisions: []*appsv1.ControllerRevision{seen}}
			g.Expect(b.Writes.Awaited(state, b.Writes.Mark())).To(BeZero())
			g.Expect(b.Do(context.Background(), b.ds, actionsOn(seen))).To(Succeed())
			g.Expect(b.Writes.Awaited(state, b.Writes.Mark())).NotTo(BeZero(), "HISTORY-003, HISTORY-010: numbers depend on it")
		})
	}
}

func TestAHistoryThatCannotBeDeletedKeepsNoNodeFromItsPod(t *testing.T) {
	g := NewWithT(t)
	surplus := &appsv1.ControllerRevision{ObjectMeta: metav1.ObjectMeta{Name: "agent-a", Namespace: "ns", UID: "a"}, Revision: 1}
	b := newBench(t, interceptor.Funcs{Delete: func(context.Context, client.WithWatch, client.Object, ...client.DeleteOption) error {
		return apierrors.NewForbidden(schema.GroupResource{Group: "apps", Resource: "controllerrevisions"}, surplus.Name, nil)
	}}, surplus.DeepCopy())
	status := appsv1.DaemonSetStatus{ObservedGeneration: 2}
	err := b.Do(context.Background(), b.ds, plan.Actions{DeleteRevisions: []*appsv1.ControllerRevision{surplus}, CreatePods: b.creations(1), Status: &status})
	g.Expect(apierrors.IsForbidden(err)).To(BeTrue(), "it is tried again (HISTORY-016)")
	var pods corev1.PodList
	g.Expect(b.Client.List(context.Background(), &pods)).To(Succeed())
	g.Expect(pods.Items).To(HaveLen(1), "TARGET-001")
	g.Expect(b.stored(t).Status.ObservedGeneration).To(Equal(int64(2)), "STATUS-010")
}
