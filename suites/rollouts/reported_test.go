package rollouts

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/history/historytest"
)

// A stage is something that happens in a rollout that cannot go on.
type stage func(b *historytest.Builder, ds *historytest.DaemonSet, pod *historytest.Pod)

// says has the condition be written.
func says(status corev1.ConditionStatus, message string) stage {
	return func(_ *historytest.Builder, ds *historytest.DaemonSet, _ *historytest.Pod) {
		ds.Status(func(s *appsv1.DaemonSetStatus) {
			s.Conditions = []appsv1.DaemonSetCondition{{Type: "Progressing", Status: status, Message: message}}
		})
	}
}

// hindered has the pod show that its image cannot be pulled.
func hindered(_ *historytest.Builder, _ *historytest.DaemonSet, pod *historytest.Pod) {
	pod.Edit(func(pod *corev1.Pod) {
		pod.Status.ContainerStatuses = []corev1.ContainerStatus{{State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ImagePullBackOff"}}}}
	})
}

func TestAStallIsReportedOnceItsCauseIsKnown(t *testing.T) {
	// An Event is one that comes at this stage.
	type event struct {
		at     int
		reason string
	}
	progressing, stalled := says(corev1.ConditionTrue, "updates node-1"), says(corev1.ConditionFalse, "waits on node-1")
	for name, tt := range map[string]struct {
		stages []stage
		events []event
		want   int
	}{
		"by a condition and an Event":                       {[]stage{hindered, stalled}, []event{{1, "Stalled"}}, 1},
		"by a condition before an Event":                    {[]stage{hindered, stalled, says(corev1.ConditionFalse, "waits on node-1 for long")}, []event{{2, "Stalled"}}, 2},
		"not by an Event of the beginning":                  {[]stage{progressing, hindered, stalled}, []event{{0, "Updating"}}, -1},
		"not by a condition of the beginning":               {[]stage{progressing, hindered, says(corev1.ConditionTrue, "updates node-1")}, []event{{2, "Stalled"}}, -1},
		"by those that follow others of the beginning":      {[]stage{progressing, hindered, stalled}, []event{{0, "Updating"}, {2, "Stalled"}}, 2},
		"by a condition that names the pod, seen before it": {[]stage{says(corev1.ConditionFalse, "pod new waits"), hindered}, []event{{1, "Stalled"}}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			b := historytest.New(t).Nodes(1)
			ds := b.DaemonSet("agent")
			b.After(time.Second)
			ds.Update("v2")
			pod := ds.PodOf("v2", "new", "node-1")
			begun := len(b.History().Entries)
			var ends []int
			for _, stage := range tt.stages {
				stage(b, ds, pod)
				ends = append(ends, len(b.History().Entries))
			}
			report, reported, entries := ReportOf(ds.Object()), -1, 0
			b.History().Replay(func(cluster *history.Cluster, _ history.Change) {
				entries++
				if entries <= begun {
					report.begin(cluster)
					return
				}
				for at, end := range ends {
					if entries != end {
						continue
					}
					for _, event := range tt.events {
						if event.at == at {
							about := corev1.ObjectReference{UID: ds.Object().UID}
							cluster.Report(history.Entry{Object: &corev1.Event{Reason: event.reason, InvolvedObject: about}})
						}
					}
					if report.isReported(cluster) && reported < 0 {
						reported = at
					}
				}
			})
			NewWithT(t).Expect(reported).To(Equal(tt.want))
		})
	}
}

func TestAReportIsWholeOnceItsConditionsStayTheSame(t *testing.T) {
	g := NewWithT(t)
	b := historytest.New(t).Nodes(1)
	ds := b.DaemonSet("agent")
	steady := ReportOf(ds.Object()).saysTheSame(time.Second)
	says(corev1.ConditionTrue, "updates node-1")(b, ds, nil)
	says(corev1.ConditionFalse, "waits on node-1")(b.After(900*time.Millisecond), ds, nil)
	counts := func(ready int32) { ds.Status(func(s *appsv1.DaemonSetStatus) { s.NumberReady = ready }) }
	b.After(900 * time.Millisecond)
	counts(1)
	b.After(100 * time.Millisecond)
	counts(2)
	var held []bool
	b.History().Replay(func(cluster *history.Cluster, _ history.Change) {
		if cluster.DaemonSets[ds.Object().UID] != nil {
			held = append(held, steady.Holds(cluster))
		}
	})
	g.Expect(held[len(held)-1]).To(BeTrue())
	g.Expect(held[:len(held)-1]).NotTo(ContainElement(true))
}
