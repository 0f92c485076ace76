package recorder_test

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/recorder"
)

func TestAMeasurementIsRecordedBehindWhatWasReceivedBefore(t *testing.T) {
	g := NewWithT(t)
	w := newWorld(t)
	r, path := record(t, w, history.KindPod)
	w.happens(watch.Added, history.KindPod, "seen")
	seen(t, r, history.KindPod, "seen", true)
	g.Expect(r.Measurement(history.Measurement{Node: "node-1", Target: "tcp::1", Lasted: time.Second, Sent: 100, Failed: 1})).To(Succeed())
	w.happens(watch.Modified, history.KindPod, "seen")
	h := caughtUp(t, r, path)
	g.Expect(h.Entries).To(HaveLen(3))
	g.Expect(h.Entries[1].ResourceVersion).To(Equal(uint64(11)))
	g.Expect(h.Entries[1].Measurement).To(HaveValue(Equal(history.Measurement{Node: "node-1", Target: "tcp::1", Lasted: time.Second, Sent: 100, Failed: 1})))
	g.Expect(h.Entries[1].Received).To(BeNumerically(">", 0))
	g.Expect(r.Measurement(history.Measurement{})).To(MatchError(recorder.ErrEnded))
}
