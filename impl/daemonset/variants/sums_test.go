package variants_test

import (
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// sums are situations in which a limit, a clock or a memory comes to something else.
func sums() []situation {
	onDelete := func(w *world) *world {
		w.DaemonSet.Spec.UpdateStrategy = appsv1.DaemonSetUpdateStrategy{Type: appsv1.OnDeleteDaemonSetStrategyType}
		return w
	}
	crashing := func(pod *corev1.Pod) {
		pod.Status.ContainerStatuses = []corev1.ContainerStatus{{State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff"}}}}
	}
	return []situation{
		{"a-negative-budget-wraps", func(t *testing.T) *world {
			w := newWorld(t, 4, "0", "1")
			w.pod("n2")
			w.pod("n3")
			w.update("v2")
			return w
		}, nil, "create on n0, create on n1", "create on n0, create on n1, delete v1-n2, delete v1-n3"},
		{"a-negative-number-of-slots-wraps", func(t *testing.T) *world {
			w := rollout(t, 4, "1", "0")
			w.pod("n0", unready)
			w.pod("n1", unready)
			return w
		}, nil, "", "create on n2, create on n3"},
		{"whole-percentages-round-up-too", func(t *testing.T) *world { return rollout(t, 4, "0", "25%") }, nil, "delete v1-n0", "delete v1-n0, delete v1-n1"},
		{"pods-of-closed-nodes-stand-in", func(t *testing.T) *world {
			w := rollout(t, 3, "0", "1")
			w.taint("n0", corev1.TaintEffectNoSchedule)
			w.replace("v1-n1", unready)
			return w
		}, nil, "delete v1-n1", "delete v1-n1, delete v1-n2"},
		{"leaves-a-closed-node-one-pod-too-early", func(t *testing.T) *world {
			w := rollout(t, 3, "1", "0")
			w.taint("n0", corev1.TaintEffectNoSchedule)
			w.replace("v1-n1", unready)
			return w
		}, nil, "create on n1", "create on n1, delete v1-n0"},
		{"zero-percent-is-above-zero", func(t *testing.T) *world {
			w := newWorld(t, 1, "0%", "1")
			w.pod("n0", leaving(w))
			return w
		}, nil, "", "create on n0"},
		{"keeps-the-max-unavailable-of-the-beginning", func(t *testing.T) *world { return rollout(t, 2, "0", "2") }, func(w *world) {
			one := intstr.FromInt32(1)
			w.DaemonSet = w.DaemonSet.DeepCopy()
			w.DaemonSet.Spec.UpdateStrategy.RollingUpdate.MaxUnavailable = &one
		}, "delete v1-n0", "delete v1-n0, delete v1-n1"},
		{"surges-once-on-each-node", func(t *testing.T) *world { return rollout(t, 1, "1", "0") }, func(*world) {}, "create on n0", ""},
		{"crash-looping-pods-take-no-slot", func(t *testing.T) *world {
			w := rollout(t, 3, "1", "0")
			w.pod("n0", unready, crashing)
			return w
		}, nil, "", "create on n1"},
		{"two-terminating-pods-are-enough", func(t *testing.T) *world {
			w := newWorld(t, 1, "1", "0")
			w.pod("n0", leaving(w))
			w.pod("n0", leaving(w))
			return w
		}, nil, "create on n0", ""},
		{"on-delete-leaves-failed-pods", func(t *testing.T) *world { return onDelete(rollout(t, 1, "0", "1", failed)) }, nil, "delete v1-n0", ""},
		{"evicted-pods-need-no-back-off", func(t *testing.T) *world {
			w := newWorld(t, 1, "0", "1")
			w.pod("n0", failed).Status.Reason = "Evicted"
			w.Backoff = map[string]plan.Backoff{"n0": {Delay: 10 * time.Second, Last: w.now.Add(-time.Second)}}
			return w
		}, nil, "again after 9s", "delete v1-n0"},
		{"a-time-to-come-is-long-ago", func(t *testing.T) *world {
			w := newWorld(t, 1, "1", "0")
			w.everywhere()
			w.DaemonSet.Spec.MinReadySeconds = 20
			w.update("v2")
			w.pod("n0", readyFor(w, -5*time.Second))
			return w
		}, nil, "again after 25s", "delete v1-n0"},
		{"no-timer-with-on-delete", func(t *testing.T) *world {
			w := onDelete(newWorld(t, 1, "0", "1"))
			w.DaemonSet.Spec.MinReadySeconds = 20
			w.pod("n0", readyFor(w, 5*time.Second))
			return w
		}, nil, "again after 15s", ""},
		{"adopts-what-runs", func(t *testing.T) *world {
			w := newWorld(t, 1, "0", "1")
			w.pod("n0", leftBehind, waiting)
			return w
		}, nil, "", "create on n0"},
		{"nodes-that-are-being-deleted-are-gone", func(t *testing.T) *world {
			w := newWorld(t, 2, "0", "1")
			w.pod("n0")
			at := metav1.NewTime(w.now)
			w.Nodes[1].DeletionTimestamp = &at
			return w
		}, nil, "create on n1", ""},
	}
}

// leftBehind is a pod that nobody controls.
func leftBehind(pod *corev1.Pod) { pod.OwnerReferences = nil }

// waiting is a pod that the scheduler has bound to no node.
func waiting(pod *corev1.Pod) {
	pod.Spec.NodeName, pod.Status.Phase, pod.Status.Conditions = "", corev1.PodPending, nil
}

func TestAVariantComesToSomethingElseWhereItSays(t *testing.T) { differ(t, sums()) }
