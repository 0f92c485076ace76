package variants_test

import (
	"fmt"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	daemons "github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
	"github.com/rollcall-conformance/rollcall/impl/inplace"
	"github.com/rollcall-conformance/rollcall/impl/statefulset/plan"
	"github.com/rollcall-conformance/rollcall/impl/statefulset/variants"
)

var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

// updating is a StatefulSet of one pod, of the revision and with the image, whose template has another image.
func updating(t *testing.T, revision, image, to string) plan.State {
	t.Helper()
	labels := map[string]string{"app": "db"}
	template := func(image string) corev1.PodTemplateSpec {
		return corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "db", Image: image}}}}
	}
	state := plan.State{Set: &appsv1.StatefulSet{
		ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "db", UID: "db", Annotations: map[string]string{inplace.Policy: inplace.IfPossible}},
		Spec: appsv1.StatefulSetSpec{
			Replicas: ptr.To[int32](1), Selector: &metav1.LabelSelector{MatchLabels: labels}, Template: template(to),
			UpdateStrategy: appsv1.StatefulSetUpdateStrategy{Type: appsv1.RollingUpdateStatefulSetStrategyType},
		},
	}}
	for i, version := range []string{"v1", "v2"} {
		of := template(version)
		data, err := daemons.RevisionData(&of)
		if err != nil {
			t.Fatal(err)
		}
		state.Revisions = append(state.Revisions, &appsv1.ControllerRevision{
			ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: version, UID: types.UID(version)}, Data: runtime.RawExtension{Raw: data}, Revision: int64(i + 1),
		})
	}
	state.Pods = []*corev1.Pod{{
		ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "db-0", UID: "db-0", Generation: 1, Labels: map[string]string{plan.RevisionLabel: revision}, Annotations: map[string]string{}},
		Spec:       corev1.PodSpec{NodeName: "n0", Containers: []corev1.Container{{Name: "db", Image: image}}},
		Status: corev1.PodStatus{
			Phase: corev1.PodRunning, ObservedGeneration: 1,
			Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue, LastTransitionTime: metav1.NewTime(noon.Add(-time.Hour))}},
			ContainerStatuses: []corev1.ContainerStatus{{
				Name: "db", ContainerID: "c0", State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.NewTime(noon.Add(-time.Hour))}},
			}},
		},
	}}
	return state
}

// patched does to the pod of state what the planner wants of it.
func patched(t *testing.T, planner plan.Planner, state plan.State) *corev1.Pod {
	t.Helper()
	updates := planner(state, noon).UpdatePods
	if len(updates) != 1 {
		t.Fatalf("got %d updates in place, want 1", len(updates))
	}
	pod := state.Pods[0].DeepCopy()
	for name, image := range updates[0].Images {
		if pod.Spec.Containers[0].Name != name {
			t.Fatal(fmt.Errorf("unknown container %s", name))
		}
		pod.Spec.Containers[0].Image = image
		pod.Generation++
	}
	pod.Annotations[inplace.Record] = updates[0].Annotations[inplace.Record]
	pod.Labels[plan.RevisionLabel] = updates[0].Labels[plan.RevisionLabel]
	return pod
}

func isReady(pod *corev1.Pod) bool {
	believed, _ := inplace.Believe(pod, noon)
	return daemons.IsReady(believed)
}

func planners(t *testing.T, name string) map[bool]plan.Planner {
	t.Helper()
	v, found := variants.Named(name)
	if !found {
		t.Fatalf("there is no variant %s", name)
	}
	return map[bool]plan.Planner{false: plan.Plan, true: v.Planner(plan.Plan)}
}

func TestWhatIsTakenBackIsNotWaitedFor(t *testing.T) {
	for variant, planner := range planners(t, "set-records-nothing-of-what-is-taken-back") {
		state := updating(t, "v1", "v1", "v2")
		pod := patched(t, planner, state)
		if isReady(pod) {
			t.Errorf("variant %t: Ready after the update", variant)
		}
		state = updating(t, "v2", "v2", "v1")
		state.Pods = []*corev1.Pod{pod}
		pod = patched(t, planner, state)
		if isReady(pod) != variant {
			t.Errorf("variant %t: Ready %t after the update was taken back, before the kubelet saw that", variant, isReady(pod))
		}
		pod.Status.ObservedGeneration = pod.Generation
		if !isReady(pod) {
			t.Errorf("variant %t: not Ready after the kubelet saw it", variant)
		}
	}
}

func TestARestartIsExpectedOfAPodThatHasTheImage(t *testing.T) {
	for variant, planner := range planners(t, "set-expects-the-restarts-that-its-revisions-differ-by") {
		pod := patched(t, planner, updating(t, "v1", "v2", "v2"))
		pod.Status.ObservedGeneration = pod.Generation
		if isReady(pod) == variant {
			t.Errorf("variant %t: Ready %t", variant, isReady(pod))
		}
		pod = patched(t, planner, updating(t, "v1", "v1", "v2"))
		pod.Status.ObservedGeneration = pod.Generation
		pod.Status.ContainerStatuses[0].ContainerID, pod.Status.ContainerStatuses[0].RestartCount = "c1", 1
		if !isReady(pod) {
			t.Errorf("variant %t: not Ready after the restart", variant)
		}
	}
}
