package stress

import (
	"testing"

	. "github.com/onsi/gomega"
)

func TestAScheduleIsOfItsSeed(t *testing.T) {
	g := NewWithT(t)
	weights := map[string]int{"once": 1, "often": 3, "never": 0}
	g.Expect(draw(7, 200, weights)).To(Equal(draw(7, 200, weights)))
	g.Expect(draw(7, 200, weights)).NotTo(Equal(draw(8, 200, weights)))
	times := map[string]int{}
	for _, p := range draw(7, 200, weights) {
		times[p.Act]++
	}
	g.Expect(times).To(HaveLen(2))
	g.Expect(times["often"]).To(BeNumerically(">", times["once"]))
}

func TestEveryActHasAWeight(t *testing.T) {
	g := NewWithT(t)
	for _, surges := range []bool{true, false} {
		names := weights()
		for name := range acts(surges) {
			g.Expect(names).To(HaveKey(name))
			delete(names, name)
		}
		g.Expect(names).To(BeEmpty(), "every name is an act's")
	}
}
