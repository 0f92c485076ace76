package lever_test

import (
	"fmt"
	"testing"

	. "github.com/onsi/gomega"
	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/state"
)

// KWOK hears of a pod from two sources, its watch and a list of the node's pods once it manages the node, and decides on a stage for each. With many
// new nodes the list comes late, and so did a second play of the same stage.
func TestReadyTransitionTimeStandsWhileReady(t *testing.T) {
	const nodes, podsPerNode = 150, 3
	b := newScenario(t, simulatedGround)
	template := b.NewDaemonSet("daemon").Spec.Template
	pods := simulatedGround.client.CoreV1().Pods(b.Namespace())
	var group errgroup.Group
	group.SetLimit(30)
	for n, node := range b.AddNodes(b.ctx, nodes) {
		for i := range podsPerNode {
			group.Go(func() error {
				pod := &corev1.Pod{ObjectMeta: template.ObjectMeta, Spec: template.Spec}
				pod.Name, pod.Spec.NodeName = fmt.Sprintf("pod-%d-%d", n, i), node
				if _, err := pods.Create(b.ctx, pod, metav1.CreateOptions{}); err != nil {
					return err
				}
				// Another event while the pod is on its way to become ready.
				_, err := pods.Patch(b.ctx, pod.Name, types.MergePatchType, []byte(`{"metadata":{"labels":{"patched":"true"}}}`), metav1.PatchOptions{})
				return err
			})
		}
	}
	g := NewWithT(t)
	g.Expect(group.Wait()).To(Succeed())
	b.Require(b.ctx, "every pod is ready", state.When("every pod is ready", func(cluster *history.Cluster) bool {
		seen := 0
		for _, pod := range cluster.Pods {
			if ready(pod) {
				seen++
			}
		}
		return seen == nodes*podsPerNode
	}))

	h, err := b.Finish(b.ctx, history.Ending{})
	g.Expect(err).NotTo(HaveOccurred())
	since := map[types.UID]metav1.Time{}
	var moved []string
	for _, entry := range h.Entries {
		pod, isPod := entry.Object.(*corev1.Pod)
		if !isPod || !ready(pod) {
			continue
		}
		now := history.Ready(pod).LastTransitionTime
		if before, wasReady := since[pod.UID]; wasReady && !before.Equal(&now) {
			moved = append(moved, fmt.Sprintf("%s from %s to %s", pod.Name, before, now))
		}
		since[pod.UID] = now
	}
	g.Expect(since).To(HaveLen(nodes * podsPerNode))
	if len(moved) > 0 {
		t.Errorf("the transition time moved %d times while %d pods stayed Ready, first that of %s", len(moved), len(since), moved[0])
	}
}
