package plan_test

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

// world is a State under construction, in which time has been standing at a whole second.
type world struct {
	t   *testing.T
	now time.Time
	plan.State
	serial int
}

// newWorld has a DaemonSet of revision v1, which its history knows, and nodes n0, n1, … without pods.
func newWorld(t *testing.T, nodes int) *world {
	t.Helper()
	w := &world{t: t, now: time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)}
	labels := map[string]string{"app": "agent"}
	w.DaemonSet = &appsv1.DaemonSet{
		ObjectMeta: metav1.ObjectMeta{Name: "agent", Namespace: "ns", UID: "ds-uid", Generation: 1,
			Annotations: map[string]string{appsv1.DeprecatedTemplateGeneration: "1"}},
		Spec: appsv1.DaemonSetSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "agent", Image: "agent:v1"}}},
			},
		},
	}
	w.rolling(intstr.FromInt32(0), intstr.FromInt32(1))
	for i := range nodes {
		w.Nodes = append(w.Nodes, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("n%d", i)}})
	}
	w.recordRevision()
	return w
}

func (w *world) rolling(surge, unavailable intstr.IntOrString) {
	w.DaemonSet.Spec.UpdateStrategy = appsv1.DaemonSetUpdateStrategy{
		Type:          appsv1.RollingUpdateDaemonSetStrategyType,
		RollingUpdate: &appsv1.RollingUpdateDaemonSet{MaxSurge: &surge, MaxUnavailable: &unavailable},
	}
}

func (w *world) surging(surge string) { w.rolling(intstr.Parse(surge), intstr.FromInt32(0)) }

// update changes the template, as the API server would record it, and has the history know it.
func (w *world) update(image string) {
	w.t.Helper()
	w.retemplate(image)
	w.recordRevision()
}

// retemplate changes the template only.
func (w *world) retemplate(image string) {
	w.DaemonSet.Spec.Template.Spec.Containers[0].Image = "agent:" + image
	w.DaemonSet.Generation++
	w.DaemonSet.Annotations[appsv1.DeprecatedTemplateGeneration] = fmt.Sprint(w.DaemonSet.Generation)
}

func (w *world) recordRevision() *appsv1.ControllerRevision {
	w.t.Helper()
	revision, err := plan.NewRevision(w.DaemonSet, int64(len(w.Revisions)+1))
	if err != nil {
		w.t.Fatal(err)
	}
	revision.UID = types.UID("uid-" + revision.Name)
	w.Revisions = append(w.Revisions, revision)
	return revision
}

func (w *world) hash() string {
	return plan.TemplateHash(&w.DaemonSet.Spec.Template, w.DaemonSet.Status.CollisionCount)
}

// pod puts a pod of the present template on node, not Ready, created after all others.
func (w *world) pod(node string, with ...func(*corev1.Pod)) *corev1.Pod {
	w.serial++
	pod := plan.NewPod(w.DaemonSet, w.hash(), node)
	pod.Name = fmt.Sprintf("%s-%s-%d", w.version(), node, w.serial)
	pod.UID = types.UID(pod.Name)
	pod.CreationTimestamp = metav1.NewTime(w.now.Add(time.Duration(w.serial)*time.Second - time.Hour))
	pod.Spec.NodeName = node
	pod.Status.Phase = corev1.PodRunning
	for _, change := range with {
		change(pod)
	}
	w.Pods = append(w.Pods, pod)
	return pod
}

func (w *world) pods(with ...func(*corev1.Pod)) {
	for _, node := range w.Nodes {
		w.pod(node.Name, with...)
	}
}

func (w *world) version() string {
	return strings.TrimPrefix(w.DaemonSet.Spec.Template.Spec.Containers[0].Image, "agent:")
}

func (w *world) plan() plan.Actions { return plan.Plan(w.State, w.now) }

// readyFor makes a pod Ready since d before now.
func (w *world) readyFor(d time.Duration) func(*corev1.Pod) {
	return func(pod *corev1.Pod) {
		pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue, LastTransitionTime: metav1.NewTime(w.now.Add(-d))}}
	}
}

func (w *world) ready() func(*corev1.Pod) { return w.readyFor(30 * time.Minute) }

func notReady(pod *corev1.Pod) { pod.Status.Conditions = nil }

func pending(pod *corev1.Pod) { pod.Spec.NodeName, pod.Status.Phase = "", corev1.PodPending }

func ended(phase corev1.PodPhase) func(*corev1.Pod) {
	return func(pod *corev1.Pod) { pod.Status.Phase, pod.Status.Conditions = phase, nil }
}

func (w *world) terminating() func(*corev1.Pod) {
	return func(pod *corev1.Pod) { at := metav1.NewTime(w.now); pod.DeletionTimestamp = &at }
}

func taint(effect corev1.TaintEffect) []corev1.Taint {
	return []corev1.Taint{{Key: "dedicated", Value: "db", Effect: effect}}
}

// created lists the nodes that get a pod, deleted the pods that go; both sorted.
func created(a plan.Actions) []string {
	names := []string{}
	for _, c := range a.CreatePods {
		names = append(names, c.Node)
	}
	slices.Sort(names)
	return names
}

func deleted(a plan.Actions) []string {
	names := []string{}
	for _, d := range a.DeletePods {
		names = append(names, d.Pod.Name)
	}
	slices.Sort(names)
	return names
}

func none() []string { return []string{} }
