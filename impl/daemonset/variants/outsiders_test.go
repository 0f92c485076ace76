package variants_test

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
	"github.com/rollcall-conformance/rollcall/impl/daemonset/variants"
)

func outsiders() []situation {
	return []situation{
		{"waiting-for-a-port-wins-once-surge-is-gone", func(t *testing.T) *world {
			w := newWorld(t, 3, "0", "1")
			w.DaemonSet.Spec.Template.Spec.Containers[0].Ports = []corev1.ContainerPort{{ContainerPort: 80, HostPort: 80}}
			w.update("v1")
			w.everywhere()
			w.update("v2")
			w.pod("n1", unschedulable)
			w.pod("n2", unschedulable)
			return w
		}, nil, "delete v1-n0, delete v2-n1, delete v2-n2", "delete v1-n1, delete v2-n2"},
		{"without-the-gate-failed-updated-pods-take-over", func(t *testing.T) *world {
			w := rollout(t, 3, "2", "0")
			w.pod("n0", failed)
			w.pod("n1", failed)
			w.SurgeDisabled = true
			return w
		}, nil, "delete v1-n2, delete v2-n0, delete v2-n1", "delete v1-n0, delete v1-n1, delete v1-n2, delete v2-n0, delete v2-n1"},
		{"a-toleration-that-has-run-out-is-none", func(t *testing.T) *world {
			w := newWorld(t, 2, "1", "0")
			w.DaemonSet.Spec.Template.Spec.Tolerations = []corev1.Toleration{
				{Key: "closed", Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: ptr.To[int64](10)},
			}
			w.update("v1")
			w.everywhere()
			w.taint("n0", corev1.TaintEffectNoExecute)
			return w
		}, func(w *world) {
			w.now = w.now.Add(10 * time.Second)
			w.replace("v1-n0", leaving(w))
		}, "create on n0", ""},
		{"drained-nodes-that-are-deleted-count-in-percentages", func(t *testing.T) *world {
			w := rollout(t, 5, "25%", "0")
			w.pod("n0", unready)
			w.pod("n1", unready)
			w.cordon("n4")
			return w
		}, func(w *world) {
			w.Nodes = w.Nodes[:4]
			w.replace("v2-n0", readyFor(w, time.Second))
		}, "delete v1-n0", "create on n2, delete v1-n0"},
		{"a-refused-hand-over-stays-decided", func(t *testing.T) *world {
			w := rollout(t, 1, "1", "0")
			w.pod("n0")
			return w
		}, func(w *world) { w.replace("v2-n0", unready) }, "", "delete v1-n0"},
		{"an-old-pod-that-recovers-ends-the-back-off", func(t *testing.T) *world {
			w := rollout(t, 1, "1", "0", unready)
			w.pod("n0", failed)
			w.Backoff = map[string]plan.Backoff{"n0": {Delay: time.Minute, Last: w.now}}
			return w
		}, func(w *world) { w.replace("v1-n0", readyFor(w, time.Second)) }, "again after 1m0s", "delete v2-n0"},
	}
}

// unschedulable has the pod wait for its node.
func unschedulable(pod *corev1.Pod) {
	pod.Spec.NodeName, pod.Status.Phase = "", corev1.PodPending
	pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable}}
}

func TestItTakesTwoThings(t *testing.T) { differ(t, outsiders()) }

func TestABackOffComesBackWithItsTemplate(t *testing.T) {
	v, err := variants.Named("a-template-that-comes-back-brings-its-back-off")
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, 1, "1", "0")
	w.pod("n0", failed)
	w.Backoff = map[string]plan.Backoff{"n0": {Delay: time.Minute, Last: w.now}}
	planner := v.Planner(plan.Plan)
	planner(w.State, w.now)
	w.Backoff = nil
	for _, version := range []string{"v2", "v1"} {
		if version == "v1" {
			w.Pods[0].Labels[plan.HashLabel] = "v2"
		}
		w.update(version)
		want := "delete v1-n0"
		if version == "v1" {
			want = "again after 1m0s"
		}
		if got := summary(planner(w.State, w.now)); got != want {
			t.Errorf("%s: %q, want %q", version, got, want)
		}
		if got := summary(plan.Plan(w.State, w.now)); got != "delete v1-n0" {
			t.Errorf("the reference, %s: %q", version, got)
		}
	}
}

func TestAHistoryOnItsWayOutIsACollisionAfterARollbackAlone(t *testing.T) {
	v, err := variants.Named("a-history-on-its-way-out-is-a-collision")
	if err != nil {
		t.Fatal(err)
	}
	for _, rolledBack := range []bool{false, true} {
		w := newWorld(t, 2, "1", "0")
		w.everywhere()
		at := metav1.NewTime(w.now)
		w.Revisions[0].DeletionTimestamp = &at
		first := w.Revisions[0]
		if rolledBack {
			w.update("v2")
			w.pod("n0", unready)
			w.update("v1")
			w.Revisions = append(w.Revisions[:1:1], first)
		}
		want := "delete v2-n0"
		if !rolledBack {
			want = ""
		}
		if got := summary(plan.Plan(w.State, w.now)); got != want {
			t.Errorf("the reference, rolled back %t: %q", rolledBack, got)
		}
		planner := v.Planner(plan.Plan)
		actions := planner(w.State, w.now)
		if got := actions.Status != nil && actions.Status.CollisionCount != nil; got != rolledBack {
			t.Errorf("rolled back %t: a collision: %t", rolledBack, got)
		}
		if !rolledBack {
			continue
		}
		w.DaemonSet.Status = *actions.Status
		created := planner(w.State, w.now).CreateRevision
		if created == nil {
			t.Fatal("no history under another name")
		}
		w.Revisions = append(w.Revisions, created)
		if got := summary(planner(w.State, w.now)); got == "" || got == want {
			t.Errorf("afterwards: %q", got)
		}
	}
}

// Where one thing happens at a time they do what the reference does.
func TestOneThingAloneIsDoneRight(t *testing.T) {
	alone := map[string]func(t *testing.T) *world{
		"a surge": func(t *testing.T) *world { return rollout(t, 3, "1", "0") },
		"a hand-over": func(t *testing.T) *world {
			w := rollout(t, 3, "2", "0")
			w.pod("n0")
			w.pod("n1", unready)
			return w
		},
		"no surge": func(t *testing.T) *world { return rollout(t, 3, "0", "1") },
		"surge removed": func(t *testing.T) *world {
			w := rollout(t, 3, "0", "1")
			w.pod("n0", unschedulable)
			return w
		},
		"the gate off": func(t *testing.T) *world {
			w := rollout(t, 3, "2", "0")
			w.pod("n0", unready)
			w.SurgeDisabled = true
			return w
		},
		"failures": func(t *testing.T) *world {
			w := rollout(t, 2, "1", "0")
			w.pod("n0", failed)
			w.Backoff = map[string]plan.Backoff{"n0": {Delay: time.Minute, Last: w.now}}
			return w
		},
		"a percentage and a cordoned node": func(t *testing.T) *world {
			w := rollout(t, 5, "25%", "0")
			w.pod("n0", unready)
			w.cordon("n4")
			return w
		},
		"a taint": func(t *testing.T) *world {
			w := rollout(t, 3, "1", "0")
			w.taint("n1", corev1.TaintEffectNoExecute)
			return w
		},
		"a rollback": func(t *testing.T) *world {
			w := rollout(t, 3, "2", "0")
			w.pod("n0")
			w.pod("n1", unready)
			w.update("v1")
			return w
		},
	}
	for _, name := range []string{
		"waiting-for-a-port-wins-once-surge-is-gone", "without-the-gate-failed-updated-pods-take-over", "a-toleration-that-has-run-out-is-none",
		"drained-nodes-that-are-deleted-count-in-percentages", "a-refused-hand-over-stays-decided", "an-old-pod-that-recovers-ends-the-back-off",
		"a-history-on-its-way-out-is-a-collision",
	} {
		v, err := variants.Named(name)
		if err != nil {
			t.Fatal(err)
		}
		for what, world := range alone {
			w, planner := world(t), v.Planner(plan.Plan)
			for range 2 {
				if got, want := summary(planner(w.State, w.now)), summary(plan.Plan(w.State, w.now)); got != want {
					t.Errorf("%s, %s: %q, want %q", name, what, got, want)
				}
				w.now = w.now.Add(time.Second)
			}
		}
	}
}
