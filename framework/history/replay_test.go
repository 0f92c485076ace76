package history_test

import (
	"slices"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/history/historytest"
)

// end is the state after everything written so far.
func end(b *historytest.Builder) *history.Cluster {
	var last *history.Cluster
	b.History().Replay(func(cluster *history.Cluster, _ history.Change) { last = cluster })
	return last
}

func TestReplayKeepsWhatExists(t *testing.T) {
	b := historytest.New(t).Nodes(2)
	ds := b.DaemonSet("agent")
	stays, goes := ds.Pod("stays", "node-1"), ds.Pod("goes", "node-2")
	goes.Terminating().Gone()
	b.Node("node-2").Leave()
	revision := ds.Revision("v1", 1)
	revision.Gone()
	cluster := end(b)
	uid := ds.Object().UID
	if len(cluster.Pods) != 1 || cluster.Pods[stays.Object().UID] == nil || len(cluster.Nodes) != 1 || len(cluster.Revisions) != 0 {
		t.Errorf("pods %v, nodes %v, revisions %v", cluster.Pods, cluster.Nodes, cluster.Revisions)
	}
	if nodes := cluster.NodesOf(uid); !slices.Equal(nodes, []string{"node-1"}) {
		t.Errorf("nodes of the DaemonSet %v", nodes)
	}
	if pods := cluster.PodsOn(uid, "node-1"); len(pods) != 1 || cluster.OwnerOf(pods[0]) == nil {
		t.Errorf("pods on node-1 %v", pods)
	}
}

func TestAChangeHoldsTheStateBefore(t *testing.T) {
	b := historytest.New(t).Nodes(1)
	b.DaemonSet("agent").Pod("a", "node-1").Ready().Terminating().Gone()
	var ready []bool
	b.History().Replay(func(_ *history.Cluster, change history.Change) {
		if change.Kind != history.KindPod {
			return
		}
		before, existed := change.Before.(*corev1.Pod)
		ready = append(ready, existed && history.IsReady(before))
	})
	if want := []bool{false, false, true, true}; !slices.Equal(ready, want) {
		t.Errorf("ready before each change %v, want %v", ready, want)
	}
}

func TestAnAdoptedPodIsListedWithItsDaemonSet(t *testing.T) {
	b := historytest.New(t).Nodes(1)
	ds := b.DaemonSet("agent")
	orphan := b.Stranger("orphan", "node-1", map[string]string{"app": "agent"})
	uid := ds.Object().UID
	if pods := end(b).PodsOn(uid, "node-1"); len(pods) != 0 {
		t.Errorf("before adoption %v", pods)
	}
	owner := *metav1.NewControllerRef(ds.Object(), appsv1.SchemeGroupVersion.WithKind("DaemonSet"))
	orphan.Edit(func(pod *corev1.Pod) { pod.OwnerReferences = []metav1.OwnerReference{owner} })
	if pods := end(b).PodsOn(uid, "node-1"); len(pods) != 1 {
		t.Errorf("after adoption %v", pods)
	}
	orphan.Edit(func(pod *corev1.Pod) { pod.OwnerReferences = nil })
	if pods := end(b).PodsOn(uid, "node-1"); len(pods) != 0 {
		t.Errorf("after release %v", pods)
	}
}

func TestStimuliAreFoundByWhatTheyActOn(t *testing.T) {
	b := historytest.New(t).Nodes(1)
	pod := b.DaemonSet("agent").Pod("a", "node-1")
	b.Stimulus(history.BecomeUnready, pod)
	b.Stimulus(history.CreatePod, historytest.Object(history.KindPod, "later"))
	cluster := end(b)
	if entries := cluster.StimuliOn(pod.Object().UID); len(entries) != 1 || entries[0].Stimulus.Act != history.BecomeUnready {
		t.Errorf("by UID %v", entries)
	}
	if entries := cluster.Stimuli["Pod/"+historytest.Namespace+"/later"]; len(entries) != 1 {
		t.Errorf("by name %v", entries)
	}
}

func TestAPodBelongsToTheTemplateThatItsContentShows(t *testing.T) {
	b := historytest.New(t).Nodes(4)
	ds := b.DaemonSet("agent")
	old := ds.Pod("old", "node-1")
	liar := ds.Pod("liar", "node-2").Edit(func(pod *corev1.Pod) { pod.Labels[historytest.RevisionLabel] = "v2" })
	unknown := ds.PodOf("v0", "unknown", "node-3")
	ds.Update("v2")
	updated := ds.Pod("updated", "node-4")
	check := func(when string, want map[*historytest.Pod]bool) {
		t.Helper()
		cluster := end(b)
		for pod, updated := range want {
			if got := cluster.IsUpdated(cluster.Pods[pod.Object().UID]); got != updated {
				t.Errorf("%s: pod %s updated %t, want %t", when, pod.Object().Name, got, updated)
			}
		}
	}
	check("after the update", map[*historytest.Pod]bool{old: false, liar: false, unknown: false, updated: true})
	if got := end(b).RevisionOf(unknown.Object()); got != history.NoRevision {
		t.Errorf("a pod like no template is of revision %d", got)
	}
	ds.Update("v1")
	check("after the rollback", map[*historytest.Pod]bool{old: true, liar: true, unknown: false, updated: false})
	updated.Edit(func(pod *corev1.Pod) { pod.Spec.Containers = old.Object().Spec.Containers })
	check("after an update in place", map[*historytest.Pod]bool{updated: true})
}

func TestAnAdoptedPodThatSaysNothingOfItsRevisionIsOld(t *testing.T) {
	b := historytest.New(t).Nodes(1)
	ds := b.DaemonSet("agent")
	owner := *metav1.NewControllerRef(ds.Object(), appsv1.SchemeGroupVersion.WithKind("DaemonSet"))
	orphan := b.Stranger("orphan", "node-1", map[string]string{"app": "agent"}).Edit(func(pod *corev1.Pod) {
		pod.Spec.Containers = ds.Object().Spec.Template.Spec.Containers
		pod.OwnerReferences = []metav1.OwnerReference{owner}
	})
	if end(b).IsUpdated(orphan.Object()) {
		t.Error("updated without a label")
	}
	ds.Update("v2").Update("v1")
	if end(b).IsUpdated(orphan.Object()) {
		t.Error("updated by a rollback")
	}
	orphan.Edit(func(pod *corev1.Pod) { pod.Labels[historytest.RevisionLabel] = "v1" })
	if !end(b).IsUpdated(orphan.Object()) {
		t.Error("old although it has the label and the content")
	}
	created := ds.Pod("created", "node-1").Edit(func(pod *corev1.Pod) { delete(pod.Labels, historytest.RevisionLabel) })
	if !end(b).IsUpdated(created.Object()) {
		t.Error("a pod that the implementation created is judged by its label")
	}
	created.Edit(func(pod *corev1.Pod) { pod.OwnerReferences = nil })
	created.Edit(func(pod *corev1.Pod) { pod.OwnerReferences = []metav1.OwnerReference{owner} })
	if end(b).IsUpdated(created.Object()) {
		t.Error("updated without a label, once it was adopted again")
	}
}

func TestTemplatesThatPodsDoNotShowAreToldApart(t *testing.T) {
	tolerate := func(ds *appsv1.DaemonSet) {
		ds.Spec.Template.Spec.Tolerations = []corev1.Toleration{{Key: "dedicated", Operator: corev1.TolerationOpExists}}
	}
	relabel := func(label string) func(*corev1.Pod) {
		return func(pod *corev1.Pod) { pod.Labels[historytest.RevisionLabel] = label }
	}
	t.Run("by the template in force when the pod appeared", func(t *testing.T) {
		b := historytest.New(t).Nodes(2)
		ds := b.DaemonSet("agent")
		before := ds.Pod("before", "node-1")
		ds.Set(tolerate)
		after := ds.Pod("after", "node-2")
		cluster := end(b)
		if cluster.IsUpdated(before.Object()) || !cluster.IsUpdated(after.Object()) {
			t.Error("the pods are of one revision")
		}
	})
	t.Run("by the label, where a history says what it stands for", func(t *testing.T) {
		b := historytest.New(t).Nodes(1)
		ds := b.DaemonSet("agent")
		ds.Revision("v1", 1)
		ds.Set(tolerate)
		// Created by a controller that had not seen the change yet.
		stale := ds.Pod("stale", "node-1")
		if end(b).IsUpdated(stale.Object()) {
			t.Error("a pod labelled as of the old template is updated")
		}
	})
	t.Run("and relabelling later changes nothing", func(t *testing.T) {
		b := historytest.New(t).Nodes(1)
		ds := b.DaemonSet("agent")
		old := ds.Pod("old", "node-1")
		ds.Set(tolerate)
		old.Edit(relabel("v2"))
		if end(b).IsUpdated(old.Object()) {
			t.Error("a relabelled pod is updated")
		}
	})
}
