package spec

import (
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/matchers"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/reports"
)

// unheard makes the node one that Kubernetes does not hear of.
func unheard(node *corev1.Node) {
	node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionUnknown}}
}

func TestNobodyIsBlamedForANodeThatWasLostByItself(t *testing.T) {
	s := &Spec{
		Text: "a spec", Decides: Decides("ROLLING-005"), wants: wants{oneCause: true},
		Check: func(c *Checks) { c.Decide("ROLLING-005", matchers.AtLeast(1, matchers.PodDeleted())) },
	}
	for name, row := range map[string]struct {
		before func(b *historytest.Builder)
		want   OmegaMatcher
		lost   bool
	}{
		"by itself":                              {func(*historytest.Builder) {}, is(reports.Inconclusive, "node node-1 was not heard of any more"), true},
		"by the scenario":                        {func(b *historytest.Builder) { b.Stimulus(history.TakeDownNode, b.Node("node-1")) }, is(reports.Fail, ""), false},
		"beside one that the scenario took down": {func(b *historytest.Builder) { b.Stimulus(history.TakeDownNode, b.Node("node-2")) }, is(reports.Inconclusive, "node node-1"), true},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			b := historytest.New(t).Nodes(2)
			ds := b.DaemonSet("agent")
			ds.Pod("agent-1", "node-1").Ready()
			ds.Pod("agent-2", "node-2").Ready()
			b.After(3 * Prompt)
			row.before(b)
			b.Node("node-1").Edit(unheard)
			h := b.After(3 * Prompt).End(history.Ending{}).History()
			h.Features = []string{string(requirements.DaemonSet)}
			g.Expect(verdicts(t, s, h)).To(HaveKeyWithValue(requirements.ID("ROLLING-005"), row.want))
			catalogue, err := requirements.Load()
			g.Expect(err).NotTo(HaveOccurred())
			again := attempt{judgement: s.Judge(h, catalogue)}
			g.Expect(again.heldUp()).To(Equal(row.lost))
		})
	}
}
