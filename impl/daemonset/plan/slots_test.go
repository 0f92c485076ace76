package plan_test

import (
	"testing"

	. "github.com/onsi/gomega"
)

func TestSlotsAreGivenAwayAfterWhatIsOutsideTheLimit(t *testing.T) {
	g := NewWithT(t)
	w := newWorld(t, 3)
	w.surging("1")
	w.pod("n0")
	w.pod("n1", w.ready())
	w.pod("n2", w.ready())
	w.update("v2")
	g.Expect(created(w.plan())).To(Equal([]string{"n0"}), "UNREADY-001")
	w.pod("n0")
	second := w.plan()
	g.Expect(created(second)).To(Equal([]string{"n1"}), "SURGE-013: the slot is free")
	g.Expect(deleted(second)).To(Equal([]string{"v1-n0-1"}), "SURGE-022")
	w.ready()(w.Pods[0])
	g.Expect(created(w.plan())).To(BeEmpty(), "SURGE-002: the old pod came back in between and its node holds the slot")
}

// Three nodes have an available v2 pod, and beside it a v1 pod that is slow to end when v1 becomes the template again.
func TestSlotsOfPodsOnTheirWayOutAreUsedAgainWithinTheLimit(t *testing.T) {
	for name, c := range map[string]struct {
		arrange func(w *world)
		want    []string
	}{
		"no live updated pod: as many as the limit allows":  {func(*world) {}, []string{"n0", "n1"}},
		"one live updated pod: one more":                    {func(w *world) { w.pod("n1") }, []string{"n0"}},
		"as many live updated pods as the limit allows":     {func(w *world) { w.pod("n0"); w.pod("n2") }, none()},
		"an available updated pod takes nothing":            {func(w *world) { w.pod("n0", w.ready()) }, []string{"n1", "n2"}},
		"another node's old pod is unavailable: that first": {func(w *world) { notReady(w.Pods[5]) }, []string{"n2"}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			w := newWorld(t, 3)
			w.surging("2")
			w.pods(w.ready(), w.terminating())
			w.update("v2")
			w.pods(w.ready())
			w.retemplate("v1")
			c.arrange(w)
			g.Expect(created(w.plan())).To(Equal(c.want), "SURGE-002")
		})
	}
}
