package variants_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// world is a State under construction: a DaemonSet with revisions v1, v2, … of which the last is current, and nodes n0, n1, …
type world struct {
	t   *testing.T
	now time.Time
	plan.State
	generation map[string]int64
}

func newWorld(t *testing.T, nodes int, maxSurge, maxUnavailable string) *world {
	t.Helper()
	labels := map[string]string{"app": "agent"}
	surge, unavailable := intstr.Parse(maxSurge), intstr.Parse(maxUnavailable)
	w := &world{t: t, now: time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC), generation: map[string]int64{}}
	w.DaemonSet = &appsv1.DaemonSet{
		ObjectMeta: metav1.ObjectMeta{Name: "agent", Namespace: "ns", UID: "agent", Annotations: map[string]string{}},
		Spec: appsv1.DaemonSetSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "agent"}}}},
			UpdateStrategy: appsv1.DaemonSetUpdateStrategy{
				Type:          appsv1.RollingUpdateDaemonSetStrategyType,
				RollingUpdate: &appsv1.RollingUpdateDaemonSet{MaxSurge: &surge, MaxUnavailable: &unavailable},
			},
		},
	}
	for i := range nodes {
		name := fmt.Sprintf("n%d", i)
		w.Nodes = append(w.Nodes, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name)}})
	}
	w.update("v1")
	return w
}

// rollout is a world in which every node has a pod of v1, but for what changes, and v2 is current.
func rollout(t *testing.T, nodes int, maxSurge, maxUnavailable string, changes ...func(*corev1.Pod)) *world {
	t.Helper()
	w := newWorld(t, nodes, maxSurge, maxUnavailable)
	w.everywhere(changes...)
	w.update("v2")
	return w
}

// update makes version the current one, as the API server and the history would have it.
func (w *world) update(version string) {
	w.t.Helper()
	w.DaemonSet = w.DaemonSet.DeepCopy()
	w.DaemonSet.Spec.Template.Spec.Containers[0].Image = version
	w.DaemonSet.Generation++
	w.DaemonSet.Annotations[appsv1.DeprecatedTemplateGeneration] = fmt.Sprint(w.DaemonSet.Generation)
	w.generation[version] = w.DaemonSet.Generation
	revision, err := plan.NewRevision(w.DaemonSet, w.DaemonSet.Generation)
	if err != nil {
		w.t.Fatal(err)
	}
	w.Revisions = slices.DeleteFunc(w.Revisions, func(r *appsv1.ControllerRevision) bool { return r.Name == revision.Name })
	revision.UID = types.UID(revision.Name)
	w.Revisions = append(w.Revisions, revision)
}

// pod puts a pod of the current version on node, available but for what changes.
func (w *world) pod(node string, changes ...func(*corev1.Pod)) *corev1.Pod {
	ds := w.DaemonSet
	pod := plan.NewPod(ds, plan.TemplateHash(&ds.Spec.Template, nil), node)
	pod.Name = fmt.Sprintf("%s-%s", ds.Spec.Template.Spec.Containers[0].Image, node)
	pod.UID = types.UID(fmt.Sprintf("%s-%d", pod.Name, len(w.Pods)))
	pod.CreationTimestamp = metav1.NewTime(w.now.Add(time.Duration(len(w.Pods))*time.Second - time.Hour))
	pod.Spec.NodeName, pod.Status.Phase = node, corev1.PodRunning
	readyFor(w, 30*time.Minute)(pod)
	for _, change := range changes {
		change(pod)
	}
	w.Pods = append(w.Pods, pod)
	return pod
}

func (w *world) everywhere(changes ...func(*corev1.Pod)) {
	for _, node := range w.Nodes {
		w.pod(node.Name, changes...)
	}
}

func (w *world) taint(name string, effect corev1.TaintEffect) {
	for i, node := range w.Nodes {
		if node.Name == name {
			w.Nodes[i] = node.DeepCopy()
			w.Nodes[i].Spec.Taints = []corev1.Taint{{Key: "closed", Effect: effect}}
		}
	}
}

func readyFor(w *world, d time.Duration) func(*corev1.Pod) {
	return func(pod *corev1.Pod) {
		pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue, LastTransitionTime: metav1.NewTime(w.now.Add(-d))}}
	}
}

func readiness(status corev1.ConditionStatus) func(*corev1.Pod) {
	return func(pod *corev1.Pod) {
		conditions := slices.Clone(pod.Status.Conditions)
		conditions[0].Status = status
		pod.Status.Conditions = conditions
	}
}

func unready(pod *corev1.Pod) { readiness(corev1.ConditionFalse)(pod) }

func leaving(w *world) func(*corev1.Pod) {
	return func(pod *corev1.Pod) { at := metav1.NewTime(w.now); pod.DeletionTimestamp = &at }
}

func failed(pod *corev1.Pod) { pod.Status.Phase, pod.Status.Conditions = corev1.PodFailed, nil }

// summary is what actions do about pods and when they come back, and nothing else.
func summary(actions plan.Actions) string {
	var all []string
	for _, c := range actions.CreatePods {
		all = append(all, "create on "+c.Node)
	}
	for _, d := range actions.DeletePods {
		all = append(all, "delete "+d.Pod.Name)
	}
	slices.Sort(all)
	if actions.RequeueAfter > 0 {
		all = append(all, fmt.Sprintf("again after %s", actions.RequeueAfter))
	}
	return strings.Join(all, ", ")
}
