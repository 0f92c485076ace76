package matchers_test

import (
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history/historytest"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
)

func TestANodeIsEligibleOnceItsTaintIsGone(t *testing.T) {
	b := historytest.New(t).Nodes(1)
	ds := b.DaemonSet("agent")
	ds.Pod("agent-1", "node-1").Ready()
	joined := b.Node("late").Join().Taint(corev1.TaintNodeNotReady, corev1.TaintEffectNoSchedule)
	g := NewWithT(t)
	before := len(NodeEligible().On("late").Find(b.History()))
	joined.Edit(func(node *corev1.Node) { node.Spec.Taints = nil })
	g.Expect(NodeEligible().On("late").Find(b.History())).To(HaveLen(before+1), "when the taint goes")
	ds.Pod("agent-2", "late").Ready()
	joined.Edit(func(node *corev1.Node) { node.Labels["note"] = "x" })
	g.Expect(NodeEligible().On("late").Find(b.History())).To(HaveLen(before+1), "it has a pod")
	g.Expect(NodeEligible().On("node-1").Find(b.History())).To(BeEmpty(), "it had a pod from the beginning")
}
