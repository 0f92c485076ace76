package history_test

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

func TestAPodIsAvailableFromTheSecondInWhichItHasBeenReadyForMinReadySeconds(t *testing.T) {
	since := time.Date(2026, time.January, 1, 12, 0, 0, 0, time.UTC)
	pod := func(status corev1.ConditionStatus, since time.Time, edits ...func(*corev1.Pod)) *corev1.Pod {
		pod := &corev1.Pod{Status: corev1.PodStatus{Phase: corev1.PodRunning, Conditions: []corev1.PodCondition{
			{Type: corev1.PodScheduled, Status: corev1.ConditionTrue},
			{Type: corev1.PodReady, Status: status, LastTransitionTime: metav1.NewTime(since)},
		}}}
		for _, edit := range edits {
			edit(pod)
		}
		return pod
	}
	ready := pod(corev1.ConditionTrue, since)
	terminating := pod(corev1.ConditionTrue, since, func(pod *corev1.Pod) { pod.DeletionTimestamp = &metav1.Time{Time: since} })
	failed := pod(corev1.ConditionTrue, since, func(pod *corev1.Pod) { pod.Status.Phase = corev1.PodFailed })
	const long = time.Hour
	for _, test := range []struct {
		name     string
		pod      *corev1.Pod
		minReady int32
		after    time.Duration
		want     bool
	}{
		{"ready for one second less", ready, 10, 9 * time.Second, false},
		{"ready for a nanosecond less", ready, 10, 10*time.Second - 1, false},
		{"ready for exactly as long", ready, 10, 10 * time.Second, true},
		{"ready for one second more", ready, 10, 11 * time.Second, true},
		{"ready, nothing asked", ready, 0, 0, true},
		{"ready in the future, nothing asked", ready, 0, -time.Second, true},
		{"not ready", pod(corev1.ConditionFalse, since), 10, long, false},
		{"readiness unknown", pod(corev1.ConditionUnknown, since), 0, long, false},
		{"no condition", &corev1.Pod{}, 0, long, false},
		{"ready since no known time", pod(corev1.ConditionTrue, time.Time{}), 10, long, false},
		{"ready since no known time, nothing asked", pod(corev1.ConditionTrue, time.Time{}), 0, long, true},
		{"terminating", terminating, 10, long, false},
		{"terminating, nothing asked", terminating, 0, long, false},
		{"failed", failed, 10, long, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := history.IsAvailable(test.pod, test.minReady, since.Add(test.after)); got != test.want {
				t.Errorf("available %t, want %t", got, test.want)
			}
		})
	}
}
