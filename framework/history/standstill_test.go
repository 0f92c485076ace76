package history_test

import (
	"bytes"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

const second = time.Second

// stoodStill is a history of nothing but standstills: from 10 s to 14 s, which everybody has recovered from at 18 s, and from 40 s to 42 s.
func stoodStill() (h *history.History, at func(time.Duration) time.Time) {
	h = &history.History{
		Header: history.Header{Version: history.FormatVersion, Start: time.Date(2026, time.January, 1, 12, 0, 0, 0, time.UTC)},
		Standstills: []history.Standstill{
			{From: 10 * second, Until: 14 * second, Error: "etcdserver: request timed out"}, {From: 40 * second, Until: 42 * second},
		},
	}
	return h, h.Start.Add
}

func TestNothingIsDueWhileTheAPIServerStandsStill(t *testing.T) {
	h, at := stoodStill()
	for name, row := range map[string]struct{ since, takes, due time.Duration }{
		"it is over before":                    {3 * second, 7 * second, 10 * second},
		"it begins before the time is up":      {3 * second, 8 * second, 26 * second},
		"it begins just after":                 {9 * second, 5 * second, 23 * second},
		"it lasts":                             {12 * second, 5 * second, 23 * second},
		"it is over, and nobody has recovered": {15 * second, 5 * second, 23 * second},
		"everybody has recovered":              {18 * second, 5 * second, 23 * second},
		"there is another one":                 {12 * second, 23 * second, 67 * second},
	} {
		t.Run(name, func(t *testing.T) {
			NewWithT(t).Expect(h.Due(at(row.since), row.takes)).To(Equal(at(row.due)))
		})
	}
	NewWithT(t).Expect((&history.History{}).Due(at(0), second)).To(Equal(at(second)))
}

func TestWhoWasSuspendedHasNothingToCatchUpButWhatWasBesides(t *testing.T) {
	g := NewWithT(t)
	for recovered, standstill := range map[time.Duration]history.Standstill{
		61 * second: {Until: 60 * second, Suspended: 60*second - 250*time.Millisecond},
		70 * second: {Until: 60 * second, Suspended: 50 * second},
	} {
		g.Expect(standstill.Recovered()).To(Equal(recovered))
		g.Expect(standstill.String()).To(ContainSubstring("suspended"))
	}
}

func TestAStandstillOvershadowsUntilEverybodyHasRecovered(t *testing.T) {
	g := NewWithT(t)
	h, at := stoodStill()
	for _, clear := range []time.Duration{9 * second, 18 * second, 30 * second, 44 * second} {
		g.Expect(h.Overshadowing(at(clear))).To(BeNil(), "%s", clear)
	}
	for _, shadowed := range []time.Duration{10 * second, 12 * second, 14 * second, 17 * second} {
		g.Expect(h.Overshadowing(at(shadowed))).To(HaveValue(Equal(h.Standstills[0])), "%s", shadowed)
	}
	g.Expect(h.Overshadowing(at(41 * second))).To(HaveValue(Equal(h.Standstills[1])))

	g.Expect(h.Interrupting(at(2*second), at(9*second))).To(BeNil())
	g.Expect(h.Interrupting(at(2*second), at(60*second))).To(HaveValue(Equal(h.Standstills[0])))
	g.Expect(h.Interrupting(at(17*second), at(20*second))).To(HaveValue(Equal(h.Standstills[0])))
	g.Expect(h.Interrupting(at(18*second), at(39*second))).To(BeNil())

	for instant, recovered := range map[time.Duration]time.Time{
		9 * second: {}, 10 * second: at(10 * second), 15 * second: at(15 * second), 20 * second: at(18 * second), 43 * second: at(43 * second), 50 * second: at(44 * second),
	} {
		g.Expect(h.RecoveredBy(at(instant))).To(Equal(recovered), "%s", instant)
	}
}

func TestAStandstillReadsLikeThis(t *testing.T) {
	g := NewWithT(t)
	g.Expect(history.Standstill{From: 2200 * time.Millisecond, Until: 17 * second, Error: "etcdserver: request timed out"}.String()).
		To(Equal("the API server answered nobody for 14.8 s, from 2.2 s into the recording: etcdserver: request timed out"))
	g.Expect(history.Standstill{From: -9 * second, Until: -second}.String()).To(Equal("the API server answered nobody for 8.0 s, from 9.0 s before the recording"))
}

func TestStandstillsAreReadBack(t *testing.T) {
	g := NewWithT(t)
	h, _ := stoodStill()
	h.CaughtUp = true
	var text bytes.Buffer
	g.Expect(h.Write(&text)).To(Succeed())
	read, err := history.Read(&text)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(read.Standstills).To(Equal(h.Standstills))
	g.Expect(read.CaughtUp).To(BeTrue())
}

func TestWhatIsDueWaitsForAProcessorAndForTheAPIServer(t *testing.T) {
	h, at := stoodStill()
	h.Health = &history.Health{Waits: []history.Standstill{
		{From: 4 * second, Until: 6 * second, Waited: 1500 * time.Millisecond}, {From: 16 * second, Until: 21 * second, Waited: 2 * second},
	}}
	g := NewWithT(t)
	for name, row := range map[string]struct{ since, takes, due, answered time.Duration }{
		"it waits":               {3 * second, 2 * second, 9 * second, 5 * second},
		"it waits for each":      {3 * second, 5 * second, 27 * second, 8 * second},
		"a second after it ran":  {21500 * time.Millisecond, 5 * second, 27 * second, 26500 * time.Millisecond},
		"it has heard of it all": {22 * second, 5 * second, 27 * second, 27 * second},
	} {
		g.Expect(h.Due(at(row.since), row.takes)).To(Equal(at(row.due)), name)
		g.Expect(h.Answered(at(row.since), row.takes)).To(Equal(at(row.answered)), name)
	}
	g.Expect(h.Waiting(at(0), at(3*second))).To(BeNil())
	g.Expect(h.Waiting(at(0), at(30*second))).To(HaveValue(Equal(h.Health.Waits[0])))
	g.Expect(h.Interrupting(at(17*second), at(30*second))).To(HaveValue(Equal(h.Standstills[0])), "nobody has recovered from it")
	g.Expect(h.Overshadowing(at(20 * second)).String()).To(Equal("the implementation waited for a processor for 2.0 s of 5.0 s, from 16.0 s into the recording"))
	g.Expect(h.AllStandstills()).To(HaveLen(4))
}
