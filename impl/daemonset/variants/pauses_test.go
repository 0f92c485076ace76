package variants_test

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// pauses are situations of rollouts that stand still, or are overtaken.
func pauses() []situation {
	stalled := func(t *testing.T, changes ...func(*corev1.Pod)) *world {
		w := rollout(t, 3, "1", "0")
		w.pod("n0", append([]func(*corev1.Pod){unready}, changes...)...)
		return w
	}
	unscheduled := func(pod *corev1.Pod) {
		pod.Spec.NodeName = ""
		pod.Status = corev1.PodStatus{Conditions: []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse}}}
	}
	return []situation{
		{"gives-up-on-surge-pods", func(t *testing.T) *world { return stalled(t) }, nil, "", "create on n1, again after 2s"},
		{"unscheduled-pods-cost-nothing", func(t *testing.T) *world { return stalled(t, unscheduled) }, nil, "", "create on n1"},
		{"makes-room-for-pods-that-do-not-fit", func(t *testing.T) *world { return stalled(t, unscheduled) }, nil, "", "delete v1-n0"},
		{"makes-room-for-pods-that-do-not-start", func(t *testing.T) *world { return stalled(t) }, nil, "", "delete v1-n0, again after 2s"},
		{"a-pause-stops-everything", func(t *testing.T) *world {
			w := stalled(t)
			w.replace("v1-n1", unready)
			return w
		}, nil, "create on n1", ""},
		{"finishes-what-it-began", func(t *testing.T) *world { return stalled(t) }, func(w *world) {
			w.replace("v2-n0", readyFor(w, time.Second))
			w.Pods = w.Pods[1:]
			w.update("v3")
		}, "create on n0", "create on n1"},
		{"a-repair-waits-for-its-turn", func(t *testing.T) *world {
			w := newWorld(t, 2, "0", "1")
			w.pod("n0", unready)
			w.pod("n1")
			w.update("v2")
			return w
		}, nil, "delete v1-n0", ""},
		{"a-third-revision-keeps-the-first", func(t *testing.T) *world {
			w := rollout(t, 1, "1", "0", unready)
			w.pod("n0")
			w.update("v3")
			return w
		}, nil, "delete v1-n0", "delete v2-n0"},
	}
}

func TestAVariantDiffersInAPauseWhereItSays(t *testing.T) { differ(t, pauses()) }
