package matchers_test

import (
	"fmt"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history/historytest"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
)

func TestOnEveryNode(t *testing.T) {
	m := OnEveryNode(Before(PodAvailable(OfVersion("v2")), PodDeleted(OfVersion("v1"))))
	t.Run("is kept where each node keeps the promise", func(t *testing.T) {
		b, _, second := rollout(t)
		second.Terminating()
		keeps(t, b.History(), m)
	})
	t.Run("is untested, naming it, for the one node that is behind", func(t *testing.T) {
		b, _, _ := rollout(t)
		isUntested(t, b.History(), m, "no v1 pod deleted on node-2")
	})
	t.Run("is broken where the updated pod had not been ready for long enough", func(t *testing.T) {
		b := historytest.New(t).Nodes(1)
		ds := b.DaemonSet("agent", historytest.MinReadySeconds(5))
		old := ds.Pod("old-a", "node-1").Ready()
		b.After(long)
		ds.Update("v2").Pod("new-a", "node-1").Ready()
		b.After(3 * time.Second)
		old.Terminating()
		b.After(long)
		ds.Counts(1, 1, 1, 1, 1)
		breaks(t, b.History(), m, "node-1")
	})
	t.Run("is untested on a node that the DaemonSet wants and that nothing happened on", func(t *testing.T) {
		b, _, second := rollout(t)
		second.Terminating()
		b.Node("node-3").Join()
		isUntested(t, b.History(), m, "node-3")
	})
	t.Run("is not asked of a node that is not wanted", func(t *testing.T) {
		b, _, second := rollout(t)
		second.Terminating()
		b.Node("node-3").Join().Taint("dedicated", corev1.TaintEffectNoSchedule)
		keeps(t, b.History(), m)
	})
	t.Run("is asked of a node that is not wanted and on which it happened", func(t *testing.T) {
		b, ds, second := rollout(t)
		second.Terminating()
		b.Node("node-3").Join().Taint("dedicated", corev1.TaintEffectNoSchedule)
		ds.PodOf("v1", "stray", "node-3").Terminating()
		breaks(t, b.History(), m, "node-3")
	})
	t.Run("is untested where there is no node at all", func(t *testing.T) {
		isUntested(t, historytest.New(t).History(), m, "no node")
	})
	t.Run("takes what is felt on no node for felt on each", func(t *testing.T) {
		b, _, _ := rollout(t)
		keeps(t, b.History(), OnEveryNode(Within(long, TemplateChanged(), PodCreated(OfVersion("v2")))))
	})
}

func TestTheFirstNodeToBreakAPromiseLeadsAndTheOthersAreCounted(t *testing.T) {
	b := historytest.New(t).Nodes(7)
	ds := b.DaemonSet("agent")
	pods := make([]*historytest.Pod, 6)
	for i := range pods {
		pods[i] = ds.Pod(fmt.Sprintf("pod-%d", i+1), fmt.Sprintf("node-%d", i+1)).Ready()
	}
	// The cause is on the last of the six; no node's name comes into it.
	pods[5].Terminating()
	for _, pod := range pods[:5] {
		pod.Terminating()
	}
	found := breaks(t, b.History(), OnEveryNode(Before(PodFailed(), PodDeleted())),
		"node-1, node-2, node-3 and 2 more nodes, too", "not put to the test on node-7")
	g := NewWithT(t)
	g.Expect(found).To(HaveLen(1))
	g.Expect(found[0].Node).To(Equal("node-6"))
	g.Expect(found[0].Promise).To(HavePrefix("on every node "))
}
