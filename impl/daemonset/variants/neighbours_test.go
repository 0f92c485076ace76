package variants_test

import (
	"context"
	"slices"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
	"github.com/rollcall-conformance/rollcall/impl/daemonset/variants"
	"github.com/rollcall-conformance/rollcall/impl/inplace"
	"github.com/rollcall-conformance/rollcall/impl/united/api"
	unitedplan "github.com/rollcall-conformance/rollcall/impl/united/plan"
)

func named(t *testing.T, name string) variants.Variant {
	t.Helper()
	v, err := variants.Named(name)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func conditionOf(pod *corev1.Pod, kind corev1.PodConditionType) corev1.ConditionStatus {
	for _, condition := range pod.Status.Conditions {
		if condition.Type == kind {
			return condition.Status
		}
	}
	return ""
}

func TestEachTermOfTheTemplateIsForTheNodeAlone(t *testing.T) {
	w := newWorld(t, 2, "1", "0")
	in := func(key, value string) []corev1.NodeSelectorRequirement {
		return []corev1.NodeSelectorRequirement{{Key: key, Operator: corev1.NodeSelectorOpIn, Values: []string{value}}}
	}
	w.DaemonSet.Spec.Template.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
		NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: in("zone", "a")}, {MatchFields: in(metav1.ObjectNameField, "n1")}, {}},
	}}}
	for _, node := range w.Nodes {
		node.Labels = map[string]string{"zone": "a"}
	}
	w.update("v1")
	actions := named(t, "keeps-the-affinity-of-the-template").Planner(plan.Plan)(w.State, w.now)
	if len(actions.CreatePods) != 2 {
		t.Fatalf("got %s", summary(actions))
	}
	for i, terms := range []int{1, 2} {
		creation := actions.CreatePods[i]
		got := creation.Pod.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms
		elsewhere := slices.ContainsFunc(got, func(term corev1.NodeSelectorTerm) bool {
			return len(term.MatchFields) != 1 || !slices.Equal(term.MatchFields[0].Values, []string{creation.Node})
		})
		if len(got) != terms || elsewhere || plan.TargetNode(creation.Pod) != creation.Node || len(got[0].MatchExpressions) != 1 {
			t.Errorf("on %s: got %v", creation.Node, got)
		}
	}
}

func TestUnreadyPodsAreUpdatedInPlaceUnderSurge(t *testing.T) {
	w := newWorld(t, 3, "1", "0")
	w.DaemonSet.Annotations[inplace.Policy] = inplace.IfPossible
	w.pod("n0", unready)
	w.pod("n1", unready, func(pod *corev1.Pod) { pod.Status.Phase = corev1.PodPending })
	w.pod("n2")
	w.update("v2")
	actions := named(t, "updates-unready-pods-in-place-under-surge").Planner(plan.Plan)(w.State, w.now)
	if got := summary(actions); got != "create on n1" || len(actions.UpdatePods) != 1 {
		t.Fatalf("got %s, and %v", got, actions.UpdatePods)
	}
	update := actions.UpdatePods[0]
	if update.Node != "n0" || update.Images["agent"] != "v2" || update.Annotations[inplace.Record] == "" ||
		update.Labels[plan.HashLabel] != actions.CreatePods[0].Hash || update.Labels[plan.GenerationLabel] != "2" {
		t.Errorf("got %+v", update)
	}
}

func TestAPodHasAConditionWhileItIsUpdatedInPlace(t *testing.T) {
	w := newWorld(t, 1, "0", "1")
	pod := w.pod("n0")
	real := fake.NewClientBuilder().WithStatusSubresource(pod).WithObjects(pod).Build()
	key := client.ObjectKeyFromObject(pod)
	get := func() *corev1.Pod {
		is := &corev1.Pod{}
		if err := real.Get(t.Context(), key, is); err != nil {
			t.Fatal(err)
		}
		return is
	}
	patching := func(kind types.PatchType, body []byte) error {
		empty := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: pod.Name}}
		return named(t, "conditions-on-pods-it-updates-in-place").Writer(real).Patch(t.Context(), empty, client.RawPatch(kind, body))
	}
	update := func(seen *corev1.Pod) error {
		body, err := inplace.Patch(seen, map[string]string{"agent": "v2"}, map[string]string{plan.HashLabel: "v2"}, map[string]string{inplace.Record: "{}"})
		if err != nil {
			t.Fatal(err)
		}
		return patching(types.StrategicMergePatchType, body)
	}
	old := get()
	old.ResourceVersion = "1"
	if err := update(old); !apierrors.IsConflict(err) || conditionOf(get(), "InPlaceUpdateReady") != "" {
		t.Errorf("a pod that has changed: got %v, %v", err, get().Status)
	}
	if err := update(get()); err != nil || conditionOf(get(), "InPlaceUpdateReady") != corev1.ConditionFalse || get().Spec.Containers[0].Image != "v2" {
		t.Errorf("got %v, %v", err, get())
	}
	body, err := inplace.PodProof{Pod: get(), Value: "{}"}.Patch()
	if err != nil {
		t.Fatal(err)
	}
	if err := patching(types.MergePatchType, body); err != nil || conditionOf(get(), "InPlaceUpdateReady") != corev1.ConditionTrue || conditionOf(get(), corev1.PodReady) != corev1.ConditionTrue {
		t.Errorf("got %v, %v", err, get().Status)
	}
}

func TestAPodIsMarkedBeforeItIsDeleted(t *testing.T) {
	w := newWorld(t, 1, "0", "1")
	pod := w.pod("n0", func(pod *corev1.Pod) { pod.Finalizers = []string{"example.com/kept"} })
	real := fake.NewClientBuilder().WithStatusSubresource(pod).WithObjects(pod).Build()
	is := &corev1.Pod{}
	if err := real.Get(t.Context(), client.ObjectKeyFromObject(pod), is); err != nil {
		t.Fatal(err)
	}
	err := named(t, "marks-disruption-targets").Writer(real).Delete(t.Context(), is.DeepCopy(), client.Preconditions{UID: &is.UID, ResourceVersion: &is.ResourceVersion})
	if err != nil {
		t.Fatal(err)
	}
	if err := real.Get(t.Context(), client.ObjectKeyFromObject(pod), is); err != nil || is.DeletionTimestamp == nil || conditionOf(is, corev1.DisruptionTarget) != corev1.ConditionTrue {
		t.Errorf("got %v, %v", err, is)
	}
}

func TestNodesSayWhereARolloutIsUnderWay(t *testing.T) {
	w := rollout(t, 2, "0", "1")
	objects := []client.Object{w.DaemonSet, w.Nodes[0], w.Nodes[1], w.Pods[0], w.Pods[1]}
	for _, revision := range w.Revisions {
		objects = append(objects, revision)
	}
	c := fake.NewClientBuilder().WithObjects(objects...).Build()
	none := reconcile.Func(func(context.Context, reconcile.Request) (reconcile.Result, error) { return reconcile.Result{}, nil })
	pass := func() (annotated int) {
		t.Helper()
		request := reconcile.Request{NamespacedName: client.ObjectKeyFromObject(w.DaemonSet)}
		if _, err := named(t, "annotates-nodes").Reconciler(none, c).Reconcile(t.Context(), request); err != nil {
			t.Fatal(err)
		}
		var nodes corev1.NodeList
		if err := c.List(t.Context(), &nodes); err != nil {
			t.Fatal(err)
		}
		for _, node := range nodes.Items {
			annotated += len(node.Annotations)
		}
		return annotated
	}
	if got := pass(); got != 2 {
		t.Errorf("with old pods %d nodes are annotated", got)
	}
	if err := c.DeleteAllOf(t.Context(), &corev1.Pod{}, client.InNamespace("ns")); err != nil {
		t.Fatal(err)
	}
	if got := pass(); got != 0 {
		t.Errorf("without pods %d nodes are annotated", got)
	}
}

func TestHistoriesAreLetGo(t *testing.T) {
	w := newWorld(t, 1, "0", "1")
	v := named(t, "finalizer-on-histories")
	w.Revisions = nil
	history := v.Planner(plan.Plan)(w.State, w.now).CreateRevision
	if history == nil || len(history.Finalizers) != 1 {
		t.Fatalf("got %v", history)
	}
	c := fake.NewClientBuilder().WithObjects(history).Build()
	if err := c.Delete(t.Context(), history); err != nil {
		t.Fatal(err)
	}
	none := reconcile.Func(func(context.Context, reconcile.Request) (reconcile.Result, error) { return reconcile.Result{}, nil })
	if _, err := v.Reconciler(none, c).Reconcile(t.Context(), reconcile.Request{}); err != nil {
		t.Fatal(err)
	}
	if err := wait.PollUntilContextTimeout(t.Context(), 50*time.Millisecond, 5*time.Second, true, func(ctx context.Context) (bool, error) {
		return apierrors.IsNotFound(c.Get(ctx, client.ObjectKeyFromObject(history), &appsv1.ControllerRevision{})), nil
	}); err != nil {
		t.Errorf("the history is still there: %v", err)
	}
}

func TestOneConditionSaysWhatFourDid(t *testing.T) {
	conditions := []metav1.Condition{
		{Type: api.Effective, Status: metav1.ConditionTrue, Reason: "TargetFound", Message: "the target is there"},
		{Type: api.SubsetsValid, Status: metav1.ConditionFalse, Reason: "InvalidSubset", Message: "subset blue: no"},
		{Type: api.Overlapping, Status: metav1.ConditionTrue, Reason: "FirstSubsetWins", Message: "node n1"},
		{Type: "Foreign", Status: metav1.ConditionTrue, Reason: "Kept"},
	}
	state := unitedplan.State{United: &api.UnitedDaemonSet{}}
	planner := named(t, "united-says-all-in-one-condition").United(func(unitedplan.State, time.Time) unitedplan.Actions {
		return unitedplan.Actions{Status: &api.Status{ObservedGeneration: 3, Conditions: append(slices.Clone(conditions), state.United.Status.Conditions...)}}
	})
	status := planner(state, time.Time{}).Status
	if status == nil || len(status.Conditions) != 2 || status.Conditions[0].Type != "Foreign" {
		t.Fatalf("got %v", status)
	}
	if got := status.Conditions[1]; got.Type != "Ready" || got.Status != metav1.ConditionFalse || got.Reason != "InvalidSubset" || got.Message != "subset blue: no; node n1" {
		t.Errorf("got %v", got)
	}
	conditions = conditions[:3]
	state.United.Status = *status
	if again := planner(state, time.Time{}).Status; again != nil {
		t.Errorf("nothing has changed, and %v is written", again)
	}
}
