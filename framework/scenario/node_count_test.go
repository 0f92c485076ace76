package scenario

import (
	"fmt"
	"testing"

	. "github.com/onsi/gomega"
)

// skipped is what a scenario panics with that is not possible.
type skipped string

// skipping is a TB that ends scenarios by panics.
type skipping struct{ *testing.T }

func (skipping) Skipf(format string, args ...any) { panic(skipped(fmt.Sprintf(format, args...))) }

func TestAScenarioGetsAsManyNodesAsItLikesOrThoseThatThereAre(t *testing.T) {
	count := NodeCount{Least: 2, Likes: 5, Later: 1}
	three, six := []string{"a", "b", "c"}, []string{"a", "b", "c", "d", "e", "f"}
	for name, tt := range map[string]struct {
		environment Environment
		toMeasure   bool
		nodes       int
		kind        NodeKind
		lacks       string
	}{
		"enough real ones":                   {environment: Environment{RealNodes: six}, nodes: 5, kind: Real},
		"too few real ones beside others":    {environment: Environment{RealNodes: three}, nodes: 5, kind: Simulated},
		"simulated ones alone":               {nodes: 5, kind: Simulated},
		"simulated ones wanted":              {environment: Environment{RealNodes: six, NodeKind: Simulated}, nodes: 5, kind: Simulated},
		"made to measure":                    {environment: Environment{RealNodes: six}, toMeasure: true, nodes: 5, kind: Simulated},
		"few real ones alone":                {environment: Environment{RealNodes: three, OnlyRealNodes: true}, nodes: 2, kind: Real},
		"few real ones wanted":               {environment: Environment{RealNodes: three, NodeKind: Real}, nodes: 2, kind: Real},
		"more real ones alone than it likes": {environment: Environment{RealNodes: six, OnlyRealNodes: true}, nodes: 5, kind: Real},
		"too few real ones alone":            {environment: Environment{RealNodes: three[:2], OnlyRealNodes: true}, lacks: "takes 3 nodes that can be simulated, or shared as they are; the cluster has 2 real ones"},
		"too few real ones wanted":           {environment: Environment{RealNodes: three[:2], NodeKind: Real}, lacks: "takes 3 nodes with a kubelet, and the cluster has 2"},
		"made to measure where all are real": {environment: Environment{RealNodes: six, OnlyRealNodes: true}, toMeasure: true, lacks: "the cluster has 6 real ones and simulates none"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			defer func() {
				if why, _ := recover().(skipped); tt.lacks != "" {
					g.Expect(string(why)).To(ContainSubstring(tt.lacks))
				}
			}()
			s := &Scenario{tb: skipping{t}, env: tt.environment}
			got := s.settleKind(count, tt.toMeasure)
			g.Expect(tt.lacks).To(BeEmpty(), "it is possible")
			g.Expect(got).To(Equal(tt.nodes))
			g.Expect(s.kind).To(Equal(tt.kind))
		})
	}
}
