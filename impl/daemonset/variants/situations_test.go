package variants_test

import (
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
	"github.com/rollcall-conformance/rollcall/impl/daemonset/variants"
)

// situation is one in which a variant does otherwise than the reference. next changes the world between two looks, where the variant remembers.
type situation struct {
	variant             string
	world               func(t *testing.T) *world
	next                func(w *world)
	reference, variants string
}

func situations() []situation {
	return []situation{
		{"a-closed-node-keeps-its-slot", func(t *testing.T) *world {
			w := rollout(t, 3, "1", "0")
			w.pod("n0", unready)
			return w
		}, func(w *world) {
			w.taint("n0", corev1.TaintEffectNoSchedule)
			w.Pods = w.Pods[:3]
		}, "create on n1, delete v1-n0", "delete v1-n0"},
		{"replaces-one-unready-pod-at-a-time", func(t *testing.T) *world {
			return rollout(t, 3, "1", "0", unready)
		}, nil, "create on n0, create on n1, create on n2", "create on n0"},
		{"percentage-of-the-first-look-surging", func(t *testing.T) *world {
			w := rollout(t, 4, "50%", "0")
			w.pod("n0", unready)
			return w
		}, func(w *world) { w.Nodes = w.Nodes[:2] }, "", "create on n1"},
		{"percentage-of-the-first-look-rolling", func(t *testing.T) *world {
			return rollout(t, 4, "0", "50%")
		}, func(w *world) { w.Nodes = w.Nodes[:2] }, "delete v1-n0", "delete v1-n0, delete v1-n1"},
		{"a-terminating-surge-pod-frees-its-slot", func(t *testing.T) *world {
			w := rollout(t, 2, "1", "0")
			w.pod("n1", unready, leaving(w))
			return w
		}, nil, "create on n1", "create on n0"},
		{"creates-no-pod-beside-another", func(t *testing.T) *world {
			w := newWorld(t, 2, "1", "0")
			w.pod("n0")
			w.update("v2")
			return w
		}, nil, "create on n0, create on n1", "create on n1"},
		{"waits-for-terminating-pods", func(t *testing.T) *world {
			w := newWorld(t, 2, "1", "0")
			w.everywhere()
			w.replace("v1-n1", leaving(w))
			w.update("v2")
			return w
		}, nil, "create on n0, create on n1", "create on n0"},
		{"gives-lingering-pods-two-seconds", func(t *testing.T) *world {
			w := newWorld(t, 1, "0", "1")
			w.pod("n0", leaving(w))
			return w
		}, func(w *world) { w.now = w.now.Add(3 * time.Second) }, "", "create on n0"},
		{"takes-unknown-for-ready", func(t *testing.T) *world {
			w := newWorld(t, 2, "1", "0")
			w.pod("n0")
			w.pod("n1", readiness(corev1.ConditionUnknown))
			w.update("v2")
			w.pod("n0", unready)
			return w
		}, nil, "create on n1", ""},
		{"once-available-always-available", func(t *testing.T) *world {
			w := rollout(t, 2, "1", "0")
			w.pod("n0", unready)
			return w
		}, func(w *world) { w.replace("v1-n1", unready) }, "create on n1", ""},
		{"available-again-when-ready-again", func(t *testing.T) *world {
			w := rollout(t, 1, "1", "0")
			w.DaemonSet.Spec.MinReadySeconds = 20
			w.pod("n0")
			return w
		}, func(w *world) { w.replace("v2-n0", readyFor(w, 0)) }, "again after 20s", "delete v1-n0, again after 20s"},
		{"min-ready-seconds-of-the-containers", func(t *testing.T) *world {
			w := rollout(t, 1, "1", "0", containersReady)
			w.DaemonSet.Spec.MinReadySeconds = 20
			w.pod("n0", containersReady, since(w, 0))
			return w
		}, nil, "again after 20s", "delete v1-n0"},
		{"what-is-past-its-grace-period-is-gone", func(t *testing.T) *world {
			w := newWorld(t, 1, "0", "1")
			w.pod("n0", leaving(w))
			return w
		}, func(w *world) { w.now = w.now.Add(time.Second) }, "", "create on n0"},
		{"on-delete-replaces-pods-that-wait", func(t *testing.T) *world {
			w := rollout(t, 1, "0", "1", unready, func(pod *corev1.Pod) { pod.Spec.NodeName = "" })
			w.DaemonSet.Spec.UpdateStrategy.Type = appsv1.OnDeleteDaemonSetStrategyType
			return w
		}, nil, "", "delete v1-n0"},
		{"a-changed-spec-restarts-what-is-not-ready", func(t *testing.T) *world {
			w := newWorld(t, 1, "0", "1")
			w.pod("n0", unready)
			return w
		}, func(w *world) {
			w.DaemonSet = w.DaemonSet.DeepCopy()
			w.DaemonSet.Generation++
		}, "", "delete v1-n0"},
		{"wakes-for-the-node-selector-alone", func(t *testing.T) *world {
			w := newWorld(t, 1, "0", "1")
			w.DaemonSet.Spec.Template.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
				RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
					MatchExpressions: []corev1.NodeSelectorRequirement{{Key: "zone", Operator: corev1.NodeSelectorOpExists}},
				}}},
			}}
			w.update("v1")
			return w
		}, func(w *world) {
			w.Nodes = []*corev1.Node{w.Nodes[0].DeepCopy()}
			w.Nodes[0].Labels = map[string]string{"zone": "a"}
		}, "create on n0", ""},
		{"wakes-for-nodes-that-are-to-run-a-pod", func(t *testing.T) *world {
			w := newWorld(t, 1, "0", "1")
			w.DaemonSet.Spec.Template.Spec.NodeSelector = map[string]string{"zone": "a"}
			w.update("v1")
			w.Nodes[0].Labels = map[string]string{"zone": "a"}
			w.pod("n0")
			w.taint("n0", corev1.TaintEffectNoSchedule)
			return w
		}, func(w *world) {
			w.Nodes = []*corev1.Node{w.Nodes[0].DeepCopy()}
			w.Nodes[0].Labels = nil
		}, "delete v1-n0", ""},
		{"takes-running-for-ready-without-min-ready-seconds", func(t *testing.T) *world {
			w := rollout(t, 1, "1", "0")
			w.pod("n0", unready)
			return w
		}, nil, "", "delete v1-n0"},
		{"raised-min-ready-seconds-come-too-late", func(t *testing.T) *world {
			w := newWorld(t, 1, "1", "0")
			w.everywhere()
			w.DaemonSet.Spec.MinReadySeconds = 20
			w.update("v2")
			w.pod("n0", readyFor(w, 10*time.Second))
			return w
		}, func(w *world) {
			w.DaemonSet = w.DaemonSet.DeepCopy()
			w.DaemonSet.Spec.MinReadySeconds = 60
			w.now = w.now.Add(15 * time.Second)
		}, "again after 35s", "delete v1-n0"},
		{"raised-min-ready-seconds-leave-the-budget", func(t *testing.T) *world {
			w := newWorld(t, 2, "0", "1")
			w.pod("n1")
			w.update("v2")
			w.pod("n0", readyFor(w, 5*time.Second))
			return w
		}, func(w *world) {
			w.DaemonSet = w.DaemonSet.DeepCopy()
			w.DaemonSet.Spec.MinReadySeconds = 60
		}, "again after 55s", "delete v1-n1, again after 55s"},
		{"timer-for-the-last-pod-only", func(t *testing.T) *world {
			w := newWorld(t, 2, "2", "0")
			w.everywhere()
			w.DaemonSet.Spec.MinReadySeconds = 20
			w.update("v2")
			w.pod("n0", readyFor(w, 10*time.Second))
			w.pod("n1", readyFor(w, 2*time.Second))
			return w
		}, nil, "again after 10s", "again after 18s"},
		{"timer-set-once", func(t *testing.T) *world {
			w := newWorld(t, 1, "1", "0")
			w.everywhere()
			w.DaemonSet.Spec.MinReadySeconds = 20
			w.update("v2")
			w.pod("n0", readyFor(w, 10*time.Second))
			return w
		}, func(w *world) { w.now = w.now.Add(time.Second) }, "again after 9s", ""},
		{"a-rollback-restarts-what-it-goes-back-to", func(t *testing.T) *world {
			w := rollout(t, 1, "1", "0")
			w.update("v1")
			return w
		}, nil, "", "create on n0"},
		{"a-rollback-leaves-surge-pods", func(t *testing.T) *world {
			w := rollout(t, 1, "1", "0")
			w.pod("n0", unready)
			w.update("v1")
			return w
		}, nil, "delete v2-n0", ""},
		{"a-third-revision-keeps-the-second", func(t *testing.T) *world {
			w := rollout(t, 1, "1", "0")
			w.pod("n0", unready)
			w.update("v3")
			return w
		}, nil, "delete v2-n0", "delete v1-n0"},
		{"keeps-duplicates", func(t *testing.T) *world {
			w := newWorld(t, 1, "1", "0")
			w.pod("n0")
			w.pod("n0")
			return w
		}, nil, "delete v1-n0", ""},
		{"leaves-ineligible-nodes-alone-during-a-rollout", func(t *testing.T) *world {
			w := rollout(t, 2, "1", "0")
			w.pod("n0", unready)
			w.taint("n1", corev1.TaintEffectNoExecute)
			return w
		}, nil, "delete v1-n1", ""},
		{"ignores-taints-of-nodes-that-were-open", func(t *testing.T) *world {
			w := rollout(t, 2, "1", "0")
			w.pod("n0", unready)
			return w
		}, func(w *world) {
			w.taint("n1", corev1.TaintEffectNoSchedule)
			w.replace("v1-n1", unready)
		}, "delete v1-n1", "create on n1"},
		{"one-closed-node-stops-the-rollout", func(t *testing.T) *world {
			w := newWorld(t, 2, "1", "0")
			w.everywhere()
			w.taint("n0", corev1.TaintEffectNoSchedule)
			w.update("v2")
			return w
		}, nil, "create on n1, delete v1-n0", "delete v1-n0"},
		{"gives-a-node-that-came-back-no-pod", func(t *testing.T) *world { return newWorld(t, 1, "1", "0") }, func(w *world) {
			w.Nodes[0] = w.Nodes[0].DeepCopy()
			w.Nodes[0].UID = types.UID("another")
		}, "create on n0", ""},
		{"avoids-cordoned-nodes", func(t *testing.T) *world {
			w := newWorld(t, 1, "1", "0")
			w.Nodes[0].Spec.Unschedulable = true
			return w
		}, nil, "create on n0", ""},
		{"remembers-one-failing-node", func(t *testing.T) *world {
			w := newWorld(t, 2, "1", "0")
			w.everywhere(failed)
			w.Backoff = map[string]plan.Backoff{"n0": {Delay: time.Minute, Last: w.now}, "n1": {Delay: time.Minute, Last: w.now.Add(time.Second)}}
			return w
		}, nil, "again after 1m0s", "delete v1-n0, again after 1m1s"},
		{"one-back-off-for-all-nodes", func(t *testing.T) *world {
			w := newWorld(t, 2, "1", "0")
			w.pod("n0")
			w.pod("n1", failed)
			w.Backoff = map[string]plan.Backoff{"n0": {Delay: time.Minute, Last: w.now}}
			return w
		}, nil, "delete v1-n1", "again after 1m0s"},
		{"keeps-the-oldest-pod", func(t *testing.T) *world {
			w := rollout(t, 1, "1", "0", unready)
			w.pod("n0")
			none, one := intstr.FromInt32(0), intstr.FromInt32(1)
			w.DaemonSet.Spec.UpdateStrategy.RollingUpdate.MaxSurge, w.DaemonSet.Spec.UpdateStrategy.RollingUpdate.MaxUnavailable = &none, &one
			return w
		}, nil, "delete v1-n0", "delete v2-n0"},
		{"one-surge-at-a-time", func(t *testing.T) *world {
			return rollout(t, 3, "100%", "0")
		}, nil, "create on n0, create on n1, create on n2", "create on n0"},
		{"nodes-in-reverse", func(t *testing.T) *world {
			return rollout(t, 3, "1", "0")
		}, nil, "create on n0", "create on n2"},
		{"backs-off-from-100-ms", func(t *testing.T) *world {
			w := newWorld(t, 1, "1", "0")
			w.pod("n0", failed)
			w.Backoff = map[string]plan.Backoff{"n0": {Delay: 2 * time.Second, Last: w.now}}
			return w
		}, nil, "again after 2s", "again after 200ms"},
	}
}

// containersReady gives the pod the condition, since when it has been Ready.
func containersReady(pod *corev1.Pod) {
	since := pod.Status.Conditions[0].LastTransitionTime
	pod.Status.Conditions = append(pod.Status.Conditions, corev1.PodCondition{Type: corev1.ContainersReady, Status: corev1.ConditionTrue, LastTransitionTime: since})
}

// since has the pod Ready for that long, and changes no other condition.
func since(w *world, d time.Duration) func(*corev1.Pod) {
	return func(pod *corev1.Pod) { pod.Status.Conditions[0].LastTransitionTime = metav1.NewTime(w.now.Add(-d)) }
}

// replace changes the pod of that name.
func (w *world) replace(name string, change func(*corev1.Pod)) {
	for i, pod := range w.Pods {
		if pod.Name == name {
			w.Pods[i] = pod.DeepCopy()
			change(w.Pods[i])
		}
	}
}

func TestAVariantDiffersWhereItSays(t *testing.T) { differ(t, situations()) }

// differ asks in each situation what the reference and the variant do.
func differ(t *testing.T, all []situation) {
	for _, s := range all {
		t.Run(s.variant, func(t *testing.T) {
			v, err := variants.Named(s.variant)
			if err != nil {
				t.Fatal(err)
			}
			w, planner := s.world(t), v.Planner(plan.Plan)
			if s.next != nil {
				planner(w.State, w.now)
				s.next(w)
			}
			if got := summary(plan.Plan(w.State, w.now)); got != s.reference {
				t.Errorf("the reference: %q, want %q", got, s.reference)
			}
			if got := summary(planner(w.State, w.now)); got != s.variants {
				t.Errorf("the variant: %q, want %q", got, s.variants)
			}
		})
	}
}
