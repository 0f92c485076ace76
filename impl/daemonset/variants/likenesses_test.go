package variants_test

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

func likenesses() []situation {
	return []situation{
		{"two-pods-of-a-node-make-up-for-another", func(t *testing.T) *world {
			w := rollout(t, 4, "0", "1")
			w.pod("n0")
			return w
		}, nil, "delete v1-n0, delete v1-n1", "delete v1-n0, delete v1-n1, delete v1-n2"},
		{"knows-the-revision-before-alone", func(t *testing.T) *world {
			w := rollout(t, 3, "1", "0")
			w.update("v3")
			w.pod("n0", unready)
			return w
		}, nil, "", "create on n1"},
		{"a-ready-pod-needs-a-ready-node", func(t *testing.T) *world {
			w := rollout(t, 2, "1", "0")
			w.pod("n0", unready)
			w.down("n1")
			return w
		}, nil, "", "create on n1"},
		{"compares-the-images-of-pods", func(t *testing.T) *world {
			w := newWorld(t, 1, "0", "1")
			w.pod("n0", func(pod *corev1.Pod) { pod.Spec.Containers[0].Image = "another" })
			return w
		}, nil, "", "delete v1-n0"},
		{"gives-a-lost-node-another-pod", func(t *testing.T) *world {
			w := newWorld(t, 1, "1", "0")
			w.pod("n0", unready)
			w.down("n0")
			return w
		}, nil, "", "create on n0"},
		{"a-pod-that-was-ready-forgives-failures", func(t *testing.T) *world {
			w := newWorld(t, 1, "1", "0")
			w.pod("n0")
			return w
		}, func(w *world) {
			w.replace("v1-n0", failed)
			w.Backoff = map[string]plan.Backoff{"n0": {Delay: time.Minute, Last: w.now}}
		}, "again after 1m0s", "delete v1-n0"},
		{"waits-for-a-time-to-come", func(t *testing.T) *world {
			w := newWorld(t, 2, "1", "0")
			w.everywhere(readyFor(w, -time.Hour))
			w.update("v2")
			return w
		}, nil, "create on n0", "create on n0, create on n1, again after 1h0m0s"},
		{"undated-pods-cost-nothing", func(t *testing.T) *world {
			w := newWorld(t, 3, "0", "1")
			w.pod("n1")
			w.pod("n2")
			w.DaemonSet.Spec.MinReadySeconds = 20
			w.update("v2")
			w.pod("n0", func(pod *corev1.Pod) { pod.Status.Conditions[0].LastTransitionTime = metav1.Time{} })
			return w
		}, nil, "", "delete v1-n1"},
		{"tells-how-long-a-pod-has-not-been-ready", func(t *testing.T) *world {
			w := newWorld(t, 1, "1", "0")
			w.pod("n0", unready)
			return w
		}, nil, "", "again after 1s"},
		{"a-lapse-between-two-looks-is-none", func(t *testing.T) *world {
			w := rollout(t, 1, "1", "0")
			w.DaemonSet.Spec.MinReadySeconds = 20
			w.pod("n0", readyFor(w, 10*time.Second))
			return w
		}, func(w *world) {
			w.replace("v2-n0", readyFor(w, 0))
			w.now = w.now.Add(11 * time.Second)
		}, "again after 9s", "delete v1-n0"},
	}
}

// down has the node not heard from.
func (w *world) down(name string) {
	for i, node := range w.Nodes {
		if node.Name == name {
			w.Nodes[i] = node.DeepCopy()
			w.Nodes[i].Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionUnknown}}
		}
	}
}

func TestALikenessIsTakenForTheThing(t *testing.T) { differ(t, likenesses()) }
