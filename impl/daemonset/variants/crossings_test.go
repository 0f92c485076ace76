package variants_test

import (
	"slices"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
	"github.com/rollcall-conformance/rollcall/impl/daemonset/variants"
)

func crossings() []situation {
	return []situation{
		{"ready-pods-make-up-for-a-closed-node", func(t *testing.T) *world {
			w := newWorld(t, 3, "1", "0")
			w.DaemonSet.Spec.MinReadySeconds = 20
			w.pod("n0")
			w.pod("n1")
			w.update("v2")
			w.pod("n1", unready)
			w.pod("n2", readyFor(w, 5*time.Second))
			w.taint("n0", corev1.TaintEffectNoSchedule)
			return w
		}, nil, "again after 15s", "delete v1-n0, again after 15s"},
		{"a-succeeded-pod-takes-over", func(t *testing.T) *world {
			w := rollout(t, 1, "1", "0")
			w.pod("n0", succeeded)
			return w
		}, nil, "delete v2-n0", "delete v1-n0, delete v2-n0"},
		{"evicted-pods-wait-for-the-end-of-the-pressure", func(t *testing.T) *world {
			w := newWorld(t, 1, "0", "1")
			w.pod("n0", failed, func(pod *corev1.Pod) { pod.Status.Reason = "Evicted" })
			w.Nodes[0].Spec.Taints = []corev1.Taint{{Key: corev1.TaintNodeDiskPressure, Effect: corev1.TaintEffectNoSchedule}}
			return w
		}, nil, "delete v1-n0", "again after 2s"},
		{"one-back-off-stops-everything", func(t *testing.T) *world {
			w := newWorld(t, 2, "0", "1")
			w.pod("n0", failed)
			w.Backoff = map[string]plan.Backoff{"n0": {Delay: 16 * time.Second, Last: w.now.Add(-time.Second)}}
			return w
		}, nil, "create on n1, again after 15s", "again after 15s"},
		{"a-deleted-daemonset-loses-its-failed-pods", func(t *testing.T) *world {
			w := newWorld(t, 2, "0", "1")
			w.pod("n0", failed)
			w.DaemonSet.DeletionTimestamp = &metav1.Time{Time: w.now}
			return w
		}, nil, "", "delete v1-n0"},
		{"begins-with-the-numbers-of-the-status", func(t *testing.T) *world {
			w := rollout(t, 3, "0", "1")
			w.replace("v1-n2", unready)
			return w
		}, nil, "delete v1-n2", "delete v1-n0, delete v1-n2"},
		{"a-node-that-left-is-out-of-the-rollout", func(t *testing.T) *world {
			w := rollout(t, 2, "0", "1")
			w.taint("n0", corev1.TaintEffectNoSchedule)
			return w
		}, func(w *world) {
			w.Nodes[0] = w.Nodes[0].DeepCopy()
			w.Nodes[0].Spec.Taints = nil
		}, "delete v1-n0", "delete v1-n1"},
	}
}

func TestAVariantDiffersWhereFeaturesCross(t *testing.T) { differ(t, crossings()) }

func succeeded(pod *corev1.Pod) { pod.Status.Phase, pod.Status.Conditions = corev1.PodSucceeded, nil }

// plans are a planner of the variant that begins with the test.
func plans(t *testing.T, name string) plan.Planner {
	t.Helper()
	v, err := variants.Named(name)
	if err != nil {
		t.Fatal(err)
	}
	return v.Planner(plan.Plan)
}

func wants(t *testing.T, w *world, planner plan.Planner, reference, variant string) {
	t.Helper()
	if got := summary(plan.Plan(w.State, w.now)); got != reference {
		t.Errorf("the reference: %q, want %q", got, reference)
	}
	if got := summary(planner(w.State, w.now)); got != variant {
		t.Errorf("the variant: %q, want %q", got, variant)
	}
}

func TestARolloutThatOnDeleteStoppedStaysStopped(t *testing.T) {
	w, planner := rollout(t, 2, "0", "1"), plans(t, "a-rollout-that-on-delete-stopped-stays-stopped")
	for _, kind := range []appsv1.DaemonSetUpdateStrategyType{appsv1.RollingUpdateDaemonSetStrategyType, appsv1.OnDeleteDaemonSetStrategyType} {
		w.DaemonSet.Spec.UpdateStrategy.Type = kind
		planner(w.State, w.now)
	}
	w.DaemonSet.Spec.UpdateStrategy.Type = appsv1.RollingUpdateDaemonSetStrategyType
	wants(t, w, planner, "delete v1-n0", "")
	w.update("v3")
	wants(t, w, planner, "delete v1-n0", "delete v1-n0")
}

func TestALapseIntoUnknownIsNone(t *testing.T) {
	w, planner := rollout(t, 1, "1", "0"), plans(t, "a-lapse-into-unknown-is-none")
	w.DaemonSet.Spec.MinReadySeconds = 20
	w.pod("n0", readyFor(w, 15*time.Second))
	wants(t, w, planner, "again after 5s", "again after 5s")
	w.replace("v2-n0", readiness(corev1.ConditionUnknown))
	wants(t, w, planner, "again after 9m45s", "again after 9m45s")
	w.now = w.now.Add(10 * time.Second)
	w.replace("v2-n0", readyFor(w, 0))
	wants(t, w, planner, "again after 20s", "delete v1-n0")
	w.replace("v2-n0", unready)
	wants(t, w, planner, "again after 10m0s", "again after 10m0s")
	w.replace("v2-n0", readyFor(w, 0))
	wants(t, w, planner, "again after 20s", "again after 20s")
}

func TestOnDeleteBringsFailedPodsBackAsTheyWere(t *testing.T) {
	w, planner := newWorld(t, 2, "0", "1"), plans(t, "on-delete-brings-failed-pods-back-as-they-were")
	w.DaemonSet.Spec.UpdateStrategy.Type = appsv1.OnDeleteDaemonSetStrategyType
	was := w.pod("n0", failed)
	w.pod("n1")
	w.update("v2")
	wants(t, w, planner, "delete v1-n0", "delete v1-n0")
	w.Pods = nil
	for _, creation := range planner(w.State, w.now).CreatePods {
		image, old := creation.Pod.Spec.Containers[0].Image, creation.Node == "n0"
		if old != (image == "v1") || old != (creation.Pod.Labels[plan.HashLabel] == was.Labels[plan.HashLabel]) {
			t.Errorf("on %s it creates a pod of %s with labels %v", creation.Node, image, creation.Pod.Labels)
		}
	}
}

func TestHistoriesWithoutALabelAreNobodys(t *testing.T) {
	w, planner := rollout(t, 1, "0", "1"), plans(t, "histories-without-a-label-are-nobodys")
	none := int32(0)
	w.DaemonSet.Spec.RevisionHistoryLimit = &none
	if got := planner(w.State, w.now); len(got.DeleteRevisions) > 0 {
		t.Errorf("it deletes %v", got.DeleteRevisions)
	}
	w.Revisions[0] = w.Revisions[0].DeepCopy()
	delete(w.Revisions[0].Labels, plan.HashLabel)
	if got := plan.Plan(w.State, w.now); len(got.DeleteRevisions) > 0 || len(got.UpdateRevisions) != 1 {
		t.Errorf("the reference deletes %v and updates %v", got.DeleteRevisions, got.UpdateRevisions)
	}
	if got := planner(w.State, w.now); len(got.DeleteRevisions) != 1 || len(got.UpdateRevisions) > 0 {
		t.Errorf("the variant deletes %v and updates %v", got.DeleteRevisions, got.UpdateRevisions)
	}
}

func TestHistoriesFromBeforeTheDaemonSetKeepTheirNumbers(t *testing.T) {
	w, planner := rollout(t, 1, "0", "1"), plans(t, "histories-from-before-keep-their-numbers")
	w.DaemonSet.CreationTimestamp = metav1.NewTime(w.now)
	v1 := slices.Clone(w.Revisions)
	w.update("v1")
	for i, revision := range v1 {
		v1[i] = revision.DeepCopy()
		v1[i].CreationTimestamp = metav1.NewTime(w.now.Add(-time.Minute))
	}
	w.Revisions = v1
	if got := plan.Plan(w.State, w.now); len(got.UpdateRevisions) != 1 || got.UpdateRevisions[0].Revision.Revision != 3 {
		t.Errorf("the reference updates %v", got.UpdateRevisions)
	}
	if got := planner(w.State, w.now); len(got.UpdateRevisions) > 0 {
		t.Errorf("the variant updates %v", got.UpdateRevisions)
	}
}
