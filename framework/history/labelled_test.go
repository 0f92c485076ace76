package history_test

import (
	"testing"

	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/history/historytest"
)

// TestAHistoryOfAnotherControllerTellsTemplatesApart has a pod created by the history that another controller holds, just after the template changed in what no
// pod shows.
func TestAHistoryOfAnotherControllerTellsTemplatesApart(t *testing.T) {
	for name, row := range map[string]struct {
		held    bool
		updated bool
	}{
		"another controller has it": {true, false},
		"nobody has it":             {false, true},
	} {
		t.Run(name, func(t *testing.T) {
			b := New(t).Nodes(1)
			ds := b.DaemonSet("agent")
			if row.held {
				ds.Revision("v1", 1)
			}
			ds.Set(func(ds *appsv1.DaemonSet) {
				ds.Spec.Template.Spec.Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists}}
			})
			pod := ds.PodOf("v1", "a", "node-1")
			h := b.History()
			for _, entry := range h.Entries {
				if revision, is := entry.Object.(*appsv1.ControllerRevision); is {
					revision.OwnerReferences[0].UID = "another"
				}
			}
			updated := false
			h.Replay(func(cluster *history.Cluster, _ history.Change) { updated = cluster.IsUpdated(pod.Object()) })
			NewWithT(t).Expect(updated).To(Equal(row.updated))
		})
	}
}
