package plan_test

import (
	"testing"

	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/util/intstr"
)

func TestWithoutTheGateMaxSurgeIsIgnored(t *testing.T) {
	for name, c := range map[string]struct {
		surge, unavailable string
		want               []string
	}{
		"surge alone is (0, 1)":             {"2", "0", []string{"v1-n0-1"}},
		"percentages are no different":      {"100%", "0%", []string{"v1-n0-1"}},
		"maxUnavailable stays where it is":  {"2", "3", []string{"v1-n0-1", "v1-n1-2", "v1-n2-3"}},
		"without surge nothing is changed":  {"0", "2", []string{"v1-n0-1", "v1-n1-2"}},
		"a maxSurge that is none is no use": {"many", "2", []string{"v1-n0-1", "v1-n1-2"}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			w := newWorld(t, 5)
			w.SurgeDisabled = true
			w.rolling(intstr.Parse(c.surge), intstr.Parse(c.unavailable))
			w.pods(w.ready())
			w.update("v2")
			actions := w.plan()
			g.Expect(actions.Err).NotTo(HaveOccurred())
			g.Expect(deleted(actions)).To(Equal(c.want), "GATE-002, GATE-003")
			g.Expect(created(actions)).To(BeEmpty(), "GATE-002: nothing surges")
		})
	}
}

// Three nodes surge, all that maxSurge allows: beside its old pod, which is available, n0 has an updated one that is available, n1 and n2 have one that
// is not. n3 has yet to be updated.
func TestTheGateIsSwitchedInMidSurge(t *testing.T) {
	g := NewWithT(t)
	w := newWorld(t, 4)
	w.surging("3")
	w.pods(w.ready())
	w.update("v2")
	w.pod("n0", w.ready())
	w.pod("n1")
	w.pod("n2")

	w.SurgeDisabled = true
	off := w.plan()
	g.Expect(deleted(off)).To(Equal([]string{"v1-n0-1", "v1-n3-4", "v2-n1-6", "v2-n2-7"}),
		"GATE-007, SURGE-021: of two pods the available one stays, and the rollout goes on with maxUnavailable 1")
	g.Expect(created(off)).To(BeEmpty())

	w.SurgeDisabled = false
	on := w.plan()
	g.Expect(deleted(on)).To(Equal([]string{"v1-n0-1"}), "GATE-006: the stored maxSurge is in force, and no available pod goes before its successor is")
	g.Expect(created(on)).To(Equal([]string{"n3"}), "SURGE-002: n0 holds no slot")
}

// A node whose old pod has been deleted without a successor, as maxUnavailable allowed while the gate was off, is filled at once when it is on.
func TestTheGateIsSwitchedOnWhileANodeIsEmpty(t *testing.T) {
	g := NewWithT(t)
	w := newWorld(t, 3)
	w.surging("1")
	w.pods(w.ready())
	w.update("v2")
	w.terminating()(w.Pods[0])
	actions := w.plan()
	g.Expect(created(actions)).To(Equal([]string{"n0", "n1"}), "GATE-006, SURGE-012: n0 takes no slot")
	g.Expect(deleted(actions)).To(BeEmpty())
}
