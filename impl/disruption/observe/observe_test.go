package observe_test

import (
	"context"
	"errors"
	"testing"

	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/rollcall-conformance/rollcall/impl/disruption/observe"
	"github.com/rollcall-conformance/rollcall/impl/disruption/plan"
)

// scales answers for kinds, and counts the questions.
type scales struct {
	byKind map[string]observe.Scale
	err    error
	asked  int
}

func (s *scales) Scale(_ context.Context, _ string, reference *metav1.OwnerReference) (observe.Scale, error) {
	s.asked++
	return s.byKind[reference.Kind], s.err
}

func named(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: "ns", Name: name, UID: types.UID(name)}
}

func controlledBy(apiVersion, kind, name string, meta metav1.ObjectMeta) metav1.ObjectMeta {
	meta.OwnerReferences = []metav1.OwnerReference{{APIVersion: apiVersion, Kind: kind, Name: name, UID: types.UID(name), Controller: ptr.To(true)}}
	return meta
}

func pod(apiVersion, kind, controller string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: controlledBy(apiVersion, kind, controller, named("pod"))}
}

func budget() *policyv1.PodDisruptionBudget {
	return &policyv1.PodDisruptionBudget{
		ObjectMeta: named("budget"),
		Spec:       policyv1.PodDisruptionBudgetSpec{Selector: &metav1.LabelSelector{}, MaxUnavailable: ptr.To(intstr.FromInt32(1))},
	}
}

func cache(objects ...client.Object) client.Client {
	return fake.NewClientBuilder().WithScheme(clientgoscheme.Scheme).WithObjects(objects...).WithIndex(&corev1.Pod{}, observe.LabelIndex, observe.LabelsOf).Build()
}

func look(t *testing.T, s *scales, objects ...client.Object) plan.State {
	t.Helper()
	o := &observe.Observer{Cache: cache(objects...), Scales: s}
	state, err := o.Observe(t.Context(), types.NamespacedName{Namespace: "ns", Name: "budget"})
	if err != nil {
		t.Fatal(err)
	}
	return state
}

func TestTheScaleBehindAPod(t *testing.T) {
	set := func(name string) *appsv1.ReplicaSet {
		return &appsv1.ReplicaSet{ObjectMeta: named(name), Spec: appsv1.ReplicaSetSpec{Replicas: ptr.To(int32(2))}}
	}
	owned := set("set")
	owned.ObjectMeta = controlledBy("apps/v1", "Deployment", "deployment", owned.ObjectMeta)
	rollout := set("set")
	rollout.ObjectMeta = controlledBy("example.test/v1", "Rollout", "rollout", rollout.ObjectMeta)
	deployment := &appsv1.Deployment{ObjectMeta: named("deployment"), Spec: appsv1.DeploymentSpec{Replicas: ptr.To(int32(5))}}
	former := set("set")
	former.UID = "former"
	for name, c := range map[string]struct {
		pod     *corev1.Pod
		objects []client.Object
		scale   observe.Scale
		want    plan.Controller
	}{
		"ReplicaSet":                   {pod("apps/v1", "ReplicaSet", "set"), []client.Object{set("set")}, observe.Scale{}, plan.Controller{UID: "set", Replicas: 2}},
		"ReplicaSet of a Deployment":   {pod("apps/v1", "ReplicaSet", "set"), []client.Object{owned, deployment}, observe.Scale{}, plan.Controller{UID: "deployment", Replicas: 5}},
		"of a Deployment that is gone": {pod("apps/v1", "ReplicaSet", "set"), []client.Object{owned}, observe.Scale{}, plan.Controller{UID: "set", Replicas: 2}},
		"of something else":            {pod("apps/v1", "ReplicaSet", "set"), []client.Object{rollout}, observe.Scale{}, plan.Controller{UID: "set", Replicas: 2}},
		"ReplicaSet of old":            {pod("extensions/v1beta1", "ReplicaSet", "set"), []client.Object{set("set")}, observe.Scale{}, plan.Controller{UID: "set", Replicas: 2}},
		"ReplicaSet without replicas":  {pod("apps/v1", "ReplicaSet", "set"), []client.Object{&appsv1.ReplicaSet{ObjectMeta: named("set")}}, observe.Scale{}, plan.Controller{UID: "set", Replicas: 1}},
		"StatefulSet": {pod("apps/v1", "StatefulSet", "set"),
			[]client.Object{&appsv1.StatefulSet{ObjectMeta: named("set"), Spec: appsv1.StatefulSetSpec{Replicas: ptr.To(int32(3))}}}, observe.Scale{}, plan.Controller{UID: "set", Replicas: 3}},
		"ReplicationController": {pod("v1", "ReplicationController", "rc"),
			[]client.Object{&corev1.ReplicationController{ObjectMeta: named("rc"), Spec: corev1.ReplicationControllerSpec{Replicas: ptr.To(int32(4))}}},
			observe.Scale{}, plan.Controller{UID: "rc", Replicas: 4}},
		"not in the cache yet": {pod("apps/v1", "ReplicaSet", "set"), nil, observe.Scale{UID: "set", Replicas: 6}, plan.Controller{UID: "set", Replicas: 6, Polled: true}},
		"gone":                 {pod("apps/v1", "ReplicaSet", "set"), nil, observe.Scale{}, plan.Controller{UID: "set", Gone: true}},
		"another of that name": {pod("apps/v1", "ReplicaSet", "set"), []client.Object{former}, observe.Scale{UID: "former"}, plan.Controller{UID: "set", Gone: true}},
		"custom resource":      {pod("example.test/v1", "Web", "web"), nil, observe.Scale{UID: "web", Replicas: 7}, plan.Controller{UID: "web", Replicas: 7, Polled: true}},
		"a ReplicaSet of another group": {pod("example.test/v1", "ReplicaSet", "set"), []client.Object{set("set")}, observe.Scale{UID: "set", Replicas: 8},
			plan.Controller{UID: "set", Replicas: 8, Polled: true}},
	} {
		t.Run(name, func(t *testing.T) {
			s := &scales{byKind: map[string]observe.Scale{c.pod.OwnerReferences[0].Kind: c.scale}}
			state := look(t, s, append(c.objects, budget(), c.pod)...)
			NewWithT(t).Expect(state.Controllers).To(Equal(map[types.UID]plan.Controller{c.pod.OwnerReferences[0].UID: c.want}))
		})
	}
}

func TestAScaleThatIsNotKnown(t *testing.T) {
	g := NewWithT(t)
	s := &scales{byKind: map[string]observe.Scale{"DaemonSet": {Lacking: "daemonsets.apps does not implement the scale subresource"}}}
	state := look(t, s, budget(), pod("apps/v1", "DaemonSet", "set"))
	g.Expect(state.Controllers["set"].Err).To(MatchError("daemonsets.apps does not implement the scale subresource"), "PDB-021")
	g.Expect(state.Controllers["set"].Temporary).To(BeFalse())
	s.err = errors.New("timeout")
	state = look(t, s, budget(), pod("apps/v1", "DaemonSet", "set"))
	g.Expect(state.Controllers["set"].Err).To(MatchError(ContainSubstring("DaemonSet set: timeout")))
	g.Expect(state.Controllers["set"].Temporary).To(BeTrue())
}

func TestScalesAreAskedForOnceAndOnlyWhereNeeded(t *testing.T) {
	g := NewWithT(t)
	s := &scales{byKind: map[string]observe.Scale{"Web": {UID: "web", Replicas: 2}}}
	second := pod("example.test/v1", "Web", "web")
	second.Name = "second"
	look(t, s, budget(), pod("example.test/v1", "Web", "web"), second)
	g.Expect(s.asked).To(Equal(1))
	number := budget()
	number.Spec.MaxUnavailable, number.Spec.MinAvailable = nil, ptr.To(intstr.FromInt32(1))
	look(t, s, number, pod("example.test/v1", "Web", "web"), second)
	g.Expect(s.asked).To(Equal(1), "PDB-019")
}

func TestTheIndexLeavesOutNoPodThatTheSelectorSelects(t *testing.T) {
	labelled := func(name string, labels map[string]string) *corev1.Pod {
		pod := &corev1.Pod{ObjectMeta: named(name)}
		pod.Labels = labels
		return pod
	}
	pods := []client.Object{
		labelled("both", map[string]string{"app": "web", "tier": "front"}), labelled("app", map[string]string{"app": "web"}),
		labelled("tier", map[string]string{"tier": "front"}), labelled("none", nil),
	}
	tier := metav1.LabelSelectorRequirement{Key: "tier", Operator: metav1.LabelSelectorOpExists}
	for name, c := range map[string]struct {
		selector *metav1.LabelSelector
		want     []string
	}{
		"a label":                     {&metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}, []string{"app", "both"}},
		"two labels":                  {&metav1.LabelSelector{MatchLabels: map[string]string{"tier": "front", "app": "web"}}, []string{"both"}},
		"a label and an expression":   {&metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}, MatchExpressions: []metav1.LabelSelectorRequirement{tier}}, []string{"both"}},
		"an expression":               {&metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{tier}}, []string{"both", "tier"}},
		"an empty selector (PDB-016)": {&metav1.LabelSelector{}, []string{"app", "both", "none", "tier"}},
		"no selector (PDB-016)":       {nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			selecting := budget()
			selecting.Spec.Selector = c.selector
			state := look(t, &scales{}, append(pods, selecting)...)
			selected, err := plan.Selected(selecting, state.Pods)
			g.Expect(err).NotTo(HaveOccurred())
			var names []string
			for _, pod := range selected {
				names = append(names, pod.Name)
			}
			g.Expect(names).To(ConsistOf(c.want))
		})
	}
}
