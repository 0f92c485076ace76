package recorder_test

import (
	"path/filepath"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/watch"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/recorder"
)

// recordBy starts a recording of pods by a clock, which has a pod "first".
func recordBy(t *testing.T, clock *clocktesting.FakePassiveClock) (*world, *recorder.Recorder, string) {
	w := newWorld(t)
	path := filepath.Join(t.TempDir(), "recording.jsonl")
	r, err := recorder.Start(t.Context(), recorder.Options{Sources: w.sources(history.KindPod), Path: path, Clock: clock})
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	t.Cleanup(func() { _ = r.Close() })
	w.happens(watch.Added, history.KindPod, "first")
	seen(t, r, history.KindPod, "first", true)
	return w, r, path
}

func TestEventsAreTimedByTheWallClock(t *testing.T) {
	for name, row := range map[string]struct{ step, later time.Duration }{
		"set forward, or the machine was suspended": {step: time.Hour, later: time.Hour},
		"set back by next to nothing":               {step: -500 * time.Millisecond, later: 0},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			clock := clocktesting.NewFakePassiveClock(time.Now())
			w, r, path := recordBy(t, clock)
			clock.SetTime(clock.Now().Add(row.step))
			w.happens(watch.Added, history.KindPod, "second")
			seen(t, r, history.KindPod, "second", true)
			h := closed(t, r, path)
			g.Expect(h.Entries).To(HaveLen(2))
			g.Expect(h.Entries[1].Received-h.Entries[0].Received).To(Equal(row.later), "timestamps of pods are from the same clock")
		})
	}
}

func TestARecordingEndsWhenTheClockIsSetBack(t *testing.T) {
	g := NewWithT(t)
	clock := clocktesting.NewFakePassiveClock(time.Now())
	w, r, _ := recordBy(t, clock)
	clock.SetTime(clock.Now().Add(-time.Hour))
	w.happens(watch.Added, history.KindPod, "second")
	g.Eventually(r.Failure).WithTimeout(patience).Should(MatchError(recorder.ErrClockSetBack))
	g.Expect(r.Failure()).To(MatchError(ContainSubstring("1h0m0s")))
}
