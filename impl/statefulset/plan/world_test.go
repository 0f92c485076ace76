package plan_test

import (
	"fmt"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/rollcall-conformance/rollcall/impl/inplace"
	"github.com/rollcall-conformance/rollcall/impl/statefulset/plan"
)

// world is a StatefulSet "db" with a model of an API server and kubelets around it: what is planned takes effect at once.
type world struct {
	t         fataler
	planner   plan.Planner
	set       *appsv1.StatefulSet
	pods      map[string]*corev1.Pod
	revisions map[string]*appsv1.ControllerRevision
	claims    map[string]bool
	now       time.Time
	made      int
}

// fataler is a test.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

var _ fataler = &testing.T{}

func newWorld(t fataler, replicas int32, edits ...func(*appsv1.StatefulSet)) *world {
	set := &appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{Name: "db", Namespace: "data", UID: "db", Generation: 1}}
	set.Spec.Replicas = &replicas
	set.Spec.UpdateStrategy.Type = appsv1.RollingUpdateStatefulSetStrategyType
	set.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"app": "db"}}
	set.Spec.Template.Labels = map[string]string{"app": "db"}
	set.Spec.Template.Spec.Containers = []corev1.Container{{Name: "db", Image: "db:v1"}}
	for _, edit := range edits {
		edit(set)
	}
	return &world{
		t: t, planner: plan.Plan, set: set, pods: map[string]*corev1.Pod{}, revisions: map[string]*appsv1.ControllerRevision{}, claims: map[string]bool{},
		now: time.Date(2026, time.January, 1, 12, 0, 0, 0, time.UTC),
	}
}

func inPlace(set *appsv1.StatefulSet) {
	set.Annotations = map[string]string{inplace.Policy: inplace.IfPossible}
}
func parallel(set *appsv1.StatefulSet) { set.Spec.PodManagementPolicy = appsv1.ParallelPodManagement }

func partition(ordinal int32) func(*appsv1.StatefulSet) {
	return func(set *appsv1.StatefulSet) {
		set.Spec.UpdateStrategy.RollingUpdate = &appsv1.RollingUpdateStatefulSetStrategy{Partition: &ordinal}
	}
}

func image(tag string) func(*appsv1.StatefulSet) {
	return func(set *appsv1.StatefulSet) { set.Spec.Template.Spec.Containers[0].Image = "db:" + tag }
}

// edit changes the StatefulSet's spec.
func (w *world) edit(edits ...func(*appsv1.StatefulSet)) {
	w.set = w.set.DeepCopy()
	for _, edit := range edits {
		edit(w.set)
	}
	w.set.Generation++
}

func (w *world) plan() plan.Actions {
	state := plan.State{Set: w.set}
	for _, pod := range w.pods {
		state.Pods = append(state.Pods, pod)
	}
	for _, revision := range w.revisions {
		state.Revisions = append(state.Revisions, revision)
	}
	return w.planner(state, w.now)
}

// pass plans once and carries it out.
func (w *world) pass() plan.Actions {
	w.t.Helper()
	actions := w.plan()
	if actions.Err != nil {
		w.t.Fatalf("plan: %v", actions.Err)
	}
	for _, revision := range []*appsv1.ControllerRevision{actions.CreateRevision, actions.RenumberRevision} {
		if revision != nil {
			w.revisions[revision.Name] = revision
		}
	}
	for _, revision := range actions.DeleteRevisions {
		delete(w.revisions, revision.Name)
	}
	for _, claim := range actions.CreateClaims {
		w.claims[claim.Name] = true
	}
	for _, pod := range actions.CreatePods {
		if w.pods[pod.Name] != nil {
			w.t.Fatalf("pod %s created twice", pod.Name)
		}
		w.made++
		pod.UID, pod.Generation, pod.Status.Phase = types.UID(fmt.Sprint(w.made)), 1, corev1.PodPending
		w.pods[pod.Name] = pod
	}
	for _, pod := range actions.DeletePods {
		w.change(pod.Name, func(pod *corev1.Pod) { pod.DeletionTimestamp = &metav1.Time{Time: w.now} })
	}
	for _, update := range actions.UpdatePods {
		w.change(update.Pod.Name, func(pod *corev1.Pod) {
			for i := range pod.Spec.Containers {
				if to, changes := update.Images[pod.Spec.Containers[i].Name]; changes {
					pod.Spec.Containers[i].Image = to
				}
			}
			for key, value := range update.Labels {
				metav1.SetMetaDataLabel(&pod.ObjectMeta, key, value)
			}
			for key, value := range update.Annotations {
				metav1.SetMetaDataAnnotation(&pod.ObjectMeta, key, value)
			}
			pod.Generation++
		})
	}
	for _, proof := range actions.ProvePods {
		w.change(proof.Pod.Name, func(pod *corev1.Pod) { metav1.SetMetaDataAnnotation(&pod.ObjectMeta, inplace.Proof, proof.Value) })
	}
	if actions.Status != nil {
		w.set = w.set.DeepCopy()
		w.set.Status = *actions.Status
	}
	return actions
}

// change replaces the pod of that name by a changed copy: nothing that was planned on is changed.
func (w *world) change(name string, change func(*corev1.Pod)) {
	if w.pods[name] == nil {
		w.t.Fatalf("there is no pod %s", name)
	}
	changed := w.pods[name].DeepCopy()
	change(changed)
	w.pods[name] = changed
}

// step has the pod's kubelet do the next of what it has to do, and reports whether there was anything. Of a patch it first says that it has seen it.
func (w *world) step(name string) bool {
	pod := w.pods[name]
	wanted := pod.Spec.Containers[0].Image
	switch {
	case pod.DeletionTimestamp != nil:
		delete(w.pods, name)
	case pod.Status.Phase == corev1.PodPending:
		w.change(name, func(pod *corev1.Pod) {
			pod.Spec.NodeName, pod.Status.Phase, pod.Status.ObservedGeneration = "node", corev1.PodRunning, pod.Generation
			w.start(pod, 0)
		})
	case pod.Status.ObservedGeneration < pod.Generation:
		w.change(name, func(pod *corev1.Pod) { pod.Status.ObservedGeneration = pod.Generation })
	case pod.Status.ContainerStatuses[0].Image != wanted:
		w.change(name, func(pod *corev1.Pod) { w.start(pod, pod.Status.ContainerStatuses[0].RestartCount+1) })
	case pod.Status.Conditions[0].Status != corev1.ConditionTrue && wanted != "db:broken":
		w.change(name, func(pod *corev1.Pod) {
			pod.Status.Conditions[0] = corev1.PodCondition{Type: corev1.PodReady, Status: corev1.ConditionTrue, LastTransitionTime: metav1.NewTime(w.now)}
		})
	default:
		return false
	}
	return true
}

// start has the pod's container start. Without a readiness probe it is Ready at once, and if it was before, it says so since then.
func (w *world) start(pod *corev1.Pod, restarts int32) {
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{{
		Name: "db", Image: pod.Spec.Containers[0].Image, ContainerID: fmt.Sprint(pod.UID, restarts), RestartCount: restarts,
		State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.NewTime(w.now)}},
	}}
	if pod.Spec.Containers[0].Image == "db:broken" || len(pod.Status.Conditions) == 0 {
		pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionFalse, LastTransitionTime: metav1.NewTime(w.now)}}
	}
}

// settle lets everybody work until nothing more happens.
func (w *world) settle() {
	w.t.Helper()
	for range 1000 {
		actions := w.pass()
		moved := len(actions.CreatePods)+len(actions.DeletePods)+len(actions.UpdatePods) > 0 || actions.Status != nil
		for name := range w.pods {
			moved = w.step(name) || moved
		}
		if !moved && actions.RequeueAfter == 0 {
			return
		}
		w.now = w.now.Add(time.Second)
	}
	w.t.Fatalf("it does not settle")
}
