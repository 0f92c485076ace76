package workload_test

import (
	"context"
	"testing"

	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
	"github.com/rollcall-conformance/rollcall/impl/daemonset/workload"
	"github.com/rollcall-conformance/rollcall/impl/toy"
)

func server(t *testing.T, objects ...client.Object) client.Client {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, toy.API().AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	return fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).WithStatusSubresource(&toy.Daemon{}).Build()
}

// labelled returns a pod with what the API has under its revision label, and under the one of apps/v1.
func labelled(own, foreign string) *corev1.Pod {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "p", Labels: map[string]string{"app": "a"}}}
	if own != "" {
		pod.Labels[toy.API().RevisionLabel] = own
	}
	if foreign != "" {
		pod.Labels[plan.HashLabel] = foreign
	}
	return pod
}

func TestTheRevisionLabelIsTranslatedAndNoneIsLost(t *testing.T) {
	ctx, key := context.Background(), client.ObjectKey{Namespace: "ns", Name: "p"}
	for name, stored := range map[string]*corev1.Pod{
		"the API's": labelled("r1", ""), "that of apps/v1": labelled("", "r2"), "both": labelled("r1", "r2"), "neither": labelled("", ""),
	} {
		seen := labelled(stored.Labels[plan.HashLabel], stored.Labels[toy.API().RevisionLabel])
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			plain := server(t)
			c := toy.API().Client(plain)
			created := seen.DeepCopy()
			g.Expect(c.Create(ctx, created)).To(Succeed())
			g.Expect(created.Labels).To(Equal(seen.Labels), "what the caller has stays as it was")

			var pod corev1.Pod
			g.Expect(plain.Get(ctx, key, &pod)).To(Succeed())
			g.Expect(pod.Labels).To(Equal(stored.Labels))
			g.Expect(c.Get(ctx, key, &pod)).To(Succeed())
			g.Expect(pod.Labels).To(Equal(seen.Labels))
			g.Expect(c.Update(ctx, &pod)).To(Succeed())
			g.Expect(pod.Labels).To(Equal(seen.Labels))

			var pods corev1.PodList
			g.Expect(plain.List(ctx, &pods)).To(Succeed())
			g.Expect(pods.Items[0].Labels).To(Equal(stored.Labels))
			g.Expect(c.List(ctx, &pods)).To(Succeed())
			g.Expect(pods.Items[0].Labels).To(Equal(seen.Labels))
		})
	}
}

func TestThePatchOfARevisionLabelIsTranslated(t *testing.T) {
	ctx := context.Background()
	for body, want := range map[string]string{
		`{"metadata":{"labels":{"controller-revision-hash":"r2"}}}`: "r2",
		`{"metadata":{"finalizers":["example.org/stay"]}}`:          "r1",
	} {
		t.Run(body, func(t *testing.T) {
			g := NewWithT(t)
			plain, pod := server(t, labelled("r1", "")), labelled("", "")
			g.Expect(toy.API().Client(plain).Patch(ctx, pod, client.RawPatch(types.StrategicMergePatchType, []byte(body)))).To(Succeed())
			g.Expect(pod.Labels).To(Equal(labelled("", want).Labels))
			g.Expect(plain.Get(ctx, client.ObjectKeyFromObject(pod), pod)).To(Succeed())
			g.Expect(pod.Labels).To(Equal(labelled(want, "").Labels))
		})
	}
}

func TestReadingLeavesSharedLabelsAlone(t *testing.T) {
	g := NewWithT(t)
	shared := labelled("r1", "")
	var pods corev1.PodList
	g.Expect(toy.API().Reader(shares{shared}).List(context.Background(), &pods)).To(Succeed())
	g.Expect(pods.Items[0].Labels).To(Equal(labelled("", "r1").Labels))
	g.Expect(shared.Labels).To(Equal(labelled("r1", "").Labels))
}

// shares lists a pod as a cache does for client.UnsafeDisableDeepCopy.
type shares struct{ pod *corev1.Pod }

func (s shares) Get(context.Context, client.ObjectKey, client.Object, ...client.GetOption) error {
	panic("not asked for")
}

func (s shares) List(_ context.Context, into client.ObjectList, _ ...client.ListOption) error {
	into.(*corev1.PodList).Items = []corev1.Pod{*s.pod}
	return nil
}

func TestObjectsAreDaemonSetsThatSayWhatTheyReallyAre(t *testing.T) {
	g := NewWithT(t)
	ctx, api := context.Background(), toy.API()
	plain := server(t, &toy.Daemon{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "d"}, Spec: appsv1.DaemonSetSpec{MinReadySeconds: 7}})
	c := api.Client(plain)

	ds := &appsv1.DaemonSet{}
	g.Expect(c.Get(ctx, client.ObjectKey{Namespace: "ns", Name: "d"}, ds)).To(Succeed())
	g.Expect(plan.ControllerKind(ds)).To(Equal(api.GroupVersionKind))
	g.Expect(ds.Spec.MinReadySeconds).To(Equal(int32(7)))
	var list appsv1.DaemonSetList
	g.Expect(c.List(ctx, &list)).To(Succeed())
	g.Expect(list.Items).To(ConsistOf(*ds))

	ds.Status.NumberReady, ds.Spec.MinReadySeconds = 3, 9
	before := ds.ResourceVersion
	g.Expect(c.Status().Update(ctx, ds)).To(Succeed())
	g.Expect(ds.ResourceVersion).NotTo(Equal(before))
	daemon := &toy.Daemon{}
	g.Expect(plain.Get(ctx, client.ObjectKeyFromObject(ds), daemon)).To(Succeed())
	g.Expect(daemon.Status.NumberReady).To(Equal(int32(3)))
	g.Expect(daemon.Spec.MinReadySeconds).To(Equal(int32(7)), "the status alone was written")
}

func TestOfAppsV1NothingIsTranslated(t *testing.T) {
	g := NewWithT(t)
	var api *workload.API
	plain := server(t)
	g.Expect(api.Client(plain)).To(BeIdenticalTo(plain))
	g.Expect(api.Reader(plain)).To(BeIdenticalTo(plain))
	g.Expect(api.New()).To(Equal(&appsv1.DaemonSet{}))
	g.Expect(api.GroupKind()).To(Equal(plan.ControllerKind(&appsv1.DaemonSet{}).GroupKind()))
}
