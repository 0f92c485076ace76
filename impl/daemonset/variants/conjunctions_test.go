package variants_test

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// conjunctions are the situations of variants that do otherwise only where two things meet.
func conjunctions() []situation {
	return []situation{
		{"cordoned-nodes-take-no-slot", func(t *testing.T) *world {
			w := newWorld(t, 3, "1", "0")
			w.everywhere()
			w.update("v2")
			w.pod("n0", unready)
			w.cordon("n0")
			return w
		}, nil, "", "create on n1"},
		{"cordoned-nodes-cost-nothing", func(t *testing.T) *world {
			w := newWorld(t, 3, "0", "1")
			w.pod("n1")
			w.pod("n2")
			w.update("v2")
			w.pod("n0", unready)
			w.cordon("n0")
			return w
		}, nil, "", "delete v1-n1"},
		{"leaves-unready-pods-on-cordoned-nodes", func(t *testing.T) *world {
			w := newWorld(t, 2, "1", "0")
			w.everywhere(unready)
			w.update("v2")
			w.cordon("n0")
			return w
		}, nil, "create on n0, create on n1", "create on n1"},
		{"percentage-of-the-pods-surging", func(t *testing.T) *world {
			w := newWorld(t, 4, "50%", "0")
			w.everywhere()
			w.update("v2")
			w.pod("n0", unready)
			w.pod("n1", unready)
			return w
		}, nil, "", "create on n2"},
		{"percentage-of-the-pods-rolling", func(t *testing.T) *world {
			w := newWorld(t, 5, "0", "50%")
			for _, node := range []string{"n2", "n3", "n4"} {
				w.pod(node)
			}
			w.update("v2")
			w.pod("n0", unready)
			w.pod("n1", unready)
			w.taint("n4", corev1.TaintEffectNoSchedule)
			return w
		}, nil, "", "delete v1-n2"},
		{"pods-that-end-on-a-node-that-left-are-unavailable", func(t *testing.T) *world {
			w := newWorld(t, 3, "0", "1")
			w.everywhere()
			w.replace("v1-n0", leaving(w))
			w.taint("n0", corev1.TaintEffectNoSchedule)
			w.update("v2")
			return w
		}, nil, "delete v1-n1", ""},
		{"pods-that-end-on-a-node-that-left-hold-slots", func(t *testing.T) *world {
			w := newWorld(t, 3, "1", "0")
			w.everywhere()
			w.replace("v1-n0", leaving(w))
			w.taint("n0", corev1.TaintEffectNoSchedule)
			w.update("v2")
			return w
		}, nil, "create on n1", ""},
		{"closed-nodes-share-one-spare", func(t *testing.T) *world {
			w := newWorld(t, 5, "1", "0")
			w.everywhere()
			w.replace("v1-n1", unready)
			w.update("v2")
			w.pod("n0", unready)
			w.pod("n1", unready)
			w.taint("n2", corev1.TaintEffectNoSchedule)
			w.taint("n3", corev1.TaintEffectNoSchedule)
			return w
		}, nil, "delete v1-n1, delete v1-n2", "delete v1-n1, delete v1-n2, delete v1-n3"},
		{"young-old-pods-cost-nothing", func(t *testing.T) *world {
			w := newWorld(t, 3, "0", "1")
			w.DaemonSet.Spec.MinReadySeconds = 20
			w.everywhere()
			w.replace("v1-n0", readyFor(w, 10*time.Second))
			w.update("v2")
			return w
		}, nil, "delete v1-n0, again after 10s", "delete v1-n0, delete v1-n1, again after 10s"},
		{"a-rollback-keeps-the-younger-ready-pod", func(t *testing.T) *world {
			w := newWorld(t, 1, "1", "0")
			w.everywhere()
			w.update("v2")
			w.pod("n0")
			w.update("v1")
			return w
		}, nil, "delete v2-n0", "delete v1-n0"},
		{"without-surge-keeps-the-younger-ready-pod", func(t *testing.T) *world {
			w := newWorld(t, 1, "0", "1")
			w.DaemonSet.Spec.MinReadySeconds = 20
			w.everywhere()
			w.update("v2")
			w.pod("n0", readyFor(w, 10*time.Second))
			return w
		}, nil, "delete v2-n0, again after 10s", "delete v1-n0, again after 10s"},
		{"during-a-rollout-updated-pods-end-first", func(t *testing.T) *world {
			w := newWorld(t, 2, "1", "0")
			w.pod("n0")
			w.update("v2")
			w.pod("n1", leaving(w))
			return w
		}, nil, "create on n0, create on n1", "create on n0"},
		{"replaces-drained-pods-within-max-surge", func(t *testing.T) *world {
			w := newWorld(t, 2, "1", "0")
			w.everywhere(leaving(w))
			return w
		}, nil, "create on n0, create on n1", "create on n0"},
		{"new-tolerations-wait-for-the-end-of-the-rollout", func(t *testing.T) *world {
			w := newWorld(t, 2, "1", "0")
			w.taint("n1", corev1.TaintEffectNoSchedule)
			w.pod("n0")
			w.DaemonSet.Spec.Template.Spec.Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists}}
			w.update("v2")
			return w
		}, nil, "create on n0, create on n1", "create on n0"},
	}
}

func (w *world) cordon(name string) {
	for i, node := range w.Nodes {
		if node.Name == name {
			w.Nodes[i] = node.DeepCopy()
			w.Nodes[i].Spec.Unschedulable = true
		}
	}
}

func TestAVariantDiffersWhereTwoThingsMeet(t *testing.T) { differ(t, conjunctions()) }
