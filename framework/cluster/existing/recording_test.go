package existing

import (
	"fmt"
	"testing"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/scenario"
)

func TestARecordingWithoutNodesNeedsNone(t *testing.T) {
	g := NewWithT(t)
	before := everything(t)
	s := scenario.Start(t.Context(), t, scenario.Environment{Config: somebodys.Config(), OnlyRealNodes: true, Recordings: t.TempDir()}, "nodeless", "a scenario without nodes")
	h, err := s.Finish(t.Context(), history.Ending{})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(h.CaughtUp).To(BeTrue())
	for _, entry := range h.Entries {
		g.Expect(entry.Kind).NotTo(Equal(history.KindNode))
	}
	g.Expect(s.Clean(t.Context())).To(Succeed())
	g.Eventually(func() string { return everything(t) }, patience).Should(Equal(before))
}

func TestANodeThatLeftTheScenarioBySomebodyElsesHandProvesNothing(t *testing.T) {
	g := NewWithT(t)
	node := setAside(t)
	env := scenario.Environment{Config: somebodys.Config(), RealNodes: []string{node}, OnlyRealNodes: true, Recordings: t.TempDir(), Patience: patience}
	s := scenario.Start(t.Context(), t, env, "robbed", "a scenario whose node loses its label")
	s.AddNodes(t.Context(), 1)
	patch := fmt.Appendf(nil, `{"metadata":{"labels":{%q:null}}}`, scenario.NodeLabel("robbed"))
	_, err := admin.CoreV1().Nodes().Patch(t.Context(), node, types.MergePatchType, patch, metav1.PatchOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	_, err = s.Finish(t.Context(), history.Ending{})
	g.Expect(err).To(MatchError(ContainSubstring("catch up with Node")))
	g.Expect(s.Clean(t.Context())).To(Succeed())
	g.Eventually(func() string { return everything(t) }, patience).Should(Not(ContainSubstring("namespace robbed")))
}
