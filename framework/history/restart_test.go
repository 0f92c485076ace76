package history_test

import (
	"fmt"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/history/historytest"
)

// shown is whether a replay shows the only pod as Ready, and since when, at the end.
func shown(b *Builder) (bool, time.Time) {
	var pod *corev1.Pod
	b.History().Replay(func(cluster *history.Cluster, _ history.Change) {
		for _, pod = range cluster.Pods {
			break
		}
	})
	return history.IsReady(pod), history.Ready(pod).LastTransitionTime.Time
}

func TestAPodThatWasPatchedIsNotReadyUntilItsContainersAreOthers(t *testing.T) {
	for _, row := range []struct {
		name  string
		tell  func(*Pod)
		ready bool
	}{
		{"patched", func(p *Pod) { p.Patch("v2") }, false},
		{"seen by the kubelet", func(p *Pod) { p.Patch("v2").Observed() }, false},
		{"restarted", func(p *Pod) { p.Patch("v2").Observed().Restarted("v2") }, true},
		{"restarted under another name", func(p *Pod) { p.Patch("v2").Observed().Restarted("v1") }, true},
		{"crashed before the kubelet saw the patch", func(p *Pod) { p.Patch("v2").Restarted("v1") }, false},
		{"restarted for an earlier patch", func(p *Pod) { p.Patch("v2").Patch("v3").Observed().Restarted("v2") }, false},
		{"restarted for both", func(p *Pod) { p.Patch("v2").Patch("v3").Observed().Restarted("v2").Restarted("v3") }, true},
		{"restarted for the second alone", func(p *Pod) { p.Patch("v2").Patch("v3").Observed().Restarted("v3") }, true},
		{"patched back", func(p *Pod) { p.Patch("v2").Patch("v1") }, false},
		{"patched back, which the kubelet has seen", func(p *Pod) { p.Patch("v2").Patch("v1").Observed() }, true},
		{"patched again when all was done", func(p *Pod) { p.Patch("v2").Observed().Restarted("v2").Patch("v3") }, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			b := New(t).Nodes(1)
			pod := b.DaemonSet("agent").Pod("a", "node-1").Started().Ready()
			b.After(20 * time.Second)
			row.tell(pod)
			ready, _ := shown(b)
			NewWithT(t).Expect(ready).To(Equal(row.ready))
		})
	}
}

func TestAPodThatWasPatchedBackIsUnprovedWhereKubeletsDoNotTell(t *testing.T) {
	for _, row := range []struct {
		name     string
		silent   bool
		tell     func(*Pod)
		unproved string
	}{
		{"patched", true, func(p *Pod) { p.Patch("v2") }, ""},
		{"patched back", true, func(p *Pod) { p.Patch("v2").Patch("v1").Edit(func(*corev1.Pod) {}) }, "a"},
		{"patched back, and the kubelet tells", false, func(p *Pod) { p.Patch("v2").Patch("v1").Observed() }, ""},
		{"patched once more", true, func(p *Pod) { p.Patch("v2").Patch("v1").Patch("v3") }, ""},
		{"restarted for both", true, func(p *Pod) { p.Patch("v2").Restarted("v2").Patch("v1").Restarted("v1") }, ""},
		{"gone", true, func(p *Pod) { p.Patch("v2").Patch("v1").Gone() }, ""},
		{"patched forth and back around a restart", false, func(p *Pod) { p.Patch("v2").Restarted("v2").Patch("v3").Patch("v2").Observed() }, "a"},
		{"patched to what was never asked for before", false, func(p *Pod) { p.Patch("v2").Restarted("v2").Patch("v3").Observed() }, ""},
		{"and restarted again", false, func(p *Pod) {
			p.Patch("v2").Restarted("v2").Patch("v3").Patch("v2").Observed().Restarted("v2").Patch("v4")
		}, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			b := New(t).Nodes(1)
			pod := b.DaemonSet("agent").Pod("a", "node-1").Started().Ready()
			if row.silent {
				pod.Edit(func(pod *corev1.Pod) { pod.Status.ObservedGeneration = 0 })
			}
			row.tell(pod)
			unproved := ""
			b.History().Replay(func(cluster *history.Cluster, _ history.Change) { unproved = cluster.Unproved() })
			NewWithT(t).Expect(unproved).To(Equal(row.unproved))
		})
	}
}

func TestAPodThatStayedReadyIsReadySinceItsContainersStarted(t *testing.T) {
	g := NewWithT(t)
	b := New(t).Nodes(1)
	pod := b.DaemonSet("agent").Pod("a", "node-1").Started().Ready()
	b.After(20 * time.Second)
	pod.Patch("v2").Observed()
	b.After(20 * time.Second)
	at := b.Now()
	pod.Restarted("v2")
	ready, since := shown(b)
	g.Expect(ready).To(BeTrue())
	g.Expect(since).To(Equal(at.Truncate(time.Second)))
	last := b.History().Entries[len(b.History().Entries)-1].Object.(*corev1.Pod)
	g.Expect(history.Ready(last).LastTransitionTime.Time).To(BeTemporally("<", since), "the recording is as it was")
}

func TestAllChangedContainersHaveToBeOthers(t *testing.T) {
	g := NewWithT(t)
	b := New(t).Nodes(1)
	pod := b.DaemonSet("agent", func(ds *appsv1.DaemonSet) {
		ds.Spec.Template.Spec.Containers = append(ds.Spec.Template.Spec.Containers, corev1.Container{Name: "sidecar", Image: "sidecar:v1"})
	}).Pod("a", "node-1").Started().Ready()
	pod.Edit(func(pod *corev1.Pod) {
		for i := range pod.Spec.Containers {
			pod.Spec.Containers[i].Image += "-new"
		}
	})
	for i, want := range []bool{false, true} {
		pod.Edit(func(pod *corev1.Pod) {
			status := &pod.Status.ContainerStatuses[i]
			status.ContainerID = fmt.Sprintf("new-%d", i)
			status.State.Running.StartedAt = metav1.NewTime(b.Now())
		})
		ready, _ := shown(b)
		g.Expect(ready).To(Equal(want))
	}
}
