package story_test

import (
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/utils/ptr"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/story"
)

// described is the newest entry of the history in words.
func described(b *historytest.Builder) string {
	var words string
	b.History().Replay(func(cluster *history.Cluster, change history.Change) { words = story.Describe(cluster, change) })
	return words
}

func TestEveryChangeHasItsWords(t *testing.T) {
	t.Parallel()
	type stage struct {
		*historytest.Builder
		agent *historytest.DaemonSet
		pod   *historytest.Pod
	}
	cases := map[string]struct {
		happens func(stage)
		want    string
	}{
		"a budget cannot be computed": {
			func(s stage) { s.Budget("guard", "agent", historytest.MaxDisrupted("1")).SyncFailed("no scale") },
			"PodDisruptionBudget guard status says DisruptionAllowed False (SyncFailed): no scale"},
		"a budget allows one": {
			func(s stage) { s.Budget("guard", "agent", historytest.MinAvailable("1")).Says(1, 2, 1, 2) },
			"PodDisruptionBudget guard status says observedGeneration 0 -> 1, disruptionsAllowed 0 -> 1, currentHealthy 0 -> 2, desiredHealthy 0 -> 1, " +
				"expectedPods 0 -> 2, DisruptionAllowed True (SufficientPods)"},
		"a workload is scaled": {
			func(s stage) { s.ReplicaSet("web", 3).Scale(5) }, "ReplicaSet web replicas 3 -> 5"},
		"the name of a history is taken": {
			func(s stage) {
				s.agent.Status(func(status *appsv1.DaemonSetStatus) { status.CollisionCount = ptr.To[int32](1) })
			}, "DaemonSet agent status says collisionCount 0 -> 1"},
		"a pod starts": {
			func(s stage) { s.pod.Edit(starting) }, "pod agent-a (updated v1) on node-1 started running"},
		"a pod becomes Ready": {
			func(s stage) { s.pod.Edit(starting).Ready() }, "pod agent-a (updated v1) on node-1 became Ready"},
		"a pod becomes Ready with an old transition time": {
			func(s stage) { s.pod.Edit(starting).ReadySince(s.Now().Add(-time.Minute)) },
			"pod agent-a (updated v1) on node-1 became Ready (as of 11:59:00)"},
		"a pod becomes Ready without a transition time": {
			func(s stage) { s.pod.Edit(starting).ReadySince(time.Time{}) },
			"pod agent-a (updated v1) on node-1 became Ready (without a transition time)"},
		"the transition time of Ready moves": {
			func(s stage) { s.pod.Ready().ReadySince(s.Now().Add(time.Minute)) }, "pod agent-a (updated v1) on node-1 Ready moved from 12:00:00 to 12:01:00"},
		"a pod becomes unready": {
			func(s stage) { s.pod.Ready().Unready() }, "pod agent-a (updated v1) on node-1 became unready"},
		"a pod fails": {
			func(s stage) {
				s.pod.Edit(func(pod *corev1.Pod) { pod.Status.Phase, pod.Status.Reason = corev1.PodFailed, "Evicted" })
			}, "pod agent-a (updated v1) on node-1 failed (Evicted)"},
		"an old pod is deleted": {
			func(s stage) { s.agent.Update("v2"); s.pod.Terminating() }, "pod agent-a (old v1) on node-1 began terminating"},
		"a pod is deleted with a grace period": {
			func(s stage) {
				s.pod.Edit(func(pod *corev1.Pod) {
					grace := int64(30)
					pod.DeletionTimestamp, pod.DeletionGracePeriodSeconds = &metav1.Time{Time: s.Now()}, &grace
				})
			}, "pod agent-a (updated v1) on node-1 began terminating (grace period 30 s)"},
		"a terminating pod goes": {
			func(s stage) { s.pod.Ready().Terminating().Gone() }, "pod agent-a (updated v1) on node-1 was removed"},
		"a pod goes at once": {
			func(s stage) { s.pod.Ready().Gone() }, "pod agent-a (updated v1) on node-1 was removed at once: Ready"},
		"a container restarts": {
			func(s stage) {
				s.pod.Edit(func(pod *corev1.Pod) { pod.Status.ContainerStatuses = []corev1.ContainerStatus{{RestartCount: 2}} })
			}, "pod agent-a (updated v1) on node-1 restarted a container (restart 2)"},
		"a pod is released": {
			func(s stage) { s.pod.Edit(func(pod *corev1.Pod) { pod.OwnerReferences = nil }) }, "pod agent-a on node-1 was released by DaemonSet agent"},
		"a pod is labelled": {
			func(s stage) { s.pod.Edit(func(pod *corev1.Pod) { pod.Labels["extra"] = "yes" }) }, "pod agent-a (updated v1) on node-1 got label extra=yes"},
		"something else changes in a pod": {
			func(s stage) { s.pod.Edit(func(pod *corev1.Pod) { pod.Status.PodIP = "10.0.0.1" }) }, "pod agent-a (updated v1) on node-1 was updated"},
		"a template changes": {
			func(s stage) { s.agent.Update("v2") }, "DaemonSet agent template changed (image registry.example/agent:v1 -> registry.example/agent:v2)"},
		"a limit changes": {
			func(s stage) { s.agent.Set(historytest.MaxSurge("30%")) },
			"DaemonSet agent strategy RollingUpdate, maxSurge 0, maxUnavailable 1 -> RollingUpdate, maxSurge 30%, maxUnavailable 0"},
		"a status changes": {
			func(s stage) {
				s.agent.Status(func(status *appsv1.DaemonSetStatus) { status.NumberAvailable, status.UpdatedNumberScheduled = 2, 1 })
			}, "DaemonSet agent status says updated 0 -> 1, available 0 -> 2"},
		"a node is tainted": {
			func(s stage) { s.Node("node-1").Taint("dedicated", corev1.TaintEffectNoExecute) }, "node node-1 got taint dedicated:NoExecute"},
		"a node is cordoned": {
			func(s stage) { s.Node("node-1").Edit(func(node *corev1.Node) { node.Spec.Unschedulable = true }) }, "node node-1 was cordoned"},
		"a node leaves": {
			func(s stage) { s.Node("node-1").Leave() }, "node node-1 was removed"},
		"a revision is created": {
			func(s stage) { s.agent.Revision("v1", 4) }, "ControllerRevision agent-v1 (revision 4) was created"},
		"a revision is renumbered": {
			func(s stage) { s.agent.Revision("v1", 4).Renumber(6) }, "ControllerRevision agent-v1 (revision 6) got its number (was 4)"},
		"the harness acts on a pod": {
			func(s stage) { s.Stimulus(history.BecomeUnready, s.pod) }, "rollcall: become unready Pod agent-a on node-1"},
		"the harness acts in words that name the kind": {
			func(s stage) { s.Stimulus(history.DeletePod, s.pod) }, "rollcall: delete pod agent-a on node-1"},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := historytest.New(t).Nodes(1)
			agent := b.DaemonSet("agent")
			test.happens(stage{Builder: b, agent: agent, pod: agent.Pod("agent-a", "node-1")})
			if got := described(b); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

func TestBudgetsAndEventsHaveTheirWords(t *testing.T) {
	t.Parallel()
	two := intstr.FromInt32(2)
	before := &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Name: "agent"}, Spec: policyv1.PodDisruptionBudgetSpec{MinAvailable: &two},
		Status: policyv1.PodDisruptionBudgetStatus{DisruptionsAllowed: 1},
	}
	after := before.DeepCopy()
	after.Status.DisruptionsAllowed = 0
	budget := history.Change{Before: before, Entry: history.Entry{Type: watch.Modified, Kind: history.KindPodDisruptionBudget, Object: after}}
	if got, want := story.Describe(nil, budget), "PodDisruptionBudget agent status says disruptionsAllowed 1 -> 0"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	event := history.Change{Entry: history.Entry{Type: watch.Added, Kind: history.KindEvent, Object: &corev1.Event{
		Reason: "SurgeStarted", Message: "3 of 10 nodes", InvolvedObject: corev1.ObjectReference{Kind: "DaemonSet", Name: "agent"},
	}}}
	if got, want := story.Describe(nil, event), "event SurgeStarted on DaemonSet agent: 3 of 10 nodes"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
