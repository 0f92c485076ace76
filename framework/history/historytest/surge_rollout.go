package historytest

import (
	"fmt"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// SurgeRollout generates a lawful history: a DaemonSet with maxSurge 10% (at least 1) on n nodes is rolled from v1 to v2 while nodes send
// heartbeats and the status follows. It has 20 entries a node: 1,000 nodes are enough to measure what reads histories.
func SurgeRollout(t testing.TB, n int) *history.History {
	b := New(t).Nodes(n)
	ds := b.DaemonSet("agent", MaxSurge("10%"), MinReadySeconds(5))
	ds.Revision("v1", 1)
	node := func(i int) string { return fmt.Sprintf("node-%d", i+1) }
	old := make([]*Pod, n)
	for i := range old {
		old[i] = ds.Pod(fmt.Sprintf("v1-%d", i), node(i))
	}
	for i := range old {
		old[i].running().Ready()
	}
	total := int32(n)
	ds.Counts(total, total, total, 0, total).Observed()
	b.After(6 * time.Second)
	ds.Counts(total, total, total, total, total)
	b.After(4 * time.Second)
	ds.Update("v2").Revision("v2", 2)
	ds.Counts(total, total, total, total, 0).Observed()

	nodes := make([]*Node, n)
	for i := range nodes {
		nodes[i] = b.Node(node(i))
	}
	width := max(1, n/10)
	for first := 0; first < n; first += width {
		last := min(first+width, n)
		batch := make([]*Pod, 0, width)
		for i := first; i < last; i++ {
			batch = append(batch, ds.Pod(fmt.Sprintf("v2-%d", i), node(i)))
		}
		for i, pod := range batch {
			pod.running().Ready()
			for range 9 {
				nodes[first+i].heartbeat()
			}
		}
		ds.Counts(total, total, total, total, int32(last))
		b.After(7 * time.Second)
		for i := first; i < last; i++ {
			old[i].Terminating().Unready()
			ds.Status(func(status *appsv1.DaemonSetStatus) { status.NumberMisscheduled = 0 })
			old[i].Gone()
		}
	}
	return b.History()
}

func (p *Pod) running() *Pod {
	return p.Edit(func(pod *corev1.Pod) { pod.Status.Phase = corev1.PodRunning })
}

func (n *Node) heartbeat() {
	n.Edit(func(node *corev1.Node) {
		node.Annotations = map[string]string{"heartbeat": n.b.now.Format(time.RFC3339Nano)}
	})
}
