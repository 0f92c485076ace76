package matchers_test

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/history/historytest"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
)

func TestAnActBeginsAndIsDone(t *testing.T) {
	g := NewWithT(t)
	b := historytest.New(t).Nodes(2)
	ds := b.DaemonSet("agent")
	first, second := ds.Pod("a", "node-1").Ready(), ds.Pod("b", "node-2").Ready()
	b.Stimulus(history.EvictPod, first).Refused()
	b.Stimulus(history.EvictPod, second)
	second.Terminating()
	b.After(time.Second).Done()
	b.Stimulus(history.DeletePod, first)
	h := b.History()

	g.Expect(Began(history.EvictPod).Find(h)).To(HaveLen(2))
	done := Done(history.EvictPod).Find(h)
	g.Expect(done).To(HaveLen(1), "a refused act was not carried out")
	g.Expect(done[0].Node()).To(Equal("node-2"))
	g.Expect(done[0].At).To(BeTemporally(">=", Last(Began(history.EvictPod)).Find(h)[0].At.Add(time.Second)))
	g.Expect(Done(history.EvictPod).On("node-1").Find(h)).To(BeEmpty())
	g.Expect(Done(history.DeletePod).Find(h)).To(BeEmpty(), "it is still under way")
	g.Expect(Began(history.DeletePod).On("node-1").Find(h)).To(HaveLen(1))

	keeps(t, h, Before(Began(history.EvictPod), PodDeleted()))
	keeps(t, h, Before(PodDeleted(), Done(history.EvictPod)))
	breaks(t, h, Before(Done(history.EvictPod), PodDeleted()), `stimulus "evict pod" done before pod deleted`)
}
